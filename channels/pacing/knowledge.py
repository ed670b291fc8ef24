"""What one process finds out about an account and all should know: other processes, and this one after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from channels.clock import Clock
from channels.pacing.allowance import Spending
from channels.pacing.budget import MethodBudget
from channels.pacing.elsewhere import SURE_S
from channels.pacing.exemption import Exemption

PREVIEWS, STOPPED, COUNTED, FREE = "previews", "stopped", "counted", "free"
_PROOF_MS = 300_000
"""A proof holds for one to two of these. That is shorter than streaming counts after a refusal: so a proof that ends
later than that was found after it."""


@dataclass(frozen=True, slots=True)
class Known:
    """Something that holds until a time (UTC ms); amounts of several processes add up."""

    name: str
    until_ms: int
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Overheard:
    """What another process said `age_s` ago: its `Knowledge.streamed`."""

    streamed: Mapping[str, Any]
    age_s: float


class Knowledge:
    """Of one account."""

    def __init__(
        self, clock: Clock, exemption: Exemption, spending: Spending, budgets: Mapping[str, MethodBudget]
    ) -> None:
        self._clock = clock
        self._exemption = exemption
        self._spending = spending
        self._budgets = [each for each in budgets.values() if each.method in exemption.streaming]
        self._all = list(budgets.values())
        self._counted_until_ms = 0
        self.on_news: Callable[[], None] = lambda: None
        """To be called when others should know at once."""

    def refused(self) -> None:
        """Note that the platform has refused streaming, which made it count."""
        self._counted_until_ms = self._clock.now_ms() + round(self._exemption.counting_for_s(self._now_s) * 1000)
        self.on_news()

    def facts(self) -> Sequence[Known]:
        """Give all that is known here; what was added to an amount is what this process added."""
        spending = self._spending
        found = [
            Known(STOPPED, spending.stopped_until_ms),
            Known(COUNTED, self._counted_until_ms),
            *(Known(name, self._proof_ends_ms()) for name in self._proofs()),
        ]
        now_ms, month_ends_ms = self._clock.now_ms(), spending.month_ends_ms
        if spending.is_of_months and spending.spent_here:
            found.append(Known(PREVIEWS, month_ends_ms, spending.spent_here))
        return [each for each in found if each.until_ms > now_ms]

    def learn(self, facts: Iterable[Known]) -> None:
        """Take in what all know; of amounts what others added."""
        for fact in sorted(facts, key=lambda each: each.name):  # "counted" before "free": see `_PROOF_MS`.
            kind, _, rest = fact.name.partition(":")
            if kind == PREVIEWS:
                self._spending.spent_elsewhere(fact.amount, fact.until_ms)
            elif kind == STOPPED:
                self._spending.stop(fact.until_ms)
            elif kind == COUNTED and fact.until_ms > self._counted_until_ms:
                self._counted_until_ms = fact.until_ms
                self._exemption.count_until(self._now_s + (fact.until_ms - self._clock.now_ms()) / 1000, self._all)
            elif kind == FREE and fact.until_ms > self._counted_until_ms and self._is_unknown:
                self._believe(rest)

    def streamed(self) -> dict[str, tuple[int, int]]:
        """Give the requests of streaming of the last minute, and those sent in the last 50 s, by method.

        None where it is known whether they count.
        """
        if not self._is_unknown:
            return {}
        counts = {budget.method: _counts(budget, self._now_s) for budget in self._budgets}
        return {method: count for method, count in counts.items() if count[0]}

    def overhear(self, part: float, said: Sequence[Overheard]) -> None:
        """Take in what other processes stream now; `part` of the limits is for this one."""
        oldest_s = self._now_s - max((each.age_s for each in said), default=0.0)
        for budget in self._budgets:
            theirs = [each.streamed.get(budget.method, (0, 0)) for each in said]
            budget.elsewhere.part = part
            budget.elsewhere.hear(sum(each[0] for each in theirs), sum(each[1] for each in theirs), oldest_s)

    @property
    def _now_s(self) -> float:
        return self._clock.steady_s()

    @property
    def _is_unknown(self) -> bool:
        return self._exemption.unknown and not self._exemption.counting_for_s(self._now_s)

    def _proof_ends_ms(self) -> int:
        return (self._clock.now_ms() // _PROOF_MS + 2) * _PROOF_MS

    def _proofs(self) -> list[str]:
        if not self._is_unknown:
            return []
        return [
            f"{FREE}:{budget.method}:{round(window.seconds)}"
            for budget in self._budgets
            for window in budget.windows
            if window.proven_free
        ]

    def _believe(self, proof: str) -> None:
        method, _, seconds = proof.rpartition(":")
        for budget in self._budgets:
            for window in budget.windows:
                if budget.method == method and str(round(window.seconds)) == seconds:
                    window.proven_free = True


def _counts(budget: MethodBudget, now_s: float) -> tuple[int, int]:
    """Give its requests of the last minute, and of those the ones that were sent in the last 50 s."""
    if budget.minute is None or budget.minute.proven_free:
        return 0, 0
    return budget.minute.count(now_s) + budget.on_the_way, budget.minute.count_since(now_s - SURE_S)
