"""Cards that always have something to show, against a platform that counts; for pacing tests."""

from __future__ import annotations

import asyncio
import bisect
from dataclasses import dataclass, field

from channels.capabilities import Capabilities, MethodLimit
from channels.errors import RateLimited
from channels.pacing import Pacer
from gateway.clock import FakeClock


@dataclass
class Platform:
    """Takes requests, counts them in sliding windows, refuses what is over the limit."""

    clock: FakeClock
    limit: MethodLimit = field(default_factory=lambda: MethodLimit(50, 1000))
    counts: bool = True
    latency_s: float = 0.0
    taken: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    refusals: int = 0

    async def request(self, method: str) -> None:
        await self.clock.sleep(self.latency_s)
        times, now = self.taken.setdefault(method, []), self.clock.steady_s()
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
    methods = {name: MethodLimit(50, 1000) for name in ("content", "batch", "settings")}
    values: dict[str, object] = {
        "can_update_cards": True,
        "can_press_buttons": True,
        "app_limit": app_limit,
        "streaming_methods": frozenset(methods),
        "methods": methods,
    }
    return Capabilities(**{**values, **changes})  # type: ignore[arg-type]


class BusyCard:
    """Writes previews as often as allowed until it is told to end, then its last frame."""

    def __init__(self, pacer: Pacer, platform: Platform, requests: tuple[str, ...] = ("content", "batch")) -> None:
        self.pacer, self.platform, self.requests = pacer, platform, requests
        self.frames: list[float] = []
        self.final_late_s: float | None = None
        self._end_at: float | None = None
        pace = pacer.join()
        assert pace is not None
        self.pace = pace
        self.task = asyncio.create_task(self._run())

    def end(self) -> None:
        self._end_at = self.platform.clock.steady_s()
        self.pace.hurry()

    async def _run(self) -> None:
        await self._frame(urgent=True)
        while self._end_at is None:
            if await self.pace.tick(lambda: self.requests):
                await self._frame(urgent=False)
                self.pace.release()
        await self._frame(urgent=True)
        await self._request("settings")
        self.final_late_s = self.platform.clock.steady_s() - self._end_at
        self.pace.leave()

    async def _frame(self, *, urgent: bool) -> None:
        for method in self.requests:
            if self._end_at is not None and not urgent:
                return
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
        return [b - a for a, b in zip(self.frames, self.frames[1:], strict=False)]
