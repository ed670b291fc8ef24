"""Counting what all processes of a call use together: the kernel's own limits hold for each, and not all for root."""

from __future__ import annotations

import os
from typing import Literal

from engine.tools.sandbox.order import Limits, Tree

_SUMMED_EVERY = 5
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_THREADS_FOR_EACH = 4
_THREADS, _RESIDENT_PAGES = 17, 21
"""Places in /proc/N/stat behind the name of the program. Source: proc_pid_stat(5), read 2026-12-01."""


class Watch:
    """Looks at a tree again and again; processes are counted each time, memory and threads every fifth."""

    def __init__(self, tree: Tree, limits: Limits) -> None:
        self._tree = tree
        self._limits = limits
        self._looks = 0

    def exceeded(self) -> Literal["processes", "memory"] | None:
        """Tell which limit all processes together are over."""
        members = self._tree.members()
        if len(members) > self._limits.processes:
            return "processes"
        self._looks += 1
        if self._looks % _SUMMED_EVERY:
            return None
        figures = [_figures(member) for member in members]
        if sum(threads for threads, _ in figures) > self._limits.processes * _THREADS_FOR_EACH:
            return "processes"
        if sum(resident for _, resident in figures) <= self._limits.memory_bytes:
            return None
        # Pages that several processes share were counted for each: look closely, which costs more.
        return "memory" if sum(map(_share_bytes, members)) > self._limits.memory_bytes else None


def _figures(member: str) -> tuple[int, int]:
    """Give the threads and the resident bytes of a process; nothing of one that has ended."""
    fields = _read(f"{member}/stat").rpartition(")")[2].split()
    if len(fields) <= _RESIDENT_PAGES:
        return 0, 0
    return int(fields[_THREADS]), int(fields[_RESIDENT_PAGES]) * _PAGE_BYTES


def _share_bytes(member: str) -> int:
    """Give what a process holds, shared pages divided among those that share them."""
    for line in _read(f"{member}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""  # ended since it was listed
