"""Reading messages again: one that is quoted, or what was said in a thread before we were called.

Source: docs.slack.dev conversations.replies (the first message is the root), read 2026-08.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from channels.errors import Rejected
from channels.events import Quote
from channels.names import Names
from channels.readable import Json
from channels.slack.envelope import attachments_of
from channels.slack.identity import BotIdentity, MessageName
from channels.slack.post_office import PostOffice
from channels.slack.tokens import decode

_REPLIES = "conversations.replies"


class Reader:
    """Reads for one account. Waits its turn like every other request."""

    def __init__(self, office: PostOffice, names: Names, me: BotIdentity) -> None:
        self._office = office
        self._names = names
        self._me = me

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`."""
        try:
            name = MessageName.parse(message_id)
        except ValueError:
            raise Rejected("no such message", code="message_not_found") from None
        asked = {"channel": name.channel, "ts": name.ts, "limit": 1, "inclusive": True}
        answer = await self._office.insist(_REPLIES, lambda: self._office.client.call(_REPLIES, asked))
        messages = cast("list[Json]", answer.get("messages") or [])
        found = [message for message in messages if str(message.get("ts")) == name.ts] or messages[:1]
        if not found:
            raise Rejected("no such message", code="message_not_found")
        return [self._quote(message, name) for message in found]

    def _quote(self, message: Json, name: MessageName) -> Quote:
        user, bot = str(message.get("user") or ""), str(message.get("bot_id") or "")
        by_us = self._me.is_me(user, bot)
        author = str(message.get("username") or "") or self._names.of(user) or user or bot
        text = decode(str(message.get("text") or ""), me=self._me.user_id, name_of=self._names.of)
        return Quote(str(name), author, text, by_us, attachments_of(message, str(name)))
