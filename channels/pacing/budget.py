"""The budget of one API method: sliding windows, the reserve, and how hard we dare to use it."""

from __future__ import annotations

import math
from collections import deque

from channels.capabilities import MethodLimit

# The platform counts arrivals, we count departures: windows a little longer than its own absorb the jitter between.
_SECOND_S = 1.05
_MINUTE_S = 60.5
_BACK_OFF = 0.5
_SLOWEST = 0.1
_RECOVERY_PER_S = 0.02
_JITTER = 0.05
_UNPROVEN_PACE = 1.1


class Window:
    """Counts the requests of the last `seconds`."""

    def __init__(self, seconds: float, limit: float) -> None:
        self.seconds = seconds
        self.limit = limit
        self.proven_free = False
        """The platform took clearly more than the limit: it does not count this method here."""
        self._times: deque[float] = deque()

    def add(self, now_s: float) -> None:
        """Count one request."""
        self._times.append(now_s)

    def count(self, now_s: float) -> int:
        """Give how many requests the window holds now."""
        times = self._times
        horizon = now_s - self.seconds + 1e-9
        while times and times[0] <= horizon:
            times.popleft()
        return len(times)

    def surely_over(self, now_s: float) -> bool:
        """Tell whether the platform must have seen more than the limit in its window, whatever the jitter."""
        if self.count(now_s) <= self.limit:
            return False
        first_over = self._times[-math.floor(self.limit) - 1]
        return first_over > now_s - self.seconds * (1 - _JITTER)

    def free_at(self, now_s: float, allowed: float) -> float:
        """Give the time from which fewer than `allowed` requests are in the window."""
        count = self.count(now_s)
        if count < allowed and allowed >= 1:
            return now_s
        if allowed < 1 or not count:
            return now_s + self.seconds / 10
        return self._times[max(0, count - math.floor(allowed))] + self.seconds


class MethodBudget:
    """One method of one account. `live` is always the number of live cards."""

    def __init__(self, method: str, limit: MethodLimit) -> None:
        self.method = method
        self.second = Window(_SECOND_S, limit.per_s) if limit.per_s else None
        self.minute = Window(_MINUTE_S, limit.per_minute) if limit.per_minute else None
        self.granted = 0
        self.refused = 0
        self.promised = 0
        """Granted to a tick, not yet sent."""
        self._urgent = Window(_MINUTE_S, math.inf)
        self._next_preview_s = 0.0
        self.blocked_until_s = 0.0
        """The platform told us to wait until then."""
        self._factor = 1.0
        self._factor_at_s = 0.0

    @property
    def windows(self) -> list[Window]:
        """Give the windows this method has."""
        return [window for window in (self.second, self.minute) if window is not None]

    def factor(self, now_s: float) -> float:
        """Give how much of the budget previews use: 1 normally, less for a while after refusals."""
        return min(1.0, self._factor + max(0.0, now_s - self._factor_at_s) * _RECOVERY_PER_S)

    def preview_rate(self, now_s: float, live: int) -> float:
        """Give the previews a second all live cards together may send; infinite without limits."""
        rate = math.inf
        if self.second is not None:
            rate = (self.second.limit - _second_reserve(self.second, live)) / _SECOND_S
        if self.minute is not None:
            rate = min(rate, (self.minute.limit - live - self._urgent.count(now_s)) / _MINUTE_S)
        return max(0.0, rate) * self.factor(now_s)

    def preview_at(self, now_s: float, live: int) -> float:
        """Give when the next preview may go."""
        at = max(now_s, self.blocked_until_s, self._next_preview_s)
        if self.second is not None:
            allowed = self.second.limit - _second_reserve(self.second, live) - self.promised
            at = max(at, self.second.free_at(now_s, allowed))
        if self.minute is not None:
            at = max(at, self.minute.free_at(now_s, self.minute.limit - live - self.promised))
        return at

    def urgent_at(self, now_s: float) -> float:
        """Give when the next urgent request may go: the reserve is theirs."""
        at = max(now_s, self.blocked_until_s)
        for window in self.windows:
            at = max(at, window.free_at(now_s, window.limit - self.promised))
        return at

    def promise(self, now_s: float, live: int) -> None:
        """Give one preview to a tick and move the time of the next one."""
        self.promised += 1
        rate = self.preview_rate(now_s, live)
        step_s = 1.0 / rate if rate > 0 else _SECOND_S
        self._step(now_s, step_s)

    def use(self, now_s: float, *, urgent: bool) -> None:
        """Turn a promise into a request that leaves now."""
        self.promised -= 1
        self.granted += 1
        for window in self.windows:
            window.add(now_s)
        if urgent:
            self._urgent.add(now_s)

    def refund(self) -> None:
        """Take a promise back that was not used."""
        self.promised -= 1

    def wait(self, now_s: float, retry_after_s: float) -> None:
        """Note a refusal: send nothing for as long as told."""
        self.refused += 1
        self.blocked_until_s = max(self.blocked_until_s, now_s + retry_after_s)

    def refuse(self, now_s: float, retry_after_s: float) -> None:
        """Note a refusal: wait as told, halve the pace once per burst of refusals, recover little by little."""
        if now_s >= self.blocked_until_s:
            self._factor = max(_SLOWEST, self.factor(now_s) * _BACK_OFF)
        self.wait(now_s, retry_after_s)
        self._factor_at_s = self.blocked_until_s

    def crosses(self, now_s: float) -> bool:
        """Tell whether one more request would be over a limit that the platform may or may not count."""
        return any(
            not window.proven_free and window.count(now_s) + self.promised >= window.limit for window in self.windows
        )

    def prove(self, now_s: float) -> None:
        """Note that the platform took a request: a window that must have been over its limit is not counted there."""
        for window in self.windows:
            window.proven_free = window.proven_free or window.surely_over(now_s)

    def unproven_at(self, now_s: float, wanted_rate: float) -> float:
        """Give when a preview may go while nobody knows whether it counts.

        If a limit a minute turned out to count after it was used up in a few seconds, nothing could be sent for the
        rest of the minute. So it is approached evenly, unless so much is wanted that the limit a second tells first.
        """
        second_tells = self.second is not None and (self.second.proven_free or wanted_rate > self.second.limit)
        if self.minute is None or self.minute.proven_free or second_tells:
            return now_s
        return max(now_s, self._next_preview_s)

    def promise_unproven(self, now_s: float) -> None:
        """Give a preview to a tick while nobody knows whether it counts."""
        self.promised += 1
        if self.minute is not None:
            self._step(now_s, _MINUTE_S / (self.minute.limit * _UNPROVEN_PACE))

    def _step(self, now_s: float, step_s: float) -> None:
        self._next_preview_s = max(self._next_preview_s, now_s - step_s) + step_s

    def doubt(self) -> None:
        """Forget all proofs."""
        for window in self.windows:
            window.proven_free = False


def _second_reserve(window: Window, live: int) -> float:
    """In a window of a second waiting is cheap: never keep back more than half."""
    return min(float(live), window.limit / 2)
