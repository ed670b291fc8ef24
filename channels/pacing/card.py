"""One live card's part of the account's budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from channels.errors import RateLimited
from channels.pacing.account import Account
from channels.pacing.queue import Plan, Ticket
from channels.pacing.window import Window

_CARD_MARGIN_S = 0.02
_SLOWEST = 8.0
_SHORTEST_WAIT_S = 0.1
_RECOVERY = 0.05
_THROTTLED_S = 0.01
_NOW_S = 1e-6
_LONGEST_SLEEP_S = 3600.0
"""A wait for a month, or for ever, looks again now and then."""
_URGENT_SHARE = 0.9
"""An urgent frame, the last one above all, may come closer than a preview: F15 grants a tenth of the distance."""


class CardPace:
    """One live card's part of the account's budget. Used by one writer.

    A preview waits with `tick`, which promises all of its requests, then `acquire`s each and ends with `release`. An
    urgent frame waits with `space` and `acquire`s its requests one by one, before everybody's previews.
    """

    def __init__(self, account: Account) -> None:
        self._account = account
        self._writes = Window(1.0, account.capabilities.card_writes_per_s, margin_s=_CARD_MARGIN_S)
        self._last_tick_s = float("-inf")
        self._blocked_until_s = float("-inf")
        self._stretch = 1.0
        self._methods: tuple[str, ...] = ()
        """Of the last preview."""
        self._promised: list[str] = []
        self._is_begun = True
        """Something of the last preview was sent: it counts as a tick."""
        self._sent: dict[str, float] = {}
        """When the requests left that have no answer yet, by method."""
        self._probes: set[str] = set()
        self._spent = 0
        """Previews written so far, in requests."""
        self._left = False
        self._hurry: Callable[[], object] | None = None
        self.throttled = False
        """Whether the last tick waited for the account's budget."""

    async def tick(self, plan: Plan) -> bool:
        """Wait until this card's next preview may go; false when `hurry` ended the waiting.

        That is `max(target, card floor, share of the account's budget)` after the last. `plan` gives the methods of
        the preview's requests, each once. It is called when the card is due and, where the account has no room, again
        each time it may have: so that the preview shows the newest snapshot. One request of each of the methods of its
        last answer is then promised. Without any, this was no tick.

        Raises:
            Exception: whatever `plan` raised.
        """
        clock = self._account.clock
        while (due_s := self._due_at()) > clock.steady_s() + _NOW_S:
            if not await self._until(due_s):
                return False
        now_s = asked_s = clock.steady_s()
        ticket = Ticket((), urgent=False, plan=plan)
        if not self._take_now(ticket):
            if not await self._wait(ticket):
                return False
            now_s = clock.steady_s()
        self.throttled = now_s > asked_s + _THROTTLED_S
        if ticket.methods:
            self._methods = ticket.methods
            self._promised.extend(ticket.methods)
            self._is_begun = False
        return True

    def count_tick(self) -> None:
        """Let the next tick be a whole interval away although nothing was sent."""
        self._last_tick_s = self._account.clock.steady_s()

    async def space(self) -> None:
        """Wait only for this card's own distance to its last frame; for an urgent frame, before it is planned."""
        await self._until(self._last_tick_s + self._account.interval_s * _URGENT_SHARE)

    async def acquire(self, method: str) -> None:
        """Wait for room for one request, in the card's own window and, unless promised, in the account's.

        One at a time: call `settled` or `refused` when the request has its answer, or when it was not sent after all.
        """
        if self._sent:
            self._settle_all()
        clock = self._account.clock
        while (at_s := self._card_free_at(now_s := clock.steady_s())) > now_s + _NOW_S:
            await self._until(at_s)
        is_urgent = method not in self._promised
        if is_urgent:
            ticket = Ticket((method,), urgent=True)
            if not self._take_now(ticket):
                await self._wait(ticket)
                now_s = clock.steady_s()
        else:
            self._promised.remove(method)
            self._spent += 1
            self._account.spending.spend()
        self._account.use(method, now_s, urgent=is_urgent)
        self._writes.add(now_s, now_s)
        self._sent[method] = now_s
        if is_urgent or not self._is_begun:
            self._last_tick_s = now_s
            self._is_begun = True

    def release(self) -> None:
        """End a preview: what was promised and is not used goes back to the account."""
        if self._promised:
            promised, self._promised = self._promised, []
            self._account.refund(promised)
            self._end_probes(promised)

    def hurry(self) -> None:
        """End the waiting of a preview now: the card has something urgent to show."""
        if self._hurry is not None:
            self._hurry()

    def settled(self, method: str, *, accepted: bool = True) -> None:
        """Note that a request has its answer, or never will have; safe to call twice."""
        sent_s = self._sent.pop(method, None)
        if sent_s is not None:
            now_s = self._account.clock.steady_s()
            self._account.answered(method, now_s, sent_s, accepted=accepted)
        if accepted and self._stretch > 1.0:
            self._stretch = max(1.0, self._stretch - _RECOVERY)
        self._end_probes((method,))

    def refused(self, method: str, error: RateLimited) -> None:
        """Take note of a refusal: the account's for scope `"app"`, else this card waits and goes on slower."""
        if error.scope != "app" or not self._account.refused(method, error):
            now_s = self._account.clock.steady_s()
            if now_s >= self._blocked_until_s:
                self._stretch = min(_SLOWEST, self._stretch * 2)
            self._blocked_until_s = max(self._blocked_until_s, now_s + max(error.retry_after_s, _SHORTEST_WAIT_S))
        self.settled(method, accepted=False)

    def pause(self, seconds: float) -> None:
        """Let this card wait once, without going on slower afterwards."""
        now_s = self._account.clock.steady_s()
        self._blocked_until_s = max(self._blocked_until_s, now_s + max(seconds, _SHORTEST_WAIT_S))

    def leave(self) -> None:
        """Give the part back; safe to call twice."""
        if self._left:
            return
        self._left = True
        self.release()
        self._settle_all()
        self._end_probes(tuple(self._probes))
        self._account.live -= 1
        self._account.serve()

    def _settle_all(self) -> None:
        for method in tuple(self._sent):
            self.settled(method, accepted=False)

    def _due_at(self) -> float:
        now_s = self._account.clock.steady_s()
        room_at_s = self._writes.free_at(now_s, self._writes.limit - max(0, len(self._methods) - 1))
        spending = self._account.spending
        gap_s = max(self._interval_s(now_s), spending.gap_s(self._spent))
        return max(self._last_tick_s + gap_s, self._blocked_until_s, room_at_s, spending.open_at_s())

    def _interval_s(self, now_s: float) -> float:
        account, slowest = self._account, self._stretch
        for method in self._methods:
            budget = account.budgets.get(method)
            if budget is not None and not account.exemption.counts(method, now_s):
                slowest = max(slowest, 1.0 / budget.factor(now_s))
        return account.interval_s * slowest

    def _card_free_at(self, now_s: float) -> float:
        return max(self._blocked_until_s, self._writes.free_at(now_s, self._writes.limit))

    def _end_probes(self, methods: tuple[str, ...] | list[str]) -> None:
        if self._probes:
            ended = self._probes.intersection(methods)
            self._probes -= ended
            self._account.probed(ended)

    def _take_now(self, ticket: Ticket) -> bool:
        is_taken = self._account.take_now(ticket)
        if ticket.probes:
            self._probes |= ticket.probes
        return is_taken

    async def _wait(self, ticket: Ticket) -> bool:
        if not ticket.urgent:
            self._hurry = lambda: self._account.give_up(ticket)
        try:
            return await self._account.wait(ticket)
        finally:
            self._hurry = None
            self._probes |= ticket.probes

    async def _until(self, when_s: float) -> bool:
        """Wait, at most for an hour; false when `hurry` ended it."""
        if when_s <= self._account.clock.steady_s() + _NOW_S:
            return True
        woken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        latest_s = min(when_s, self._account.clock.steady_s() + _LONGEST_SLEEP_S)
        handle = self._account.alarm.at(latest_s, lambda: woken.done() or woken.set_result(True))
        self._hurry = lambda: woken.done() or woken.set_result(False)
        try:
            return await woken
        finally:
            self._hurry = None
            handle.cancel()
