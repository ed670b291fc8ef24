"""The bytes of a workspace file, read so that neither a link nor a pipe nor a huge file can do harm."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engine.errors import ToolFailed, ToolRetry


def read_bytes(path: Path, given: str, max_bytes: int) -> bytes:
    """Give the content of the real path `path`, which the model called `given`. Blocks.

    Raises:
        ToolRetry: there is no such file, or it is no regular one.
        ToolFailed: it has more than `max_bytes`, or cannot be opened.
    """
    # O_NONBLOCK: opening a pipe must not hang; the kind is checked on what was opened, not on the name.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(path, flags)
    except FileNotFoundError as error:
        raise ToolRetry(f"there is no file {given!r} in the workspace") from error
    except OSError as error:
        raise ToolFailed(f"{given!r} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ToolRetry(f"{given!r} is not a regular file")
    with os.fdopen(handle, "rb") as file:
        if os.fstat(file.fileno()).st_size > max_bytes:
            raise ToolFailed(f"{given!r} is larger than {max_bytes} bytes")
        return file.read(max_bytes)
