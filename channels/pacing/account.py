"""What all cards of an account share: budgets, the queue in front of them, and the exemption of streaming."""

from __future__ import annotations

import math

from channels.capabilities import Capabilities
from channels.clock import Clock
from channels.errors import RateLimited
from channels.pacing.alarm import Alarm, AlarmHandle
from channels.pacing.budget import MethodBudget
from channels.pacing.exemption import Exemption
from channels.pacing.queue import Queue, Ticket


class Account:
    """Takes tickets and grants them in a fair order. For `Pacer` and `CardPace` only."""

    def __init__(self, capabilities: Capabilities, clock: Clock, target_s: float) -> None:
        self.capabilities = capabilities
        self.clock = clock
        self.interval_s = max(target_s, capabilities.card_floor_s)
        self.alarm = Alarm(clock)
        self.live = 0
        self.budgets = {name: MethodBudget(name, limit) for name, limit in capabilities.methods.items()}
        self.exemption = Exemption(capabilities)
        self.queue = Queue()
        self._look: AlarmHandle | None = None

    async def take(self, ticket: Ticket) -> None:
        """Wait until every method of the ticket has room; each is then promised to it: `use` or `refund` them."""
        self.queue.add(ticket)
        self.serve()
        if ticket.ready.done():
            return
        try:
            await ticket.ready
        except BaseException:
            self.queue.remove(ticket)
            if not ticket.ready.cancelled():
                self.refund(ticket.methods)
                self.probed(ticket.probes)
            raise

    def hurry(self, ticket: Ticket) -> None:
        """Move a waiting preview to the urgent ones."""
        self.queue.promote(ticket)
        self.serve()

    def use(self, method: str, *, urgent: bool) -> None:
        """Turn a promise into a request that leaves now."""
        budget = self.budgets.get(method)
        if budget is not None:
            budget.use(self.clock.steady_s(), urgent=urgent)

    def refund(self, methods: tuple[str, ...]) -> None:
        """Take promises back that were not used."""
        for method in methods:
            budget = self.budgets.get(method)
            if budget is not None:
                budget.refund()

    def refused(self, method: str, error: RateLimited) -> bool:
        """Slow the method down for everybody, or find that streaming counts after all; false if it has no budget."""
        budget = self.budgets.get(method)
        if budget is None:
            return False
        now_s = self.clock.steady_s()
        if self.exemption.refused(list(self.budgets.values()), method, now_s):
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

    def accepted(self, method: str) -> None:
        """Note that the platform took a request."""
        budget = self.budgets.get(method)
        if budget is not None and self.exemption.unknown:
            budget.prove(self.clock.steady_s())

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
        look_again_s = self.queue.serve(lambda ticket: self._ready_at(ticket, now_s), self._grant, now_s + 1e-6)
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if look_again_s < math.inf:
            self._look = self.alarm.at(look_again_s, self.serve)

    def _ready_at(self, ticket: Ticket, now_s: float) -> float:
        at_s = now_s
        for method in ticket.methods:
            budget = self.budgets.get(method)
            if budget is None:
                continue
            if not self.exemption.counts(method, now_s):
                at_s = max(at_s, budget.blocked_until_s)
                if method in self.exemption.probing and self.exemption.probes(budget, now_s):
                    return math.inf
                if self.exemption.unknown and not ticket.urgent:
                    at_s = max(at_s, budget.unproven_at(now_s, self.live / self.interval_s))
            elif ticket.urgent:
                at_s = max(at_s, budget.urgent_at(now_s))
            else:
                at_s = max(at_s, budget.preview_at(now_s, self.live))
        return at_s

    def _grant(self, ticket: Ticket) -> None:
        if ticket.ready.done():
            return
        now_s = self.clock.steady_s()
        for method in ticket.methods:
            budget = self.budgets.get(method)
            if budget is not None:
                self._promise(budget, ticket, now_s)
        ticket.ready.set_result(None)

    def _promise(self, budget: MethodBudget, ticket: Ticket, now_s: float) -> None:
        counts = self.exemption.counts(budget.method, now_s)
        if not counts and self.exemption.probes(budget, now_s):
            self.exemption.probing.add(budget.method)
            ticket.probes.add(budget.method)
        if ticket.urgent:
            budget.promised += 1
        elif counts or not self.exemption.unknown:
            budget.promise(now_s, self.live)
        else:
            budget.promise_unproven(now_s)
