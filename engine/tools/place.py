"""Where a path of the workspace leads: an opened folder and a name in it, so that no later exchange leads elsewhere.

Every component is opened by itself, from the folder before it, and no link is followed by the system. A folder that is
exchanged for a link between the check and the use is refused, or the use still happens in the folder that was checked.
"""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ToolFailed, ToolRetry
from engine.tools.workspace import Hidden, named

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_LINKS = 16
MAX_DEPTH = 64
"""Folders below each other; what lies deeper is not for tools."""


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an opened folder. `folder` is a descriptor, valid while the place is open; `given` is for messages."""

    folder: int
    name: str
    given: str

    def facts(self) -> os.stat_result | None:
        """Give what is there, of a link the link itself; `None` when nothing is."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None


@dataclass(frozen=True, slots=True)
class Ways:
    """How a path may be walked."""

    links: bool = False
    """Follow links that stay in the workspace."""
    make: Callable[[], object] | None = None
    """Make folders that are missing, after this was called for each: it may refuse."""


READING = Ways(links=True)
CHANGING = Ways()


@contextmanager
def opened(workspace: Path, given: str, private: Iterable[Path] = (), ways: Ways = READING) -> Generator[Place]:
    """Open the place that `given` names, relative to `workspace`. Blocks.

    Its name is never empty, a `..` or a link that `ways` would follow; whether anything is there is for the caller.

    Raises:
        ToolRetry: it is absolute, the workspace itself, leads out of it or into one of `private`, by a link or not, or
            through what is no folder.
        ToolFailed: a folder on the way cannot be opened.
    """
    walk = _Walk(workspace, given, Hidden(workspace, private), ways)
    try:
        yield walk.place()
    finally:
        walk.close()


def components(given: str) -> list[str]:
    """Give the names a path consists of, as the rules read it: `..` is taken out of the text, not out of the disk.

    Raises:
        ToolRetry: it is absolute, leads out of the workspace, or holds what no path may.
    """
    if "\0" in given:
        raise ToolRetry("the path holds a NUL character")
    if given.startswith(("/", "~", "\\")):
        raise ToolRetry(f"{given!r} is absolute; give a path relative to the workspace")
    try:
        os.fsencode(given)
    except UnicodeEncodeError as error:
        raise ToolRetry("the path holds half a character") from error
    path = named(given) if "\\" not in given else posixpath.normpath(given)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ToolRetry(f"{given!r} leads out of the workspace")
    return parts


class _Walk:
    """The folders that were opened on the way, the workspace's first."""

    def __init__(self, workspace: Path, given: str, hidden: Hidden, ways: Ways) -> None:
        self._given, self._hidden, self._ways = given, hidden, ways
        self._root = workspace.resolve()
        self._open: list[int] = []
        self._links = 0

    def place(self) -> Place:
        todo = components(self._given)[::-1]
        if not todo:
            raise ToolRetry(f"{self._given!r} is the workspace itself, not a file in it")
        if any(folder in self._hidden for folder in (self._root, *self._root.parents)):
            raise self._belongs()
        self._enter(self._opened_root())
        while True:
            name = todo.pop()
            if name == "..":
                self._leave()
            elif not self._expanded(name, todo):
                if not todo:
                    return self._checked(Place(self._open[-1], name, self._given))
                self._step(name)
            if not todo:
                raise ToolRetry(f"{self._given!r} is a folder, not a file")

    def _opened_root(self) -> int:
        try:
            return os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise ToolFailed(f"the workspace cannot be opened: {error.strerror}") from error

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())

    def _step(self, name: str) -> None:
        try:
            self._make(name)
            folder = os.open(name, FOLDER_FLAGS, dir_fd=self._open[-1])
        except FileNotFoundError as error:
            raise ToolRetry(f"there is no file {self._given!r} in the workspace") from error
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise ToolRetry(f"{name!r} in {self._given!r} is not a folder") from error
            raise ToolFailed(f"{self._given!r} cannot be opened: {error.strerror}") from error
        self._enter(folder)

    def _make(self, name: str) -> None:
        at = Place(self._open[-1], name, self._given)
        if self._ways.make is None or at.facts() is not None:
            return
        self._ways.make()
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=at.folder)
            os.fsync(at.folder)

    def _enter(self, folder: int) -> None:
        self._open.append(folder)
        if self._hidden.holds(os.fstat(folder)):
            raise self._belongs()
        if len(self._open) > MAX_DEPTH:
            raise ToolRetry(f"{self._given!r} is more than {MAX_DEPTH} folders deep")

    def _leave(self) -> None:
        if len(self._open) == 1:
            raise ToolRetry(f"{self._given!r} leads out of the workspace")
        os.close(self._open.pop())

    def _expanded(self, name: str, todo: list[str]) -> bool:
        """Replace a link by the names it stands for; whatever it becomes meanwhile is opened without following."""
        if not self._ways.links:
            return False
        try:
            target = os.readlink(name, dir_fd=self._open[-1])
        except OSError:
            return False  # no link, or nothing: opening it tells
        self._links += 1
        if self._links > MAX_LINKS:
            raise ToolRetry(f"{self._given!r} cannot be followed: too many links")
        todo.extend(self._names(target)[::-1])
        return True

    def _names(self, target: str) -> list[str]:
        path = Path(target)
        if path.is_absolute():
            if path != self._root and self._root not in path.parents:
                raise ToolRetry(f"{self._given!r} leads out of the workspace")
            while len(self._open) > 1:
                os.close(self._open.pop())
            path = path.relative_to(self._root)
        return [part for part in path.parts if part != "."]

    def _checked(self, place: Place) -> Place:
        facts = place.facts()
        if facts is not None and self._hidden.holds(facts):
            raise self._belongs()
        return place

    def _belongs(self) -> ToolRetry:
        return ToolRetry(f"{self._given!r} belongs to the gateway, not to the workspace")
