"""The engine's `Surface` over all channels."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from channels.base import Channel
from channels.events import ConversationRef
from engine.events import RunEvent
from engine.messages import Address, RunId
from engine.ports import Delivered, JournalStep, Json, Opening, Outcome, Owed, Unchanged
from gateway.delivery.again import Again
from gateway.delivery.early import Early
from gateway.delivery.journal import CardJournal
from gateway.delivery.live import LiveCard
from gateway.delivery.place import Place
from gateway.delivery.signs import Signs
from gateway.presenter import Presenter, Style

logger = logging.getLogger(__name__)

SETTLE_S = 2.0
"""How long a card may take to show that its run rests, when the process is asked to stop."""
DELIVER_S = 30.0
"""How long one try of the deliveries queue may write; a card that is taken up again is written whole, page by page."""


class Delivery:
    """Finds the channel of each run by its address and keeps the run's card up to date.

    `channels` maps (channel, account) to the running adapters; `since_ms` is when this process began. Implements
    `engine.ports.Surface`.
    """

    def __init__(self, channels: Mapping[tuple[str, str], Channel], style: Style, *, since_ms: int = 0) -> None:
        self._channels = channels
        self._style = style
        self._live: dict[RunId, LiveCard] = {}
        self._early = Early()
        self._signs = Signs(since_ms)

    async def open(self, opening: Opening, journal: JournalStep) -> None:
        """See `Surface.open`."""
        live = self._make(opening, journal)
        if live is None:
            logger.error("no_channel", extra={"run": opening.run, "conversation": opening.to})
            self._early.refuse(opening.run)
            return
        self._live[opening.run] = live
        for event in self._early.take(opening.run):
            live.add(event)
        await live.open()
        self._signs.lift(live.place, opening)

    def show(self, event: RunEvent) -> None:
        """See `Surface.show`."""
        live = self._live.get(event.run)
        if live is None:
            self._early.keep(event)
            return
        try:
            live.add(event)
        except Exception:
            # An event nobody can draw must not stop the run that told it.
            logger.exception("event_not_shown", extra={"run": event.run, "code": event.type})
        self._signs.lift_taken_in(live.place, event)

    def state(self, run: RunId) -> Json | None:
        """See `Surface.state`."""
        live = self._live.get(run)
        return None if live is None else live.state()

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        """See `Surface.close`."""
        self._early.forget(run)
        live = self._live.pop(run, None)
        if live is None:
            return Owed(reason="no_channel")
        # Once more: a quick run may have begun before its sign was on.
        self._signs.lift(live.place, live.opening)
        return await live.close(within_s)

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        """See `Surface.suspend`."""
        self._early.forget(run)
        live = self._live.pop(run, None)
        if live is None:
            return Owed(reason="no_channel")
        live.presenter.pause(resumes=resumes)
        return await live.settle(SETTLE_S)

    def abandon(self, run: RunId) -> None:
        """See `Surface.abandon`."""
        self._early.forget(run)
        live = self._live.pop(run, None)
        if live is not None:
            live.abandon()

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed | Unchanged:
        """See `Surface.deliver`."""
        # A turn that ran out of time while it opened its card left it here.
        self.abandon(opening.run)
        if opening.again is not None:
            return await self._again(opening, journal)
        live = self._make(opening, journal)
        if live is None:
            return Owed(reason="no_channel", state=opening.known)
        if live.is_fixed:
            return Unchanged(reason="plain_message")
        if opening.known is not None:
            live.take_up(opening.known)
        elif opening.seen and not live.is_anew:
            return Unchanged(reason="card_unknown")
        else:
            await live.open()
        result = await live.deliver(DELIVER_S)
        if opening.seen and isinstance(result, Owed) and result.permanent:
            return Unchanged(reason=result.reason)
        return result

    async def _again(self, opening: Opening, journal: JournalStep) -> Delivered | Owed:
        place = self._place(opening.to)
        if place is None:
            return Owed(reason="no_channel")
        return await Again(place, opening, self._presenter(opening), CardJournal(journal)).send()

    def _make(self, opening: Opening, journal: JournalStep) -> LiveCard | None:
        place = self._place(opening.to)
        if place is None:
            return None
        return LiveCard(place, opening, self._presenter(opening), CardJournal(journal))

    def _presenter(self, opening: Opening) -> Presenter:
        presenter = Presenter(run=opening.run, input=opening.input, style=self._style)
        for event in opening.history:
            presenter.add(event)
        return presenter

    def _place(self, address: Address) -> Place | None:
        conversation = ConversationRef.parse(address)
        channel = self._channels.get((conversation.channel, conversation.account))
        return None if channel is None else Place(channel, conversation)
