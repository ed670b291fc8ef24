"""When a run may be claimed again without suspicion: while it waits for a person and none of its lanes works."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from engine.ports import Clock
from engine.runs.ports import Excused

Write = Callable[[Excused], Awaitable[None]]


class Excuse:
    """Counts lanes at work and lanes that wait; writes the row only when the answer changes."""

    def __init__(self, write: Write, clock: Clock) -> None:
        self._write = write
        self._clock = clock
        self._working = 0
        self._waiting = 0
        self._written = False
        self._idle_since_s: float | None = None
        self._idle_s = 0.0
        self._lock = asyncio.Lock()

    @property
    def is_idle(self) -> bool:
        """Tell whether the run only waits for a person."""
        return self._waiting > 0 and self._working == 0

    def idle_s(self) -> float:
        """Give how long the run has only waited for people, in seconds."""
        running = 0.0 if self._idle_since_s is None else self._clock.steady_s() - self._idle_since_s
        return self._idle_s + running

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[None]:
        """Count a lane that does something, before it does it."""
        self._working += 1
        try:
            await self._settle()
            yield
        finally:
            self._working -= 1
        await self._settle()

    @asynccontextmanager
    async def waiting(self) -> AsyncGenerator[None]:
        """Count a lane that waits for a person."""
        self._waiting += 1
        try:
            await self._settle()
            yield
        finally:
            self._waiting -= 1
        await self._settle()

    async def write(self, excused: Excused) -> None:
        """Write it regardless of the lanes (quarantine, outages)."""
        await self._write(excused)
        self._written = excused is not Excused.NO

    async def _settle(self) -> None:
        self._measure()
        if not self._waiting and not self._written:
            return
        async with self._lock:
            if self.is_idle != self._written:
                await self.write(Excused(self.is_idle))

    def _measure(self) -> None:
        if self.is_idle and self._idle_since_s is None:
            self._idle_since_s = self._clock.steady_s()
        elif not self.is_idle and self._idle_since_s is not None:
            self._idle_s += self._clock.steady_s() - self._idle_since_s
            self._idle_since_s = None
