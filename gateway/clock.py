"""The product's clocks: the system's, and one that tests move."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time


class SystemClock:
    """The real time."""

    def now_ms(self) -> int:
        """Give UTC milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def steady_s(self) -> float:
        """Give seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))


class FakeClock:
    """Time that moves only by `advance`; sleepers wake in the order of their times."""

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._now_s = now_ms / 1000
        self._start_s = self._now_s
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now_ms(self) -> int:
        """Give the pretended UTC milliseconds since 1970."""
        return round(self._now_s * 1000)

    def steady_s(self) -> float:
        """Give the pretended seconds since the clock was made."""
        return self._now_s - self._start_s

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was moved this far."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._now_s + seconds, next(self._order), future))
        await future

    async def advance(self, seconds: float) -> None:
        """Move time forward, waking each sleeper at its own time and letting it run before the next."""
        target = self._now_s + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= target + 1e-9:
            due, _, future = heapq.heappop(self._sleepers)
            self._now_s = max(self._now_s, due)
            if not future.done():
                future.set_result(None)
            await self.settle()
        self._now_s = target
        await self.settle()

    @staticmethod
    async def settle(rounds: int = 20) -> None:
        """Let everything that can run without time passing do so."""
        for _ in range(rounds):
            await asyncio.sleep(0)
