"""The budget of one API method: sliding windows, the reserve, and how hard we dare to use it."""

from __future__ import annotations

import math

from channels.capabilities import MethodLimit
from channels.pacing.elsewhere import Elsewhere
from channels.pacing.window import Window

_SECOND_MARGIN_S = 0.02
_MINUTE_MARGIN_S = 0.1
_BACK_OFF = 0.5
_SLOWEST = 0.1
_RECOVERY_PER_S = 0.02
_UNPROVEN_PACE = 1.005
_TOGETHER_PACE = 1.1
"""Where others use the limit as well: what they want less than their part, or rushed, would keep all below it."""
_LAST_STRETCH = 0.975
_LAST_STRETCH_PACE = 1.5
_LAST_STRETCH_S = 2.0
_CATCH_UP_S = 0.5
_WANTED_MARGIN = 1.05
_RUSH_S = 2.0
_ROUNDING_S = 1e-5


class MethodBudget:
    """One method of one account. `live` is always the number of live cards."""

    def __init__(self, method: str, limit: MethodLimit) -> None:
        self.method = method
        self.second = Window(1.0, limit.per_s, margin_s=_SECOND_MARGIN_S) if limit.per_s else None
        self.minute = Window(60.0, limit.per_minute, margin_s=_MINUTE_MARGIN_S) if limit.per_minute else None
        self.windows = [window for window in (self.second, self.minute) if window is not None]
        self.granted = 0
        self.refused = 0
        self.promised = 0
        """Granted to a ticket, not yet sent."""
        self.unanswered = 0
        """Sent, and perhaps not yet counted by the platform."""
        self._urgent = Window(60.0, math.inf, margin_s=_MINUTE_MARGIN_S)
        self._rushed = Window(60.0, math.inf, margin_s=_MINUTE_MARGIN_S)
        self._next_preview_s = 0.0
        self.blocked_until_s = 0.0
        """The platform told us to wait until then."""
        self._factor = 1.0
        self._factor_at_s = 0.0
        self.elsewhere = Elsewhere()
        """What other processes use of it, while nobody knows whether it counts."""

    @property
    def on_the_way(self) -> int:
        """Give how many requests were granted and have no answer yet."""
        return self.promised + self.unanswered

    def take_share(self, share: float) -> None:
        """Use only this part of the limits from now on."""
        for window in self.windows:
            window.take_share(share)

    def used(self, now_s: float) -> float:
        """Give the part of the whole limit a minute that is used up now, requests on the way included."""
        return 0.0 if self.minute is None else (self.minute.count(now_s) + self.on_the_way) / self.minute.full

    def factor(self, now_s: float) -> float:
        """Give how much of the budget previews use: 1 normally, less for a while after refusals."""
        if self._factor >= 1.0:
            return 1.0
        return min(1.0, self._factor + max(0.0, now_s - self._factor_at_s) * _RECOVERY_PER_S)

    def preview_rate(self, now_s: float, live: int) -> float:
        """Give the previews a second all live cards together may send; infinite without limits."""
        rate = math.inf
        if self.second is not None:
            rate = (self.second.limit - _second_reserve(self.second, live)) / self.second.seconds
        if self.minute is not None:
            rate = min(rate, (self.minute.limit - live - self._urgent.count(now_s)) / self.minute.seconds)
        return max(0.0, rate) * self.factor(now_s)

    def preview_at(self, now_s: float, live: int) -> float:
        """Give when the next preview may go."""
        at = max(now_s, self.blocked_until_s, self._next_preview_s)
        if self.second is not None:
            allowed = self.second.limit - _second_reserve(self.second, live) - self.on_the_way
            at = max(at, self.second.free_at(now_s, allowed))
        if self.minute is not None:
            at = max(at, self.minute.free_at(now_s, self.minute.limit - live - self.on_the_way))
        return at

    def urgent_at(self, now_s: float) -> float:
        """Give when the next urgent request may go: the reserve is theirs."""
        at = max(now_s, self.blocked_until_s)
        for window in self.windows:
            at = max(at, window.free_at(now_s, window.limit - self.on_the_way))
        return at

    def promise(self, now_s: float, live: int) -> None:
        """Give one preview to a ticket and move the time of the next one."""
        self.promised += 1
        rate = self.preview_rate(now_s, live)
        step_s = 1.0 / rate if rate > 0 else 1.0
        self._step(now_s, step_s, catch_up_s=step_s)

    def use(self, now_s: float, *, urgent: bool) -> None:
        """Turn a promise into a request that leaves now; call `answered` when it has its answer."""
        self.promised -= 1
        self.granted += 1
        self.unanswered += 1
        if urgent:
            self._urgent.add(now_s, now_s)

    def answered(self, now_s: float, sent_s: float) -> None:
        """Note that the request sent at `sent_s` has its answer, or never will have."""
        self.unanswered -= 1
        for window in self.windows:
            window.add(now_s, sent_s)

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

    # While nobody knows whether the platform counts. The whole limit is meant here, and what other processes use of it
    # counts as well: to take more than a part proves nothing, and where it does not count there is nothing to share.

    def crosses(self, now_s: float) -> bool:
        """Tell whether one more request would be over a limit that the platform may or may not count."""
        return any(
            not window.proven_free and self._in_all(window, now_s) + self.on_the_way >= self._edge(window)
            for window in self.windows
        )

    def prove(self, now_s: float) -> bool:
        """Note that the platform took a request: a window that must be over its limit now is not counted there.

        True where that is found out now.
        """
        found = False
        for window in self.windows:
            surely = self.elsewhere.surely(now_s) if window is self.minute else 0
            if not window.proven_free and window.surely_over(now_s, elsewhere=surely):
                window.proven_free = found = True
        return found

    def _in_all(self, window: Window, now_s: float) -> int:
        """Give how many requests a window holds with those of others, whom we know by the minute."""
        others = self.elsewhere.streamed(now_s) if window is self.minute else 0
        return window.count(now_s) + others

    def _edge(self, window: Window) -> float:
        """Give where a request may be over the limit; of what others use each second we know only what is theirs.

        Where a minute does not count a second hardly does: to find that out one process must go over all of it.
        """
        is_part = window is self.second and self.minute is not None and not self.minute.proven_free
        return max(1.0, window.full * self.elsewhere.part) if is_part else window.full

    def unproven_at(self, now_s: float, waiting_per_s: float) -> float:
        """Give when a preview may go; `waiting_per_s` is the rate of the previews that wait now, if nothing held them.

        If a limit a minute turned out to count after it was used up in a few seconds, nothing could be sent for the
        rest of the minute, not even a last word. So it is approached evenly and crossed just before its oldest
        requests leave it. Where so much is wanted that the limit a second would tell first, previews rush for it.
        """
        if self.minute is None or self.minute.proven_free:
            return now_s
        at_s = max(now_s, self._next_preview_s)
        if self.minute.count(now_s) and self._in_all(self.minute, now_s) >= self.minute.full * _LAST_STRETCH:
            at_s = max(at_s, self.minute.oldest_leaves_s - _LAST_STRETCH_S)
        if at_s <= now_s or self.second is None:
            return at_s
        if self.second.proven_free:
            return now_s
        wanted = self.second.count(now_s) + self.unanswered + waiting_per_s
        is_wanted = wanted > self._edge(self.second) * _WANTED_MARGIN
        may_rush = is_wanted and self._rushed.count(now_s) < self.second.full * _RUSH_S * self.elsewhere.part
        return now_s if may_rush else at_s

    def promise_unproven(self, now_s: float) -> None:
        """Give a preview to a ticket while nobody knows whether it counts."""
        self.promised += 1
        if self.minute is None or self.minute.proven_free:
            return
        if now_s < self._next_preview_s - _ROUNDING_S:
            self._rushed.add(now_s, now_s)
            return
        is_last_stretch = self._in_all(self.minute, now_s) >= self.minute.full * _LAST_STRETCH
        pace = _UNPROVEN_PACE if self.elsewhere.part >= 1.0 else _TOGETHER_PACE
        pace = _LAST_STRETCH_PACE if is_last_stretch else pace
        evenly = max(
            1.0, self.minute.full * self.elsewhere.part - self._urgent.count(now_s) - self._rushed.count(now_s)
        )
        self._step(now_s, self.minute.seconds / (evenly * pace), catch_up_s=_CATCH_UP_S)

    def doubt(self) -> None:
        """Forget all proofs."""
        for window in self.windows:
            window.proven_free = False

    def _step(self, now_s: float, step_s: float, *, catch_up_s: float) -> None:
        self._next_preview_s = max(self._next_preview_s, now_s - catch_up_s) + step_s


def _second_reserve(window: Window, live: int) -> float:
    """In a window of a second waiting is cheap: never keep back more than half."""
    return min(float(live), window.limit / 2)
