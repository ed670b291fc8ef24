"""Rate limits as sliding windows on the simulator's clock."""

from __future__ import annotations

import math
from collections import defaultdict, deque

from channels.simulators.clock import MovableClock


class Limits:
    """Counts calls per key; a refused call is not counted."""

    def __init__(self, clock: MovableClock) -> None:
        self._clock = clock
        self._calls: defaultdict[tuple[str, ...], deque[float]] = defaultdict(deque)

    def take(self, key: tuple[str, ...], *windows: tuple[int, float]) -> tuple[int, int] | None:
        """Count one call if every window (calls, seconds) has room.

        Returns:
            None when it was counted, else the limit that was hit and the whole seconds until there is room.
        """
        now_s = self._clock.steady_s()
        calls = self._calls[key]
        longest_s = max(seconds for _, seconds in windows)
        while calls and calls[0] <= now_s - longest_s:
            calls.popleft()
        for limit, seconds in windows:
            if len(calls) >= limit and (oldest := calls[-limit]) > now_s - seconds:
                return limit, max(1, math.ceil(oldest + seconds - now_s))
        calls.append(now_s)
        return None
