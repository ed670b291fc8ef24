"""Counts the requests of the last seconds."""

from __future__ import annotations

import math
from collections import deque

_ROUNDING_S = 1e-9
_SURELY = 0.998


class Window:
    """A sliding window. Times are steady seconds and never go back."""

    def __init__(self, seconds: float, limit: float, *, margin_s: float = 0.0) -> None:
        """The platform counts the requests of `seconds`; we count those of `margin_s` more."""
        self.seconds = seconds + margin_s
        self.limit = limit
        self.proven_free = False
        """The platform took clearly more than the limit: it does not count this method here."""
        self._sure_s = seconds * _SURELY
        self._times: deque[float] = deque()

    def add(self, now_s: float) -> None:
        """Count one request."""
        self.count(now_s)
        self._times.append(now_s)

    def count(self, now_s: float) -> int:
        """Give how many requests the window holds now."""
        times = self._times
        horizon = now_s - self.seconds + _ROUNDING_S
        while times and times[0] <= horizon:
            times.popleft()
        return len(times)

    def surely_over(self, answered_s: float, unanswered: int) -> bool:
        """Tell whether the platform, which has just answered, must have counted more than the limit.

        All but the `unanswered` reached it between our sending the first of them and now, whatever the jitter.
        """
        needed = math.floor(self.limit) + 1 + unanswered
        if self.count(answered_s) < needed:
            return False
        return self._times[-needed] > answered_s - self._sure_s

    def free_at(self, now_s: float, allowed: float) -> float:
        """Give the time from which fewer than `allowed` requests are in the window."""
        count = self.count(now_s)
        if count < allowed and allowed >= 1:
            return now_s
        if allowed < 1 or not count:
            return now_s + self.seconds / 10
        return self._times[max(0, count - math.floor(allowed))] + self.seconds
