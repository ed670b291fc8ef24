"""How a month's allowance of previews is spent: an answer's first come quickly, later ones ever further apart."""

from __future__ import annotations

import math

from channels.capabilities import Allowance, month_end_ms
from channels.clock import Clock

_HALVINGS = 60
_LARGEST_RATIO = 1e3


class Spending:
    """What an account may still spend on previews. First and last words are never asked for here."""

    def __init__(self, allowance: Allowance | None, clock: Clock, interval_s: float) -> None:
        self._allowance = allowance or Allowance()
        self._clock = clock
        self._interval_s = interval_s
        self._ratio = _ratio(self._allowance, interval_s)
        self._month_ends_ms = month_end_ms(clock.now_ms())
        self.stopped_until_ms = 0
        """The platform said that nothing is left until then (UTC ms)."""
        self.spent_here = 0
        self._spent_elsewhere = 0

    @property
    def spent(self) -> int:
        """Give the previews of this month, with those of other and of earlier processes once they are known."""
        return self.spent_here + self._spent_elsewhere

    @property
    def month_ends_ms(self) -> int:
        """Give when what was spent is forgotten (UTC ms)."""
        self._turn_month()
        return self._month_ends_ms

    @property
    def is_of_months(self) -> bool:
        """Tell whether a month's previews are limited."""
        return self._allowance.per_month is not None

    def spend(self) -> None:
        """Count one preview."""
        self._turn_month()
        self.spent_here += 1

    def spent_elsewhere(self, count: int, month_ends_ms: int) -> None:
        """Take note of what others spent of the month that ends then."""
        if month_ends_ms == self.month_ends_ms:
            self._spent_elsewhere = count

    def stop(self, until_ms: int) -> None:
        """Write no previews until then: the platform said that nothing is left."""
        self.stopped_until_ms = max(self.stopped_until_ms, until_ms)

    def gap_s(self, of_answer: int) -> float:
        """Give the pause after so many previews of one answer; infinite when it has used up its part."""
        most = self._allowance.per_answer
        if most is None:
            return 0.0
        return math.inf if of_answer >= most else self._interval_s * self._ratio ** max(0, of_answer - 1)

    def open_at_s(self) -> float:
        """Give the steady time from which previews are possible at all."""
        self._turn_month()
        now_ms, until_ms = self._clock.now_ms(), self.stopped_until_ms
        if self._allowance.per_month is not None and self.spent >= self._allowance.per_month:
            until_ms = max(until_ms, self._month_ends_ms)
        return self._clock.steady_s() + (until_ms - now_ms) / 1000 if until_ms > now_ms else 0.0

    def _turn_month(self) -> None:
        now_ms = self._clock.now_ms()
        if now_ms >= self._month_ends_ms:
            self.spent_here = self._spent_elsewhere = 0
            self._month_ends_ms = month_end_ms(now_ms)


def _ratio(allowance: Allowance, interval_s: float) -> float:
    """Give how much longer each pause is than the one before, so that an answer's previews reach over `spread_s`."""
    count = (allowance.per_answer or 0) - 1
    if count < 1 or count * interval_s >= allowance.spread_s:
        return 1.0
    low, high = 1.0, _LARGEST_RATIO
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        reached_s = interval_s * (middle**count - 1) / (middle - 1) if middle > 1.0 else interval_s * count
        low, high = (middle, high) if reached_s < allowance.spread_s else (low, middle)
    return low
