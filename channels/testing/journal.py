"""A run's journal in memory, for tests of adapters and card streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from channels.readable import Json


class MemoryJournal:
    """Remembers steps by path. `next_attempt()` gives what the run's next owner sees after a crash."""

    def __init__(self, rows: dict[str, str] | None = None) -> None:
        self.rows = rows if rows is not None else {}
        """Path -> recorded JSON."""
        self.ran: list[str] = []
        """Paths whose function was called in this attempt."""
        self.lose: set[str] = set()
        """Paths that are done but not recorded: a crash between the two."""
        self.guarded = 0
        """How often the guard was asked."""
        self.is_lost = False
        """Another process owns the run: the guard refuses."""
        self._asked: set[str] = set()
        self._lock = asyncio.Lock()

    def next_attempt(self) -> MemoryJournal:
        """Give the journal of the next owner."""
        return MemoryJournal(self.rows)

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Run `fn` once and record its result, or give what is recorded.

        Raises:
            RuntimeError: the path was asked for before in this attempt, and did not fail then.
            asyncio.CancelledError: `path` is in `lose`: done, then "killed".
        """
        async with self._lock:
            if path in self._asked:
                raise RuntimeError(f"path asked for twice: {path!r}")
            self._asked.add(path)
        if path in self.rows:
            return json.loads(self.rows[path])
        self.ran.append(path)
        try:
            value = await fn()
        except Exception:
            self._asked.discard(path)
            raise
        if path in self.lose:
            raise asyncio.CancelledError(f"killed before {path!r} was recorded")
        self.rows[path] = json.dumps(value)
        return value

    def recorded(self, path: str) -> Json | None:
        """Give what an earlier attempt recorded."""
        row = self.rows.get(path)
        return None if row is None else json.loads(row)

    async def guard(self) -> None:
        """Return while the run is ours.

        Raises:
            asyncio.CancelledError: `is_lost` was set.
        """
        self.guarded += 1
        if self.is_lost:
            raise asyncio.CancelledError("the run is not ours any more")
