"""A pause after a stumble that grows with each stumble in a row and can be cut short."""

from __future__ import annotations

import asyncio

from channels.clock import Clock
from channels.pacing.alarm import Alarm

_FIRST_S = 0.2
_LONGEST_S = 5.0


class Nap:
    """Pauses of one writer: 0.2 s, 0.4 s, ... at most 5 s."""

    def __init__(self, alarm: Alarm, clock: Clock) -> None:
        self._alarm = alarm
        self._clock = clock
        self._next_s = _FIRST_S
        self._woken: asyncio.Future[None] | None = None

    async def longer(self) -> None:
        """Pause, longer than the last time."""
        pause_s, self._next_s = self._next_s, min(_LONGEST_S, self._next_s * 2)
        self._woken = asyncio.get_running_loop().create_future()
        handle = self._alarm.at(self._clock.steady_s() + pause_s, self.wake)
        try:
            await self._woken
        finally:
            handle.cancel()
            self._woken = None

    def wake(self) -> None:
        """End the pause now, if there is one."""
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    def reset(self) -> None:
        """All is well again: the next pause is short."""
        self._next_s = _FIRST_S
