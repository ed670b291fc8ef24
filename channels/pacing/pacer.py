"""The write budget of one account: the face of this package."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from channels.capabilities import Capabilities
from channels.clock import Clock
from channels.errors import QuotaUsedUp, RateLimited
from channels.pacing.account import Account
from channels.pacing.alarm import Alarm
from channels.pacing.card import CardPace
from channels.pacing.chats import Chats
from channels.pacing.knowledge import Knowledge, Known, Overheard
from channels.pacing.queue import Ticket
from channels.pacing.statistics import MethodStatistics, PacerStatistics, WriteLog

_WAY_S = 0.25
"""How long a request that belongs to no card may be on its way: nobody tells us of its answer."""


class Pacer:
    """The write budget of one account, shared by its live cards. Lives on one event loop.

    Example: `pace = pacer.join()`, then for each preview `await pace.tick(plan)`, for each of its requests
    `await pace.acquire("content")`, and `pace.release()`; at the end `pace.leave()`.
    """

    def __init__(self, capabilities: Capabilities, clock: Clock, *, target_s: float = 0.2) -> None:
        self.capabilities = capabilities
        self.clock = clock
        self.target_s = target_s
        self.log = WriteLog()
        """Filled by the card streams of this account."""
        self._account = Account(capabilities, clock, target_s)
        self._chats = Chats(capabilities, clock)
        self._joins_refused = 0
        self._share = self._coming = 1.0

    @property
    def alarm(self) -> Alarm:
        """Give the account's timers, for the streams of its cards."""
        return self._account.alarm

    @property
    def share(self) -> float:
        """Give the part of the account's limits that is ours: 1 unless other processes use the account as well."""
        return self._share

    def take_share(self, share: float, *, coming: float | None = None) -> None:
        """Use only this part (0..1) of the account's limits from now on; with 0 nothing is sent for the time being.

        `coming` is what it will be before long: for so many live cards there is room.
        """
        self._coming = share if coming is None else coming
        if share != self._share:
            self._share = share
            self._account.take_share(share)

    @property
    def live(self) -> int:
        """Give how many live cards there are."""
        return self._account.live

    @property
    def used(self) -> float:
        """Give the part of the account's limits a minute that our requests take up now; what is sent counts so long."""
        return self._account.used(self.clock.steady_s())

    @property
    def knowledge(self) -> Knowledge:
        """Give what was found out here and other processes should know."""
        return self._account.knowledge

    def learn(self, facts: Iterable[Known], *, part: float = 1.0, said: Sequence[Overheard] = ()) -> None:
        """Take in what all processes know, and what the others said of streaming that nobody has found to count.

        `part` (0..1) of such streaming is for this process.
        """
        self._account.learn(facts, part, said)

    def join(self) -> CardPace | None:
        """Reserve room for one more live card; `None` when there is none: the card must open without previews.

        There is room while every counted method with a limit per minute can keep one write back for each live card.
        """
        now_s, account = self.clock.steady_s(), self._account
        for method, budget in account.budgets.items():
            counted = budget.minute is not None and account.exemption.counts(method, now_s)
            if counted and budget.minute is not None and account.live + 1 > budget.minute.full * self._coming:
                self._joins_refused += 1
                return None
        account.live += 1
        return CardPace(account)

    async def acquire(self, method: str, *, urgent: bool = True) -> None:
        """Wait for room for a request that belongs to no live card."""
        ticket = Ticket((method,), urgent)
        if not self._account.take_now(ticket):
            await self._account.wait(ticket)
        now_s = self.clock.steady_s()
        self._account.use(method, now_s, urgent=urgent)
        self._account.answered(method, now_s + _WAY_S, now_s, accepted=False)
        self._account.probed(ticket.probes)

    async def turn(self, method: str, chat: str) -> None:
        """Wait until one more request may leave for `chat` (`MethodLimit.per_chat_s`); to be asked after `acquire`."""
        await self._chats.turn(method, chat)

    def refused(self, method: str, error: RateLimited) -> None:
        """Take note of a refusal: wait as told, then go on slower, and recover step by step.

        Only a refusal with scope `"app"` slows the account; a card's own limit is for `CardPace.refused`.
        """
        if error.scope == "app":
            self._account.refused(method, error)

    def used_up(self, error: QuotaUsedUp) -> None:
        """Take note that the account has nothing left until a known time: no previews until then."""
        self._account.spending.stop(error.until_ms)
        self.knowledge.on_news()

    def statistics(self) -> PacerStatistics:
        """Give what this account wrote, waited for and was refused, since the start."""
        now_s, account, log = self.clock.steady_s(), self._account, self.log
        return PacerStatistics(
            live_cards=account.live,
            previews_of_month=account.spending.spent,
            mode=account.exemption.mode(now_s),
            switches=account.exemption.switches,
            waiting_urgent=account.queue.urgent,
            waiting_previews=account.queue.previews,
            joins_refused=self._joins_refused,
            methods={name: self._method(name, now_s) for name in account.budgets},
            wanted=log.wanted,
            written=log.written,
            merged=log.merged,
            refused=log.refused,
            throttled=log.throttled,
            gap=log.gap.spread(),
            hidden=log.hidden.spread(),
            stale=log.stale.spread(),
        )

    def _method(self, name: str, now_s: float) -> MethodStatistics:
        budget = self._account.budgets[name]
        return MethodStatistics(
            granted=budget.granted,
            promised=budget.promised,
            refused=budget.refused,
            in_second=budget.second.count(now_s) if budget.second else 0,
            in_minute=budget.minute.count(now_s) if budget.minute else 0,
            factor=budget.factor(now_s),
            preview_gap_s=self._account.preview_gap_s(budget, now_s),
        )
