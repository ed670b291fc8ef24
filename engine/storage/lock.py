"""The lock of the data folder: one process, proved by the operating system for as long as that process lives."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from engine.errors import AlreadyRunning

FILE_NAME = "niuma.lock"
_LOCKS = Path("/proc/locks")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class FolderLock:
    """An exclusive lock that the kernel lets go of when the process ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock; a second call by its holder changes nothing.

        Raises:
            AlreadyRunning: another process has it; the message names its pid.
        """
        if self._file is not None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(file, 32).decode("ascii", "replace").strip()
            os.close(file)
            raise AlreadyRunning(
                f"The data folder {str(self._path.parent)!r} is in use by process {holder or 'unknown'}.",
                code="already_running",
                hint="Stop that process, or give another folder with --home.",
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode("ascii"), 0)
        self._file = file

    @property
    def holder(self) -> int | None:
        """Give the pid of the process that holds the lock, `None` when nobody does. Takes nothing, not for a moment.

        Linux tells by its table of locks; elsewhere the pid that stands in the file counts while that process lives.
        """
        try:
            written = self._path.read_text("ascii", "replace").strip()
            inode = self._path.stat().st_ino
        except OSError:
            return None
        if not written.isdecimal():
            return None
        try:
            locks = [line.split() for line in _LOCKS.read_text("ascii").splitlines()]
        except OSError:
            return int(written) if _lives(int(written)) else None
        held = any(w[1] == "FLOCK" and w[4] == written and w[5].endswith(f":{inode}") for w in locks)
        return int(written) if held else None

    def release(self) -> None:
        """Let go; the file stays, because removing it would let two processes lock two files of one name."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
