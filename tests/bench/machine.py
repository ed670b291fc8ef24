"""The machine as the bench needs it: which core is whose, and what a process has used (Linux, `/proc`)."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def is_measurable() -> bool:
    """Tell whether this system can tell what the bench asks."""
    return bool(_CORES) and Path("/proc/self/status").exists()


def keep_off_the_measured_core() -> None:
    """Move this process, and what it starts from now on, to the other cores; with a single core all share it."""
    os.sched_setaffinity(0, _CORES[1:] or _CORES)


def pin(pid: int) -> None:
    """Move a process that was just started to the measured core: threads it starts later stay there too."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), _CORES[:1])


def spread(pid: int) -> None:
    """Let a process that was just started use every core, whatever core it was started on."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), _CORES)


def cpu_s(pid: int) -> float:
    """Give the seconds of CPU a process has used, all threads, user and system; resolution 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def rss_mb(pid: int, *, peak: bool = False) -> float:
    """Give the resident memory of a process in MB (10^6 bytes), now or at its largest."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(wanted):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"process {pid} has no {wanted}")


def yardstick_ms() -> float:
    """Give the milliseconds of CPU a million additions take, so that figures of two machines can be compared."""
    started, total = time.thread_time(), 0
    for number in range(1_000_000):
        total += number
    return (time.thread_time() - started) * 1000
