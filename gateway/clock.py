"""The product's clocks: the system's, and one that tests move."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Mapping
from pathlib import Path

from gateway.errors import ConfigInvalid

VARIABLE = "NIUMA_CLOCK"


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


class SteppedClock(SystemClock):
    """The real time plus what a file says now, in seconds: a test steps the wall clock of a process that runs.

    Seconds that never go back are not touched, as by a machine whose date somebody sets. Without the file, or while it
    is empty, the clock is right.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def now_ms(self) -> int:
        """Give UTC milliseconds since 1970 as a machine has them whose clock is wrong."""
        return super().now_ms() + self._offset_ms()

    def _offset_ms(self) -> int:
        try:
            return round(float(self._file.read_text(encoding="utf-8") or 0) * 1000)
        except FileNotFoundError:
            return 0


def clock_of(environ: Mapping[str, str]) -> SystemClock:
    """Give the clock to live by: the system's, or for tests the one that `NIUMA_CLOCK` names a file for.

    Raises:
        ConfigInvalid: `NIUMA_CLOCK` is set and this is no test.
    """
    file = environ.get(VARIABLE)
    if not file:
        return SystemClock()
    if environ.get("NIUMA_TESTING") != "1":
        raise ConfigInvalid("it makes the clock wrong on purpose and needs NIUMA_TESTING=1", path="", source=VARIABLE)
    return SteppedClock(Path(file))


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
