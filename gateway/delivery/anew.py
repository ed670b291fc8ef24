"""The other way to the reader: the finished card as a message of its own."""

from __future__ import annotations

from channels.base import CardOpening, Channel
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card
from channels.cards.ports import CardSink
from channels.errors import ChannelError
from channels.events import Receipt
from engine.ports import Delivered, Json, Owed
from gateway.delivery.away import is_away
from gateway.delivery.journal import CardJournal

_WAY, _DONE = "final/way", "final/done"
_SENT_BEFORE = "final/send"
"""The receipt as versions before 2026-11-30 recorded it, for all pages together."""
QUIET_S = 3.0
"""How long leaving the old card at rest may take: the answer is there, so nobody waits for it."""


class Anew:
    """Chosen once for a run, and recorded before anything is sent.

    Whoever takes the run over stays on this way: the card may work again by then, and both would show the answer.
    """

    def __init__(self, channel: Channel, journal: CardJournal) -> None:
        self._channel = channel
        self._journal = journal

    @property
    def is_chosen(self) -> bool:
        """Tell whether this way was chosen, in this attempt or before."""
        return self._journal.recorded(_WAY) is not None

    @property
    def is_done(self) -> bool:
        """Tell whether the answer was sent this way."""
        return self._done() is not None

    @property
    def state(self) -> Json | None:
        """Give what the sent message is reopened with; `None`: it was not sent, or it stays as it is."""
        done = self._done()
        return None if done is None else done["state"]

    async def send(self, opening: CardOpening, old: Json | None) -> Delivered | Owed:
        """Send it, or give the receipt if it was sent before; `old` is what finds the card that is given up."""
        try:
            if not self.is_chosen:
                await self._choose(old)
            done = self._done()
            if done is None:
                done = await self._journal.step(_DONE, lambda: self._send(opening))
            return Delivered(receipt=done["receipt"], state=done["state"])
        except ChannelError as error:
            away = is_away(error, self._channel)
            return Owed(reason=error.code, state=old, permanent=not error.works_again, away=away)

    def old_card(self, opening: CardOpening) -> CardSink | None:
        """Give the card that was given up, if there was one."""
        chosen = self._journal.recorded(_WAY) or {}
        old = chosen.get("old")
        return None if old is None else self._channel.reopen_card(opening, old, self._journal)

    async def leave(self, sink: CardSink, words: Card) -> str:
        """Leave the old card at rest with a few words; gives what was not possible, empty when it rests."""
        channel, guard = self._channel, self._journal.guard
        return await leave_quiet(sink, words, pacer=channel.pacer, guard=guard, within_s=QUIET_S)

    async def _choose(self, old: Json | None) -> None:
        async def choose() -> Json:
            return {"way": "message", "old": old}

        await self._journal.step(_WAY, choose)

    def _done(self) -> Json | None:
        done = self._journal.recorded(_DONE)
        if done is None and (receipt := self._journal.recorded(_SENT_BEFORE)) is not None:
            return {"receipt": receipt, "state": None}
        return done

    async def _send(self, opening: CardOpening) -> Json:
        sent = await self._channel.send_final(opening, self._journal)
        return {"receipt": receipt_json(sent.receipt), "state": sent.state}


def receipt_json(receipt: Receipt) -> Json:
    """Give a receipt as the engine keeps it."""
    return {
        "channel": receipt.channel,
        "account": receipt.account,
        "message_ids": list(receipt.message_ids),
        "at_ms": receipt.at_ms,
        "route": receipt.route,
    }
