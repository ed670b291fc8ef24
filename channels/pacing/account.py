"""What all cards of an account share: budgets, the queue in front of them, and the exemption of streaming."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence

from channels.capabilities import Capabilities
from channels.clock import Clock
from channels.errors import RateLimited
from channels.pacing.alarm import Alarm, AlarmHandle
from channels.pacing.allowance import Spending
from channels.pacing.budget import MethodBudget
from channels.pacing.exemption import Exemption
from channels.pacing.knowledge import Knowledge, Known, Overheard
from channels.pacing.queue import Queue, Ticket

logger = logging.getLogger(__name__)

_NOTHING_KEPT: set[str] = set()
_NOW_S = 1e-6


class Account:
    """Takes tickets and grants them in a fair order. For `Pacer` and `CardPace` only.

    A granted ticket has one request of each of its methods promised. Nobody waits for the account while it holds a
    promise: who needs other methods than it was promised gives all back and asks for the whole set.
    """

    def __init__(self, capabilities: Capabilities, clock: Clock, target_s: float) -> None:
        self.capabilities = capabilities
        self.clock = clock
        self.interval_s = max(target_s, capabilities.card_floor_s)
        self.alarm = Alarm(clock)
        self.spending = Spending(capabilities.previews, clock, self.interval_s)
        self.live = 0
        self.budgets = {name: MethodBudget(name, limit) for name, limit in capabilities.methods.items()}
        self.exemption = Exemption(capabilities)
        self.knowledge = Knowledge(clock, self.exemption, self.spending, self.budgets)
        self.queue = Queue()
        self._look: AlarmHandle | None = None
        self._unlisted: set[str] = set()

    def take_share(self, share: float) -> None:
        """Use only this part of all limits from now on."""
        for budget in self.budgets.values():
            budget.take_share(share)
        self.serve()

    def learn(self, facts: Iterable[Known], part: float, said: Sequence[Overheard]) -> None:
        """Take in what others know and do."""
        self.knowledge.learn(facts)
        self.knowledge.overhear(part, said)
        self.serve()

    def used(self, now_s: float) -> float:
        """Give the part of the limits a minute that is used up, of the method that used most."""
        counted = (each for each in self.budgets.values() if self.exemption.counts(each.method, now_s))
        return max((each.used(now_s) for each in counted), default=0.0)

    def take_now(self, ticket: Ticket) -> bool:
        """Grant a ticket if nobody waits and there is room for it; else `wait`."""
        if len(self.queue):
            return False
        now_s = self.clock.steady_s()
        if ticket.plan is not None:
            ticket.methods = ticket.plan()
        if self._ready_at(ticket, _NOTHING_KEPT, now_s) > now_s + _NOW_S:
            return False
        self._grant(ticket, now_s)
        return True

    async def wait(self, ticket: Ticket) -> bool:
        """Wait until every method of the ticket is promised: `use` or `refund` each. False when it was given up.

        Raises:
            Exception: whatever the ticket's plan raised.
        """
        self.queue.add(ticket)
        self.serve()
        try:
            return await ticket.ready
        except BaseException:
            self.queue.remove(ticket)
            if ticket.ready.done() and not ticket.ready.cancelled() and ticket.ready.exception() is None:
                self.refund(ticket.methods if ticket.ready.result() else ())
                self.probed(ticket.probes)
            raise

    def give_up(self, ticket: Ticket) -> None:
        """End the waiting of a preview: its card has something more urgent."""
        if not ticket.ready.done():
            self.queue.remove(ticket)
            ticket.ready.set_result(False)
            self.serve()

    def use(self, method: str, now_s: float, *, urgent: bool) -> None:
        """Turn a promise into a request that leaves now."""
        budget = self.budgets.get(method)
        if budget is None:
            self._tell_unlisted(method)
        else:
            budget.use(now_s, urgent=urgent)

    def _tell_unlisted(self, method: str) -> None:
        """Say once that nothing paces this method: a name is wrong, or missing in `Capabilities.methods`."""
        if method not in self._unlisted:
            self._unlisted.add(method)
            logger.warning("pacing_method_unlisted", extra={"method": method})

    def refund(self, methods: Iterable[str]) -> None:
        """Take promises back that were not used."""
        for method in methods:
            budget = self.budgets.get(method)
            if budget is not None:
                budget.refund()
        self.serve()

    def refused(self, method: str, error: RateLimited) -> bool:
        """Slow the method down for everybody, or find that streaming counts after all; false if it has no budget."""
        budget = self.budgets.get(method)
        if budget is None:
            return False
        now_s = self.clock.steady_s()
        if self.exemption.refused(list(self.budgets.values()), method, now_s):
            self.knowledge.refused()
            budget.wait(now_s, error.retry_after_s)
        else:
            budget.refuse(now_s, error.retry_after_s)
        self.serve()
        return True

    def probed(self, methods: set[str]) -> None:
        """Note that requests over the limit have their answer, or were not sent after all."""
        if methods:
            self.exemption.probing -= methods
            self.serve()

    def answered(self, method: str, now_s: float, sent_s: float, *, accepted: bool) -> None:
        """Note that a request has its answer, or never will have."""
        budget = self.budgets.get(method)
        if budget is not None:
            budget.answered(now_s, sent_s)
            if self.exemption.unknown:
                if accepted and budget.prove(now_s):
                    self.knowledge.on_news()
                self.serve()

    def preview_gap_s(self, budget: MethodBudget, now_s: float) -> float:
        """Give the time between two previews of one card if all live cards had something to show."""
        if not self.exemption.counts(budget.method, now_s):
            return self.interval_s / budget.factor(now_s)
        rate = budget.preview_rate(now_s, self.live)
        return max(self.interval_s, self.live / rate if rate > 0 else math.inf)

    def serve(self) -> None:
        """Grant what may go now and set the alarm for the rest."""
        if not len(self.queue):
            return
        now_s = self.clock.steady_s()
        look_again_s = self.queue.serve(
            lambda ticket, kept: self._admit(ticket, kept, now_s), lambda ticket: self._is_blocked(ticket, now_s)
        )
        if self._look is not None and self._look.ring is not None:
            if self._look.when_s <= look_again_s:
                return
            self._look.cancel()
        self._look = self.alarm.at(look_again_s, self._look_again) if look_again_s < math.inf else None

    def _look_again(self) -> None:
        self._look = None
        self.serve()

    def _admit(self, ticket: Ticket, kept: set[str], now_s: float) -> float:
        """Grant the ticket if it may go; else give when it may."""
        at_s = self._ready_at(ticket, kept, now_s)
        if at_s <= now_s + _NOW_S and ticket.plan is not None:
            try:
                ticket.methods = ticket.plan()
            except Exception as error:
                if not ticket.ready.done():
                    ticket.ready.set_exception(error)
                return at_s
            at_s = self._ready_at(ticket, kept, now_s)
        if at_s <= now_s + _NOW_S and not ticket.ready.done():
            self._grant(ticket, now_s)
            ticket.ready.set_result(True)
        return at_s

    def _is_blocked(self, ticket: Ticket, now_s: float) -> bool:
        """Tell whether the ticket waits because the platform said so: others need not wait behind it for that."""
        budgets = (self.budgets.get(method) for method in ticket.methods)
        return any(budget is not None and budget.blocked_until_s > now_s for budget in budgets)

    def _ready_at(self, ticket: Ticket, kept: set[str], now_s: float) -> float:
        if not kept.isdisjoint(ticket.methods):
            return math.inf
        at_s = now_s
        for method in ticket.methods:
            budget = self.budgets.get(method)
            if budget is not None:
                at_s = max(at_s, self._budget_at(budget, now_s, urgent=ticket.urgent))
        return at_s

    def _budget_at(self, budget: MethodBudget, now_s: float, *, urgent: bool) -> float:
        if self.exemption.counts(budget.method, now_s):
            return budget.urgent_at(now_s) if urgent else budget.preview_at(now_s, self.live)
        if not self.exemption.unknown:
            return budget.blocked_until_s
        if budget.crosses(now_s) and (self.exemption.probing or (budget.on_the_way and not urgent)):
            # What is sent beside a probe could be refused in its place, and then the next probe as well.
            return math.inf
        if urgent:
            return budget.blocked_until_s
        return max(budget.blocked_until_s, budget.unproven_at(now_s, self.queue.previews / self.interval_s))

    def _grant(self, ticket: Ticket, now_s: float) -> None:
        for method in ticket.methods:
            budget = self.budgets.get(method)
            if budget is not None:
                self._promise(budget, ticket, now_s)

    def _promise(self, budget: MethodBudget, ticket: Ticket, now_s: float) -> None:
        counts = self.exemption.counts(budget.method, now_s)
        if not counts and self.exemption.unknown and budget.crosses(now_s):
            self.exemption.probing.add(budget.method)
            ticket.probes.add(budget.method)
        if ticket.urgent:
            budget.promised += 1
        elif counts:
            budget.promise(now_s, self.live)
        elif self.exemption.unknown:
            budget.promise_unproven(now_s)
        else:
            budget.promised += 1
