"""The simulator's time: the real one, plus what a test added."""

from __future__ import annotations

import asyncio
import time


class MovableClock:
    """Real time by default; `advance` moves it forward and wakes who waits."""

    def __init__(self) -> None:
        self._offset_s = 0.0
        self._moved: asyncio.Event = asyncio.Event()

    def now_ms(self) -> int:
        """Give UTC milliseconds since 1970, as the platform would stamp them."""
        return time.time_ns() // 1_000_000 + round(self._offset_s * 1000)

    def steady_s(self) -> float:
        """Give seconds that never go back; only differences mean something."""
        return time.monotonic() + self._offset_s

    def advance(self, seconds: float) -> None:
        """Move time forward by `seconds`; negative values are refused with ValueError."""
        if seconds < 0:
            raise ValueError("time moves forward only")
        self._offset_s += seconds
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        """Wait until `seconds` have passed on this clock."""
        await self.sleep_until(self.steady_s() + seconds)

    async def sleep_until(self, steady_s: float) -> None:
        """Wait until `steady_s()` has reached this value."""
        while (left_s := steady_s - self.steady_s()) > 0:
            try:
                async with asyncio.timeout(left_s):
                    await self._moved.wait()
            except TimeoutError:
                continue
