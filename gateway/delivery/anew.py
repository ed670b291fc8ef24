"""The other way to the reader: the finished card as a message of its own."""

from __future__ import annotations

from channels.base import Channel
from channels.cards.model import Card
from channels.errors import ChannelError, DeliveryUnknown
from channels.events import ConversationRef, Receipt
from engine.ports import Delivered, Json, Opening, Owed
from gateway.delivery.journal import CardJournal

_WAY, _SEND = "final/way", "final/send"


class Anew:
    """Chosen once for a run, and recorded before anything is sent.

    Whoever takes the run over stays on this way: the card may work again by then, and both would show the answer.
    """

    def __init__(self, channel: Channel, conversation: ConversationRef, opening: Opening, journal: CardJournal) -> None:
        self._channel = channel
        self._conversation = conversation
        self._opening = opening
        self._journal = journal

    @property
    def is_chosen(self) -> bool:
        """Tell whether this way was chosen, in this attempt or before."""
        return self._journal.recorded(_WAY) is not None

    async def send(self, card: Card, state: Json | None) -> Delivered | Owed:
        """Send it, or give the receipt if it was sent before; `state` is what finds the run's card."""
        try:
            if not self.is_chosen:
                await self._journal.step(_WAY, _message)
            sent = self._journal.recorded(_SEND)
            return Delivered(
                receipt=sent if sent is not None else await self._journal.step(_SEND, lambda: self._send(card))
            )
        except DeliveryUnknown as error:
            # The same key makes the repeat harmless where the platform knows it.
            return Owed(reason=error.code, state=state)
        except ChannelError as error:
            return Owed(reason=error.code, state=state, permanent=not error.works_again)

    async def _send(self, card: Card) -> Json:
        receipt = await self._channel.send_final(
            self._conversation,
            card,
            reply_to=self._opening.input.anchor,
            key=f"{self._opening.run}-final",
            guard=self._journal.guard,
        )
        return receipt_json(receipt)


async def _message() -> Json:
    return {"way": "message"}


def receipt_json(receipt: Receipt) -> Json:
    """Give a receipt as the engine keeps it."""
    return {
        "channel": receipt.channel,
        "account": receipt.account,
        "message_ids": list(receipt.message_ids),
        "at_ms": receipt.at_ms,
        "route": receipt.route,
    }
