"""Cards that always have something to show, against a platform that counts; for pacing tests."""

from __future__ import annotations

import asyncio
import bisect
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from channels.capabilities import Capabilities, MethodLimit
from channels.errors import RateLimited
from channels.pacing import Pacer
from gateway.clock import FakeClock

METHODS = ("content", "batch", "settings", "replace")


@dataclass
class Platform:
    """Takes requests, counts them in sliding windows, refuses what is over the limit."""

    clock: FakeClock
    limit: MethodLimit = field(default_factory=lambda: MethodLimit(50, 1000))
    counts: bool = True
    latency_s: float = 0.0
    jitter: Random | None = None
    """Where given, each way takes any time up to `latency_s`."""
    taken: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    blocked: dict[str, float] = field(default_factory=dict[str, float])
    """Methods that are refused until then, whatever was counted."""
    refusals: int = 0

    async def request(self, method: str) -> None:
        await self.clock.sleep(self._way_s())
        self._count(method)
        if self.jitter is not None:
            await self.clock.sleep(self._way_s())

    def _way_s(self) -> float:
        return self.latency_s if self.jitter is None else self.latency_s * self.jitter.random()

    def _count(self, method: str) -> None:
        times, now = self.taken.setdefault(method, []), self.clock.steady_s()
        if now < self.blocked.get(method, 0.0):
            self.refusals += 1
            raise RateLimited(retry_after_s=self.blocked[method] - now, scope="app")
        if self.counts:
            for limit, window in ((self.limit.per_s, 1.0), (self.limit.per_minute, 60.0)):
                if limit and len(times) - bisect.bisect_right(times, now - window) >= limit:
                    self.refusals += 1
                    raise RateLimited(retry_after_s=1.0, scope="app")
        times.append(now)

    def most_in(self, window_s: float) -> int:
        most = 0
        for times in self.taken.values():
            for index, at in enumerate(times):
                most = max(most, bisect.bisect_left(times, at + window_s - 1e-9) - index)
        return most


def capabilities(app_limit: str, **changes: object) -> Capabilities:
    methods = {name: MethodLimit(50, 1000) for name in METHODS}
    values: dict[str, object] = {
        "can_update_cards": True,
        "can_press_buttons": True,
        "app_limit": app_limit,
        "streaming_methods": frozenset(methods),
        "methods": methods,
    }
    return Capabilities(**{**values, **changes})  # type: ignore[arg-type]


Frames = Callable[[int], tuple[str, ...]]
"""The methods of a card's n-th frame; asked again as long as the frame waits."""


class BusyCard:
    """Writes previews as often as allowed until it is told to end, then its last frame."""

    def __init__(self, pacer: Pacer, platform: Platform, frames: Frames = lambda n: ("content", "batch")) -> None:
        self.platform, self._methods = platform, frames
        self.frames: list[float] = []
        self.final_late_s: float | None = None
        self._end_at: float | None = None
        self._pressed = False
        self._planned: tuple[str, ...] = ()
        self._opened_s = platform.clock.steady_s()
        pace = pacer.join()
        assert pace is not None
        self.pace = pace
        self.task = asyncio.create_task(self._run())

    def end(self) -> None:
        """Have the last word to say."""
        self._end_at = self.platform.clock.steady_s()
        self.pace.hurry()

    def press(self) -> None:
        """Have something to show that a person waits for."""
        self._pressed = True
        self.pace.hurry()

    async def _run(self) -> None:
        await self._urgent()
        while self._end_at is None:
            if self._pressed:
                self._pressed = False
                await self.pace.space()
                await self._urgent()
            elif await self.pace.tick(self._plan):
                await self._preview()
        await self._urgent()
        await self._request("settings")
        self.final_late_s = self.platform.clock.steady_s() - self._end_at
        self.pace.leave()

    def _plan(self) -> tuple[str, ...]:
        self._planned = self._methods(len(self.frames))
        return self._planned

    async def _preview(self) -> None:
        if not self._planned:
            self.pace.count_tick()
        for method in self._planned:
            if self._end_at is None and not self._pressed:
                await self._request(method)
        self.pace.release()
        self.frames.append(self.platform.clock.steady_s())

    async def _urgent(self) -> None:
        for method in self._plan():
            await self._request(method)
        self.frames.append(self.platform.clock.steady_s())

    async def _request(self, method: str) -> None:
        while True:
            await self.pace.acquire(method)
            try:
                await self.platform.request(method)
            except RateLimited as error:
                self.pace.refused(method, error)
            else:
                self.pace.settled(method)
                return

    @property
    def gaps(self) -> list[float]:
        return [b - a for a, b in pairwise(self.frames)]

    def standstill_s(self, now_s: float) -> float:
        """The longest time without a frame so far: it always has something new."""
        return max(b - a for a, b in pairwise([self._opened_s, *self.frames, now_s]))
