"""Putting a file in its place at once: a reader, or a crash, finds the old content or the new one, nothing between."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass

from engine.errors import ToolFailed, ToolRetry
from engine.tools.place import Place

_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS)
"""What disks answer that know no hard links."""
_MODE_BITS = 0o777


@dataclass(frozen=True, slots=True)
class Replacement:
    """The new content of a place. `before` is what was there when its content was decided; `None`: nothing."""

    place: Place
    data: bytes
    before: os.stat_result | None
    key: str
    """The call's: a repeat of it clears away what a crash left of the first try."""
    mode: int = 0o666
    """Of a new file, before the process's mask."""

    def put(self) -> None:
        """Write, durable on return; the mode of the old file is kept. Blocks.

        Raises:
            ToolRetry: something else is there by now.
            ToolFailed: the disk does not take it.
        """
        try:
            self._clear()
            try:
                self._write()
                self._move()
            finally:
                self._clear()
            os.fsync(self.place.folder)
        except OSError as error:
            raise ToolFailed(f"{self.place.given!r} cannot be written: {error.strerror}") from error

    @property
    def _name(self) -> str:
        return f".new-{hashlib.sha256(f'{self.key}:{self.place.name}'.encode()).hexdigest()[:16]}"

    def _clear(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self.place.folder)

    def _write(self) -> None:
        handle = os.open(self._name, _NEW_FLAGS, self.mode, dir_fd=self.place.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(self.data)
            file.flush()
            if self.before is not None:
                _dress(file.fileno(), self.before)
            os.fsync(file.fileno())

    def _move(self) -> None:
        folder = self.place.folder
        if not _is_same(self.before, self.place.facts()):
            raise ToolRetry(f"{self.place.given!r} was changed by somebody else meanwhile; read it again")
        if self.before is not None:
            os.replace(self._name, self.place.name, src_dir_fd=folder, dst_dir_fd=folder)
            return
        try:
            os.link(self._name, self.place.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError as error:
            raise ToolRetry(f"{self.place.given!r} was made by somebody else meanwhile; read it") from error
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.replace(self._name, self.place.name, src_dir_fd=folder, dst_dir_fd=folder)


def _dress(handle: int, before: os.stat_result) -> None:
    """Give the new file the owner, where only root may, and the mode of the old one; never a set-user bit."""
    if os.geteuid() == 0 and (before.st_uid, before.st_gid) != (0, 0):
        os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode) & _MODE_BITS)


def _is_same(before: os.stat_result | None, now: os.stat_result | None) -> bool:
    if before is None or now is None:
        return before is now
    return _marks(before) == _marks(now)


def _marks(facts: os.stat_result) -> tuple[int, ...]:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
