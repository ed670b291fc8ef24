"""Requests that belong to no live card: paced, and insisted on for a while where a repeat is harmless."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from channels.cards.ports import WriteGuard, unguarded
from channels.errors import DeliveryUnknown, Rejected, StreamEnded
from channels.events import ConversationRef
from channels.feishu.client import Client
from channels.feishu.errors import is_anchor_gone
from channels.kept import Kept
from channels.pacing import Pacer, insist
from channels.readable import Json

T = TypeVar("T")

_ANCHORS = 10
_UNSURE_KEPT = 2000
_log = logging.getLogger(__name__)


def uuid_of(name: str) -> str:
    """Give a text of at most 50 characters that is the same for the same name."""
    return name if len(name) <= 50 else f"h{hashlib.blake2s(name.encode(), digest_size=20).hexdigest()}"


@dataclass(slots=True)
class Letter:
    """One message to send. `uuid` makes tries after a lost answer harmless for an hour."""

    conversation: ConversationRef
    reply_to: str | None
    kind: str
    content: Json
    uuid: str
    guard: WriteGuard = unguarded
    """Asked directly before each request."""
    maybe_sent: bool = False
    """An earlier try may have arrived without our knowing."""
    is_redirected: bool = False
    """What it answers is gone: it goes to the conversation instead."""

    @property
    def method(self) -> str:
        """Give the account-wide budget it is taken from."""
        return "message.reply" if self.reply_to else "message.send"

    def renew(self) -> None:
        """Make it another message for the platform: the refused one may have used up the uuid."""
        self.uuid = f"n{self.uuid}"[:50]


class PostOffice:
    """Creates and sends for one account."""

    def __init__(self, client: Client, pacer: Pacer) -> None:
        self.client = client
        self._pacer = pacer
        self._unsure: Kept[str, None] = Kept(_UNSURE_KEPT)
        """The uuids of messages that may have been sent, for openings that are tried again."""

    async def insist(self, method: str, work: Callable[[], Awaitable[T]]) -> T:
        """See `channels.pacing.insist`."""
        return await insist(self._pacer, method, work)

    async def create_card(self, native: Mapping[str, Any], guard: WriteGuard, *, insist: bool) -> str:
        """Create a card entity and give its id; one that was created by a lost try stays unseen.

        `insist` false: once, for a caller that has room for it and tries again by itself.
        """

        async def create() -> str:
            await guard()
            return await self.client.create_card(native)

        return await (self.insist("card.create", create) if insist else create())

    async def send(self, letter: Letter, *, insist: bool = True) -> str:
        """Send a message and give its id; where what it answers is gone, to the conversation instead, once.

        `insist` false: once, for a caller that has room for it and tries again by itself.

        Raises:
            ChannelError: refused, or still unknown after several tries.
        """
        letter.maybe_sent = letter.maybe_sent or letter.uuid in self._unsure
        if letter.reply_to is None:
            letter.reply_to = await self._anchor_in(letter.conversation)
        try:
            return await (self._insist_on(letter) if insist else self._try(letter))
        except (StreamEnded, Rejected) as error:
            if letter.reply_to is None or not is_anchor_gone(error):
                raise
        return await self._send_elsewhere(letter)

    async def _send_elsewhere(self, letter: Letter) -> str:
        """Send to the conversation: in a topic by answering another message of it, at last without answering any."""
        refused = letter.reply_to
        letter.reply_to, letter.is_redirected = await self._anchor_in(letter.conversation), True
        if letter.reply_to == refused:
            letter.reply_to = None
        if not letter.maybe_sent:
            # Otherwise the same uuid has to tell whether the reply arrived before its question went.
            letter.renew()
        try:
            return await self._insist_on(letter)
        except (StreamEnded, Rejected) as error:
            if letter.reply_to is None or not is_anchor_gone(error):
                raise
        letter.reply_to = None
        return await self._insist_on(letter)

    async def _insist_on(self, letter: Letter) -> str:
        return await self.insist(letter.method, lambda: self._try(letter))

    async def _try(self, letter: Letter) -> str:
        await self._pacer.turn(letter.method, letter.conversation.chat)
        await letter.guard()
        content, uuid = letter.content, letter.uuid
        try:
            if letter.reply_to is None:
                return await self.client.send(letter.conversation.chat, letter.kind, content, uuid)
            in_thread = letter.conversation.thread is not None
            return await self.client.reply(letter.reply_to, letter.kind, content, uuid, in_thread=in_thread)
        except (DeliveryUnknown, asyncio.CancelledError):
            letter.maybe_sent = True
            self._unsure[uuid] = None
            raise

    async def _anchor_in(self, conversation: ConversationRef) -> str | None:
        """Give a message of the topic to reply to: a topic is reached by replies only; `None` outside of topics."""
        if conversation.thread is None:
            return None
        await self._pacer.acquire("message.list")
        try:
            newest, _ = await self.client.messages("thread", conversation.thread, size=_ANCHORS)
        except Rejected as error:
            _log.warning("feishu_topic_not_found", extra={"conversation": str(conversation), "code": error.code})
            return None
        return next((str(item["message_id"]) for item in newest if not item.get("deleted")), None)
