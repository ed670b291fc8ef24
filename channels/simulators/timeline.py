"""A record of every request and frame, in order."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

from channels.simulators.clock import MovableClock
from channels.simulators.jsons import Json

KEPT = 200_000


@dataclass
class Entry:
    """One request (`kind` = rest) or frame (`in` from the client, `out` to it).

    `mono_s` is the machine's monotonic clock, never moved, so other processes can compare it with theirs.
    """

    n: int
    kind: str
    at_ms: int
    mono_s: float
    app_id: str
    method: str
    path: str
    body: Any = None
    status: int = 0
    code: int | str | None = None
    took_ms: float = 0.0
    fault: str = ""


class Timeline:
    """Keeps the newest 200,000 entries."""

    def __init__(self, clock: MovableClock) -> None:
        self._clock = clock
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._count = 0

    def add(self, kind: str, app_id: str, method: str, path: str, body: Any = None) -> Entry:
        """Record something now; the caller fills in status and code when they are known."""
        entry = Entry(self._count, kind, self._clock.now_ms(), time.monotonic(), app_id, method, path, body)
        self._count += 1
        self._entries.append(entry)
        return entry

    def since(self, n: int = 0) -> list[Entry]:
        """Give the entries from number `n` on."""
        return [entry for entry in self._entries if entry.n >= n]

    def as_json(self, n: int = 0) -> list[Json]:
        """Give the entries from number `n` on as JSON objects."""
        return [asdict(entry) for entry in self.since(n)]

    def clear(self) -> None:
        """Forget the entries; numbers go on."""
        self._entries.clear()
