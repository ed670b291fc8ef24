"""Requests that belong to no live card: paced, and insisted on for a while where a repeat is harmless."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from channels.clock import Clock
from channels.errors import ChannelError, DeliveryUnknown, NotDispatched, RateLimited, Rejected, StreamEnded
from channels.events import ConversationRef
from channels.feishu.client import Client
from channels.feishu.turns import Turns
from channels.pacing import Pacer

Json = dict[str, Any]
T = TypeVar("T")

_TRIES = 6
_FIRST_PAUSE_S = 0.2
_LONGEST_WAIT_S = 5.0
_LOOKED_AT = 12
_log = logging.getLogger(__name__)


class Letter:
    """One message on its way. `unknowns` counts tries without an answer: it may have arrived by one of them."""

    def __init__(
        self, office: PostOffice, where: tuple[ConversationRef, str | None], what: tuple[str, Json], uuid: str
    ):
        self._office = office
        self._conversation, self._reply_to = where
        self._kind, self._content = what
        self._uuid = uuid
        self.unknowns = 0

    async def send(self) -> str:
        """Send it and give the message's id. The uuid makes tries after a lost answer harmless.

        Raises:
            ChannelError: refused, or still unknown after several tries.
        """
        if self._reply_to is None:
            self._reply_to = await self._office.anchor_in(self._conversation)
        try:
            return await self._office.insist("message.reply" if self._reply_to else "message.send", self._try)
        except StreamEnded as error:
            if self._reply_to is None or error.reason != "gone":
                raise
            # What was asked is gone, the conversation need not be.
            self._reply_to = None
            self._uuid = f"n{self._uuid}"[:50]
        return await self._office.insist("message.send", self._try)

    async def _try(self) -> str:
        client = self._office.client
        await self._office.turns.wait(self._conversation.chat)
        try:
            if self._reply_to is None:
                return await client.send(self._conversation.chat, self._kind, self._content, self._uuid)
            in_thread = self._conversation.thread is not None
            return await client.reply(self._reply_to, self._kind, self._content, self._uuid, in_thread=in_thread)
        except DeliveryUnknown:
            self.unknowns += 1
            raise


class PostOffice:
    """Creates and sends for one account."""

    def __init__(self, client: Client, pacer: Pacer, clock: Clock, app_id: str) -> None:
        self.client = client
        self.turns = Turns(clock)
        self._pacer = pacer
        self._clock = clock
        self._app_id = app_id

    async def insist(self, method: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do `work`, again after refusals for pace and lost answers, for some seconds.

        Raises:
            ChannelError: the last refusal.
        """
        pause_s = _FIRST_PAUSE_S
        for tries_left in range(_TRIES - 1, -1, -1):
            await self._pacer.acquire(method)
            try:
                return await work()
            except RateLimited as error:
                self._pacer.refused(method, error)
                if not tries_left or error.retry_after_s > _LONGEST_WAIT_S:
                    raise
                await self._clock.sleep(error.retry_after_s)
            except (DeliveryUnknown, NotDispatched):
                if not tries_left:
                    raise
                await self._clock.sleep(pause_s)
                pause_s *= 2
        raise AssertionError("the last try returns or raises")

    async def create_card(self, native: Mapping[str, Any]) -> str:
        """Create a card entity and give its id; one that was created by a lost try stays unseen."""
        return await self.insist("card.create", lambda: self.client.create_card(native))

    def letter(
        self, conversation: ConversationRef, reply_to: str | None, kind: str, content: Json, uuid: str
    ) -> Letter:
        """Prepare a message."""
        return Letter(self, (conversation, reply_to), (kind, content), uuid)

    async def anchor_in(self, conversation: ConversationRef) -> str | None:
        """Give a message of the topic to reply to: a topic is reached by replies only; `None` outside of topics."""
        if conversation.thread is None:
            return None
        try:
            newest = await self.client.recent_messages("thread", conversation.thread, size=1)
        except Rejected as error:
            _log.warning("feishu_topic_not_found", extra={"conversation": str(conversation), "code": error.code})
            return None
        return str(newest[0]["message_id"]) if newest else None

    async def find_card(self, conversation: ConversationRef, card_id: str, reply_to: str | None) -> str:
        """Give the id of the message that shows a card of ours; empty when it cannot be found."""
        try:
            return await self._find(conversation, card_id, reply_to)
        except ChannelError as error:
            _log.warning("feishu_card_message_not_found", extra={"card": card_id, "code": error.code})
            return ""

    async def _find(self, conversation: ConversationRef, card_id: str, reply_to: str | None) -> str:
        kind, container = ("thread", conversation.thread) if conversation.thread else ("chat", conversation.chat)
        items = await self.client.recent_messages(kind, container, size=50)
        mine = [item for item in items if _is_card_of(item, self._app_id)]
        for item in mine[:_LOOKED_AT]:
            message_id = str(item["message_id"])
            if not card_id:
                if item.get("parent_id") == reply_to and reply_to:
                    return message_id
            elif await self._shows(message_id, card_id):
                return message_id
        return ""

    async def _shows(self, message_id: str, card_id: str) -> bool:
        try:
            return await self.client.card_of(message_id) == card_id
        except Rejected:
            return False


def _is_card_of(item: Mapping[str, Any], app_id: str) -> bool:
    sender: Json = item.get("sender") or {}
    return item.get("msg_type") == "interactive" and sender.get("id") == app_id
