"""One small card that says how long the line is; a plain line of text where no card can follow it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from channels.base import CardOpening, Channel
from channels.cards.model import Card, CardStatus, Header, Note
from channels.cards.ports import unguarded
from channels.cards.stream import CardStream
from channels.errors import ChannelError
from channels.events import InboundMessage
from channels.readable import Json
from engine.messages import RunId
from gateway.texts import Language, text

logger = logging.getLogger(__name__)

LAST_S: Final = 5.0
"""How long the last word of a card is tried."""


class _Unwritten:
    """A journal that keeps nothing: a card that a crash leaves behind says what was true when it was written."""

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        """Do it."""
        return await fn()

    def recorded(self, path: str) -> Json | None:
        """Know of nothing."""
        return None

    async def guard(self) -> None:
        """Let everything pass: it belongs to no run."""


class BusyCard:
    """`show` once; then `moved` and `over` where it gave true."""

    language: Language = "en"

    def __init__(self, channel: Channel, message: InboundMessage, run: RunId) -> None:
        self._channel = channel
        self._message = message
        self._run = run
        self._place = 0
        self._stream: CardStream | None = None

    async def show(self, place: int, *, follows: bool) -> bool:
        """Say the number in line; true when there is a card that can follow it. Never raises for a platform."""
        self._place = place
        try:
            if follows and self._channel.capabilities.can_update_cards and await self._open():
                return True
            await self._channel.send_notice(
                self._message.conversation, self._words(), reply_to=self._anchor, key=f"busy-{self._run}"
            )
        except ChannelError as error:
            where = str(self._message.conversation)
            logger.warning("notice_not_sent", extra={"conversation": where, "code": error.code})
        return False

    def moved(self, place: int) -> None:
        """Follow the line: when the number has halved, or is the first."""
        if place * 2 <= self._place and self._stream is not None:
            self._place = place
            self._stream.show(self._card(CardStatus.QUEUED))

    async def over(self) -> None:
        """Say that it was the question's turn; a card that can not be written any more stays as it is."""
        if self._stream is not None and self._stream.state not in ("final", "failed", "abandoned"):
            await self._stream.close(self._card(CardStatus.DONE), LAST_S)

    def abandon(self) -> None:
        """Write no more."""
        if self._stream is not None:
            self._stream.abandon()

    async def _open(self) -> bool:
        sink = await self._channel.open_card(self._opening(), _Unwritten())
        if sink.mode not in ("stream", "patch"):
            return False
        pacer, where = self._channel.pacer, self._message.conversation
        tags = {"run": self._run, "conversation": str(where), "channel": where.channel, "account": where.account}
        self._stream = CardStream(sink, pacer=pacer, guard=unguarded, clock=pacer.clock, tags=tags)
        self._stream.show(self._card(CardStatus.QUEUED))
        return True

    def _opening(self) -> CardOpening:
        return CardOpening(
            conversation=self._message.conversation,
            run=f"busy-{self._run}",
            attempt=1,
            reply_to=self._anchor,
            card=self._card(CardStatus.QUEUED),
        )

    def _card(self, status: CardStatus) -> Card:
        words = text(self.language, "notice.busy_over") if status is CardStatus.DONE else self._words()
        header = Header(text(self.language, "busy.title"), status)
        return Card(header=header, blocks=(Note("busy", words),), summary=words)

    def _words(self) -> str:
        if self._place == 1:
            return text(self.language, "notice.busy_next")
        return text(self.language, "notice.busy", position=self._place)

    @property
    def _anchor(self) -> str | None:
        return self._message.message_id or None
