"""One live card's part of the account's budget."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from channels.errors import RateLimited
from channels.pacing.account import Account
from channels.pacing.budget import Window
from channels.pacing.queue import Ticket

_CARD_WINDOW_S = 1.02
_FORGET_AFTER_TICKS = 8
_SLOWEST = 8.0
_SHORTEST_WAIT_S = 0.1
_RECOVERY = 0.05


class CardPace:
    """One live card's part of the account's budget. Used by one writer."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._writes = Window(_CARD_WINDOW_S, account.capabilities.card_writes_per_s)
        self._last_tick_s = float("-inf")
        self._blocked_until_s = float("-inf")
        self._stretch = 1.0
        self._promised: list[str] = []
        self._used: dict[str, int] = {}
        """Methods of this card's previews, with the ticks since."""
        self._probes: set[str] = set()
        self._left = False
        self._hurried = False
        self._hurry: Callable[[], None] | None = None
        self.throttled = False
        """Whether the last tick waited for the account's budget."""

    async def tick(self) -> None:
        """Wait until this card's next preview is due.

        That is `max(target, card floor, share of the account's budget)` after the last. The requests of the card's
        usual methods are then promised, so that planning happens after the waiting, with the newest snapshot.
        """
        self._give_back()
        self._hurried = False
        methods = self._usual_methods()
        await self._until(self._due_at(len(methods)))
        now_s = self._account.clock.steady_s()
        if methods and not self._hurried:
            await self._take(Ticket(methods, urgent=False))
            self._promised.extend(methods)
        self._last_tick_s = self._account.clock.steady_s()
        self.throttled = self._last_tick_s > now_s + 0.01

    async def space(self) -> None:
        """Wait only for this card's own distance to its last frame; for an urgent frame, before it is planned."""
        await self._until(self._last_tick_s + self._account.interval_s)

    async def acquire(self, method: str, *, urgent: bool) -> None:
        """Wait for room for one request, in the card's own window and in the account's; urgent ones go first.

        Call `settled` or `refused` when the request has its answer, or when it was not sent after all.
        """
        clock = self._account.clock
        self._hurried = False
        while (at_s := self._card_free_at(clock.steady_s())) > clock.steady_s() + 1e-6:
            await self._until(at_s)
        if method in self._promised:
            self._promised.remove(method)
        else:
            await self._take(Ticket((method,), urgent or self._hurried))
        self._account.use(method, urgent=urgent)
        self._writes.add(clock.steady_s())
        if urgent:
            self._last_tick_s = clock.steady_s()
        self._used[method] = 0

    def hurry(self) -> None:
        """End the waiting of a preview now: the card has something urgent to show."""
        if self._hurry is not None:
            self._hurried = True
            self._hurry()

    def settled(self, method: str, *, accepted: bool = True) -> None:
        """Note that a request has its answer, or never will have."""
        if accepted:
            self._account.accepted(method)
        self._end_probes({method})
        if accepted:
            self._stretch = max(1.0, self._stretch - _RECOVERY)

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
        self._give_back()
        self._end_probes(self._probes)
        self._account.live -= 1
        self._account.serve()

    def _due_at(self, requests: int) -> float:
        now_s = self._account.clock.steady_s()
        room_at_s = self._writes.free_at(now_s, self._writes.limit - max(0, requests - 1))
        return max(self._last_tick_s + self._interval_s(), self._blocked_until_s, room_at_s)

    def _interval_s(self) -> float:
        slowest = 1.0
        now_s = self._account.clock.steady_s()
        for method in self._used:
            budget = self._account.budgets.get(method)
            if budget is not None and not self._account.exemption.counts(method, now_s):
                slowest = max(slowest, 1.0 / budget.factor(now_s))
        return self._account.interval_s * max(self._stretch, slowest)

    def _usual_methods(self) -> tuple[str, ...]:
        self._used = {method: ticks + 1 for method, ticks in self._used.items() if ticks < _FORGET_AFTER_TICKS}
        return tuple(method for method in self._used if method in self._account.budgets)

    def _card_free_at(self, now_s: float) -> float:
        return max(self._blocked_until_s, self._writes.free_at(now_s, self._writes.limit))

    def _give_back(self) -> None:
        if self._promised:
            self._account.refund(tuple(self._promised))
            self._end_probes(set(self._promised))
            self._promised.clear()

    def _end_probes(self, methods: set[str]) -> None:
        ended = self._probes & methods
        self._probes = self._probes - ended
        self._account.probed(ended)

    async def _take(self, ticket: Ticket) -> None:
        self._hurry = lambda: self._account.hurry(ticket)
        try:
            await self._account.take(ticket)
        finally:
            self._hurry = None
            self._probes |= ticket.probes

    async def _until(self, when_s: float) -> None:
        if when_s <= self._account.clock.steady_s() + 1e-6:
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def ring() -> None:
            if not woken.done():
                woken.set_result(None)

        handle = self._account.alarm.at(when_s, ring)
        self._hurry = ring
        try:
            await woken
        finally:
            self._hurry = None
            handle.cancel()
