"""The bytes of a workspace file, read so that neither a link nor a pipe nor a huge file can do harm."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from engine.errors import ToolFailed, ToolRetry
from engine.tools.place import Place, opened

READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
"""O_NONBLOCK: opening a pipe that took the file's place must not hang."""


def read_file_at(workspace: Path, given: str, private: Iterable[Path], max_bytes: int) -> bytes:
    """Give the content of the file that `given` names in `workspace`; links that stay in it are followed. Blocks.

    Raises:
        ToolRetry: the path leads out or into a private folder, there is no such file, or it is no regular one.
        ToolFailed: it has more than `max_bytes`, a further name, or cannot be opened.
    """
    with opened(workspace, given, private) as place:
        return read_bytes(place, max_bytes)


def read_bytes(place: Place, max_bytes: int) -> bytes:
    """Give the content of the regular file at `place`. Blocks.

    Raises:
        ToolRetry: there is no such file, or it is no regular one.
        ToolFailed: it has more than `max_bytes`, a further name, or cannot be opened.
    """
    facts = place.facts()
    if facts is None:
        raise ToolRetry(f"there is no file {place.given!r} in the workspace")
    _check(facts, place.given, max_bytes)
    try:
        handle = os.open(place.name, READ_FLAGS, dir_fd=place.folder)
    except FileNotFoundError as error:
        raise ToolRetry(f"there is no file {place.given!r} in the workspace") from error
    except OSError as error:
        raise ToolFailed(f"{place.given!r} cannot be opened: {error.strerror}") from error
    with os.fdopen(handle, "rb") as file:
        # Once more, on what was opened: the name may stand for something else by now.
        _check(os.fstat(file.fileno()), place.given, max_bytes)
        return file.read(max_bytes)


def _check(facts: os.stat_result, given: str, max_bytes: int) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise ToolRetry(f"{given!r} is not a regular file")
    if facts.st_nlink > 1:
        # Its other name may lie anywhere on the disk: a hard link to the gateway's database is no file of a chat.
        raise ToolFailed(f"{given!r} has a further name (a hard link), which may lie outside the workspace")
    if facts.st_size > max_bytes:
        raise ToolFailed(f"{given!r} is larger than {max_bytes} bytes")
