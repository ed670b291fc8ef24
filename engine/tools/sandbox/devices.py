"""The few devices a sandbox has, so that nobody in it can change those of the machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from engine.errors import ToolFailed

OWN = Path("/dev/.niuma")
_NUMBERS = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0)}
"""Source: Linux Documentation/admin-guide/devices.txt, read 2026-12-01."""
_FOR_ALL = 0o666


def device_arguments(own: Path = OWN) -> Iterator[str]:
    """Give bubblewrap's arguments for /dev.

    Where the service runs as root, the machine's devices belong to the user in the sandbox too, who could change their
    rights for everybody (`chmod 0 /dev/null`): there the sandbox gets devices made for it.

    Raises:
        ToolFailed: they cannot be made.
    """
    yield from ("--dev", "/dev")
    if os.geteuid() != 0:
        return
    try:
        own.mkdir(mode=0o755, exist_ok=True)
        for name in _NUMBERS:
            _make(own / name, os.makedev(*_NUMBERS[name]))
            yield from ("--dev-bind", str(own / name), f"/dev/{name}")
    except OSError as error:
        raise ToolFailed(f"as root, the sandbox needs devices of its own: {error}") from error


def _make(path: Path, number: int) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | _FOR_ALL, number)
    except FileExistsError:
        facts = path.lstat()
        if not stat.S_ISCHR(facts.st_mode) or facts.st_rdev != number:
            raise
    path.chmod(_FOR_ALL)  # the mask of the process, or an earlier call, may have changed it
