"""One run that is being shown: its presenter, its card's writer, and the events in between."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat

from channels.base import CardOpening
from channels.cards.model import Card
from channels.cards.ports import CardSink
from channels.cards.proof import Closed
from channels.cards.stream import CardStream
from channels.errors import ChannelError
from engine.events import RunEvent
from engine.ports import UNPROVEN, Delivered, Json, Opening, Owed
from gateway.delivery.anew import Anew, receipt_json
from gateway.delivery.away import is_away
from gateway.delivery.calls import Calls
from gateway.delivery.doubt import Doubt
from gateway.delivery.files import Files
from gateway.delivery.journal import CardJournal
from gateway.delivery.place import Place
from gateway.presenter import Presenter

logger = logging.getLogger(__name__)

_OPEN_WAITS_S = (0.3, 1.0, 2.0, 5.0)
"""Pauses between tries to open a card while its run goes on."""
_ARRIVE_S = 0.5
"""How long the last word waits for a file on its way, which it then can name as sent."""
_FILES_S = 10.0
"""How long files have for themselves when a run that has ended is delivered."""
_LEAST_S = 0.5
"""How long files have after the last word at least, however long that took."""
_SEEN = "final/seen"
"""The last word is proven, and files are still owed: who takes over proves only those."""


class LiveCard:
    """A run's card, from its opening to its last word. Methods belong to one event loop."""

    def __init__(self, place: Place, opening: Opening, presenter: Presenter, journal: CardJournal) -> None:
        self.place = place
        self.opening = opening
        self._journal = journal
        self._anew = Anew(place.channel, journal)
        self._stream: CardStream | None = None
        self._refused: ChannelError | None = None
        """Why there is no card, for good."""
        self._error: ChannelError | None = None
        """Why there was no card the last time it was tried."""
        self._over = asyncio.Event()
        self.presenter = presenter
        self.files = Files(place, opening, journal, self._file_settled)
        self.files.add(opening.history)
        self._calls = Calls(place, opening, journal, presenter.call)

    async def open(self) -> None:
        """Put the card up or find it again, trying until the run has ended. `close` reports what came of it."""
        self.files.start()
        self._calls.start()
        if self._anew.is_chosen:
            return
        for wait_s in chain(_OPEN_WAITS_S, repeat(_OPEN_WAITS_S[-1])):
            if await self._try_to_open() or self._refused is not None or self.presenter.status.is_terminal:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), wait_s)

    async def _try_to_open(self) -> bool:
        try:
            sink = await self.place.channel.open_card(self._card_opening(), self._journal)
        except ChannelError as error:
            logger.warning("card_not_opened", extra={"run": self.opening.run, "code": error.code})
            self._error = error
            if not error.works_again:
                self._refused = error
            return False
        self._start_stream(sink)
        return True

    def take_up(self, known: Json) -> None:
        """Take up what an earlier process left, without a request: the card, or the message it sent in its place."""
        if self._anew.is_chosen:
            if not self.opening.seen or self._anew.state is None:
                return
            known = self._anew.state
        self._start_stream(self.place.channel.reopen_card(self._card_opening(), known, self._journal))

    @property
    def is_fixed(self) -> bool:
        """Tell whether people see the answer in a way that cannot be changed."""
        return self.opening.seen and self._anew.is_done and self._anew.state is None

    @property
    def is_anew(self) -> bool:
        """Tell whether the answer goes as a message of its own."""
        return self._anew.is_chosen

    def add(self, event: RunEvent) -> None:
        """Take note of an event; the card follows at its own pace, a change of status at once."""
        before = self.presenter.status
        self.presenter.add(event)
        status = self.presenter.status
        if status.is_terminal:
            self._over.set()
        self._redraw(urgent=status is not before)
        if event.type == "approval":
            self._calls.start()
        if event.type == "file":
            self.files.add([event])
            self.files.start()

    def _file_settled(self, key: str, state: str) -> None:
        self.presenter.file_settled(key, state)
        self._redraw(urgent=False)

    def _redraw(self, *, urgent: bool) -> None:
        if self._stream is not None:
            self._stream.touch(self.presenter.card, urgent=urgent)

    def state(self) -> Json | None:
        """Give what finds the card again."""
        return None if self._stream is None else self._stream.sink.state()

    def abandon(self) -> None:
        """Stop writing at once."""
        self.files.abandon()
        self._calls.stop()
        if self._stream is not None:
            self._stream.abandon()

    async def settle(self, within_s: float) -> Delivered | Owed:
        """Write the present state as this process's last word and let go; the card is never replaced by a message."""
        self._calls.stop()
        await self.files.arrive(_ARRIVE_S)
        await self.files.stop()
        if self._stream is None:
            return Owed(reason="not_open")
        closed = await self._stream.close(self.presenter.card(), within_s=within_s)
        return self._result(closed)

    async def deliver(self, within_s: float) -> Delivered | Owed:
        """Do what `close` does for a run that has ended: first the files, so that the card can say that they are there.

        They have ten seconds for themselves, and go on while the card is written.
        """
        try:
            await self.files.finish(_FILES_S)
            return await self.close(within_s)
        finally:
            self.files.abandon()

    async def close(self, within_s: float) -> Delivered | Owed:
        """Write the last word and prove it; then see that the files are there too, in what is left of the time."""
        clock = self.place.channel.pacer.clock
        self._calls.stop()
        end_s = clock.steady_s() + within_s
        await self.files.arrive(_ARRIVE_S)
        had_all = self.files.is_settled
        try:
            result = await self._say_last(within_s)
            left = await self.files.finish(max(_LEAST_S, end_s - clock.steady_s()))
            if isinstance(result, Delivered) and not self.opening.seen and not self.is_anew:
                await self._calls.make()
        finally:
            await self.files.stop()
        if isinstance(result, Delivered) and not had_all and not left and not self.is_anew:
            left = "file_not_named"  # The card was written before: it has to say what became of the file.
        return await self._with_files(result, left)

    async def _with_files(self, result: Delivered | Owed, left: str) -> Delivered | Owed:
        """Keep the answer owed while files are, and note that it is seen: it must not come a second time."""
        if not left or (isinstance(result, Owed) and not result.permanent):
            return result
        if isinstance(result, Delivered) and self._journal.recorded(_SEEN) is None:
            seen = {"receipt": result.receipt}

            async def note() -> Json:
                return seen

            await self._journal.step(_SEEN, note)
        return Owed(reason=left, state=result.state, away=self.files.is_away)

    async def _say_last(self, within_s: float) -> Delivered | Owed:
        if self._stream is None:
            if self._refused is None and not self._anew.is_chosen:
                return Owed(reason="not_open", away=is_away(self._error, self.place.channel))
            return await self._other_way(self.opening.known)
        closed = await self._stream.close(self.presenter.card(), within_s=within_s)
        if closed.seen or not closed.permanent:
            return self._result(closed)
        if (seen := self._journal.recorded(_SEEN)) is not None:
            return Delivered(receipt=seen["receipt"], state=self.state())
        if self.opening.seen:
            return Owed(reason=closed.reason, state=self.state(), permanent=True)
        return await self._other_way(self.state())

    def _result(self, closed: Closed) -> Delivered | Owed:
        if closed.seen and closed.receipt is not None:
            return Delivered(receipt=receipt_json(closed.receipt), state=self.state())
        return Owed(reason=closed.reason, state=self.state(), away=is_away(None, self.place.channel))

    async def _other_way(self, old: Json | None) -> Delivered | Owed:
        """No card can show the answer: show it as a new message, and leave the card, if there is one, at rest."""
        result = await self._anew.send(self._card_opening(self.presenter.final_card()), old)
        if isinstance(result, Delivered):
            left = await self._leave(self.presenter.left_card("moved"))
            if left:
                result.receipt["old_card"] = left
        elif result.reason == UNPROVEN:
            return await self._doubted(old)
        elif result.permanent:
            await self._leave(self.presenter.left_card("not_shown"))
        return result

    async def _doubted(self, old: Json | None) -> Owed:
        """Tell that nobody knows whether the answer arrived, by a message and on the card that was given up."""
        words = self.presenter.left_card("unproven")
        opening = replace(self._card_opening(words), run=f"{self.opening.run}-doubt")
        result = await Doubt(self.place.channel, self._journal).tell(opening)
        if result.permanent:
            await self._leave(words)
        return result.model_copy(update={"state": old})

    async def _leave(self, words: Card) -> str:
        sink = self._stream.sink if self._stream is not None else self._anew.old_card(self._card_opening())
        return "" if sink is None else await self._anew.leave(sink, words)

    def _start_stream(self, sink: CardSink) -> None:
        channel = self.place.channel
        tags = {
            "run": self.opening.run,
            "conversation": self.opening.to,
            "channel": channel.name,
            "account": channel.account,
        }
        clock = channel.pacer.clock
        self._stream = CardStream(sink, pacer=channel.pacer, guard=self._journal.write_guard, clock=clock, tags=tags)
        self._stream.show(self.presenter.card())

    def _card_opening(self, card: Card | None = None) -> CardOpening:
        return CardOpening(
            conversation=self.place.conversation,
            run=self.opening.run,
            attempt=self.opening.attempt,
            reply_to=self.opening.input.anchor,
            card=card or self.presenter.card(),
            way_back=self.opening.input.way_back,
        )
