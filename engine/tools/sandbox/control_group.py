"""A control group for a call, where one can be made: then the kernel counts its processes, also for root."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)
_PLACES = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/pids"))
"""Where systems have the second version, and the counter of processes of the first one."""
_MOST = "pids.max"
_EMPTY_WITHIN_S = 1.0


def join(process: int, most_processes: int, places: tuple[Path, ...] = _PLACES) -> Path | None:
    """Put a process into a new group of at most so many; give the group, or `None` where none can be made.

    Whatever the process starts from now on is in the group as well.
    """
    for above in _candidates(places):
        _sweep(above)
        group = above / f"niuma-{os.getpid()}-{process}"
        try:
            group.mkdir()
        except OSError:
            continue  # not ours to divide: the usual case
        try:
            (group / _MOST).write_text(str(most_processes))
            (group / "cgroup.procs").write_text(str(process))
        except OSError:
            leave(group)  # made, but without the counter
            continue
        return group
    return None


def leave(group: Path) -> None:
    """Remove a group whose processes have ended."""
    until_s = time.monotonic() + _EMPTY_WITHIN_S
    while True:
        try:
            group.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > until_s:
                log.warning("control_group_left", extra={"group": group.name})
                return
            time.sleep(0.005)
        else:
            return


def _sweep(above: Path) -> None:
    """Remove what a gateway left that was killed; a group in which something lives cannot be removed."""
    for group in above.glob("niuma-*-*"):
        if not Path("/proc", group.name.split("-")[1]).exists():
            with suppress(OSError):
                group.rmdir()


def _candidates(places: tuple[Path, ...]) -> Iterator[Path]:
    """Give the groups that may be divided: only root's own machine has one at the top, and only it needs one."""
    if os.geteuid() == 0:
        for place in places:
            if os.access(place / "cgroup.procs", os.W_OK):
                yield place
