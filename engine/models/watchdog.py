"""Noticing that a stream has gone silent, at no cost per chunk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.ports import Clock


class Watchdog:
    """Calls `bite` when nothing came for `first_s`, and after the first sign of life for `stall_s`."""

    def __init__(self, clock: Clock, *, first_s: float, stall_s: float, bite: Callable[[], None]) -> None:
        self._now = clock.steady_s
        self._sleep = clock.sleep
        self._stall_s = stall_s
        self._bite = bite
        self._deadline = self._now() + first_s
        self.has_bitten = False
        self.seen = False
        self._task = asyncio.ensure_future(self._watch())

    def alive(self) -> None:
        """Take note of a sign of life."""
        self.seen = True
        self._deadline = self._now() + self._stall_s

    async def stop(self) -> None:
        """Go away; safe to call twice."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while (left := self._deadline - self._now()) > 0:
            await self._sleep(left)
        self.has_bitten = True
        self._bite()
