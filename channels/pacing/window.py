"""Counts the requests of the last seconds, as the platform may have counted them at most."""

from __future__ import annotations

import math
from collections import deque

_ROUNDING_S = 1e-9
_SURELY = 0.998


class Window:
    """A sliding window. Times are steady seconds.

    Nobody knows when a request arrived: not before it was sent, not after its answer. So it is counted from its answer
    on, however long its way was; those without an answer are for the caller to add.
    """

    def __init__(self, seconds: float, limit: float, *, margin_s: float = 0.0) -> None:
        """The platform counts the requests of `seconds`; we count those of `margin_s` more."""
        self.seconds = seconds + margin_s
        self.full = limit
        """What the platform takes."""
        self.limit = limit
        """What we may use of it."""
        self.proven_free = False
        """The platform took more than the limit: it does not count this method here."""
        self._sure_s = seconds * _SURELY
        self._times: deque[tuple[float, float]] = deque()
        """When each was answered, and when it was sent."""

    def take_share(self, share: float) -> None:
        """Use only a part of what the platform takes; parts that are 1 together never come to more than it."""
        self.limit = self.full if share >= 1.0 else math.floor(self.full * share + _ROUNDING_S)

    def add(self, answered_s: float, sent_s: float) -> None:
        """Count one request."""
        self.count(answered_s)
        self._times.append((answered_s, sent_s))

    def count(self, now_s: float) -> int:
        """Give how many requests the window holds now."""
        times = self._times
        horizon = now_s - self.seconds + _ROUNDING_S
        while times and times[0][0] <= horizon:
            times.popleft()
        return len(times)

    def count_since(self, since_s: float) -> int:
        """Give how many of them were sent after a time, each of which the window must still hold."""
        return sum(sent_s > since_s for _, sent_s in self._times)

    @property
    def oldest_leaves_s(self) -> float:
        """Give when the oldest request leaves the window; it must hold one."""
        return self._times[0][0] + self.seconds

    def surely_over(self, answered_s: float, *, elsewhere: int = 0) -> bool:
        """Tell whether the platform, which has just answered, must have counted more than the limit.

        All of them reached it between our sending the first and now, and so many by other processes besides.
        """
        needed = max(1, math.floor(self.full) + 1 - elsewhere)
        if self.count(answered_s) < needed:
            return False
        return self._times[-needed][1] > answered_s - self._sure_s

    def free_at(self, now_s: float, allowed: float) -> float:
        """Give the time from which fewer than `allowed` requests are in the window."""
        count = self.count(now_s)
        if count < allowed and allowed >= 1:
            return now_s
        if allowed < 1 or not count:
            return now_s + self.seconds / 10
        return self._times[max(0, count - math.floor(allowed))][0] + self.seconds
