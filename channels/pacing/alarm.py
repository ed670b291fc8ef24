"""Many timers on one sleeping task: a live card costs no task of its own for its ticks."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from channels.clock import Clock

_SOON_S = 1e-6


@dataclass(slots=True, eq=False)
class AlarmHandle:
    """One timer; `cancel` makes it never ring."""

    when_s: float
    ring: Callable[[], object] | None

    def cancel(self) -> None:
        """Forget it; safe to call twice and after it rang."""
        self.ring = None


class Alarm:
    """Calls short functions at set times of the steady clock, on the event loop."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, AlarmHandle]] = []
        self._order = itertools.count()
        self._task: asyncio.Task[None] | None = None
        self._sleeps_until_s = float("-inf")

    def at(self, when_s: float, ring: Callable[[], object]) -> AlarmHandle:
        """Call `ring` once `when_s` (steady seconds) has come. `ring` must not raise."""
        handle = AlarmHandle(when_s, ring)
        heapq.heappush(self._heap, (when_s, next(self._order), handle))
        if self._task is None or self._task.done() or when_s < self._sleeps_until_s - _SOON_S:
            self._restart()
        return handle

    def _restart(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._sleeps_until_s = float("-inf")
        self._task = asyncio.get_running_loop().create_task(self._run(), name="pacing alarm")

    async def _run(self) -> None:
        while self._heap:
            when_s, _, handle = self._heap[0]
            wait_s = when_s - self._clock.steady_s()
            if handle.ring is not None and wait_s > _SOON_S:
                self._sleeps_until_s = when_s
                await self._clock.sleep(wait_s)
                self._sleeps_until_s = float("-inf")
                continue
            heapq.heappop(self._heap)
            if handle.ring is not None:
                handle.ring()
        self._task = None
