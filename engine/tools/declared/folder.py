"""The folder of tool files as it is now: read again when something in it has changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.tools.base import Tool
from engine.tools.declared.loaded import Loaded

if TYPE_CHECKING:
    from engine.tools.declared.loader import Means

Found = tuple[tuple[str, int, int, int], ...]
"""Name, time of change, size and inode of each file: what tells that something is different."""


class ToolFolder:
    """Reads a folder, and tells `changed` what is in it, each time it is another one. Safe from all threads."""

    def __init__(
        self,
        folder: Path,
        means: Callable[[], Means],
        *,
        taken: Iterable[str] = (),
        changed: Callable[[Iterable[Tool]], None] = lambda _tools: None,
    ) -> None:
        self.folder = folder
        self._means = means
        self._taken = tuple(taken)
        self._changed = changed
        self._seen: Found | None = None
        self._loaded = Loaded()
        self._lock = threading.Lock()

    def look(self) -> Loaded:
        """Give what is there. Blocks: some microseconds a file, and the reading of all when one has changed."""
        with self._lock:
            found = _found(self.folder)
            if found != self._seen:
                self._loaded = self._read() if found else Loaded()
                self._seen = found
                self._changed(self._loaded.tools)
            return self._loaded

    def _read(self) -> Loaded:
        # What tools need of the network takes a while to be imported: only where there are some.
        from engine.tools.declared.loader import load_tools

        return load_tools(self.folder, self._means(), taken=self._taken)


def _found(folder: Path) -> Found:
    try:
        with os.scandir(folder) as entries:
            facts = [(each.name, each.stat()) for each in entries if each.is_file()]
    except OSError:
        return ()  # a folder that is not there holds nothing
    return tuple(sorted((name, stat.st_mtime_ns, stat.st_size, stat.st_ino) for name, stat in facts))
