"""Finds a message of ours that may have been sent already in what its conversation shows.

Each message carries in its metadata what it is a page of; a stream cannot, and is known by carrying none.
Source: docs.slack.dev conversations.replies, conversations.history (`include_all_metadata`), read 2026-08.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import cast

from channels.errors import ChannelError, DeliveryUnknown, NotConnected, Rejected, StreamEnded
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.errors import ANCHOR_GONE
from channels.slack.identity import BotIdentity, ts_of_ms

Insist = Callable[[str, Callable[[], Awaitable[Json]]], Awaitable[Json]]

EVENT_TYPE = "niuma_page"
_PAGES = 5
_PAGE = 200
_SKEW_MS = 60_000
"""How much the platform's clock may differ from ours."""


def metadata_of(key: str) -> Json:
    """Give the metadata that names a message."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}}


class History:
    """Looks through conversations of one account, oldest messages first."""

    def __init__(self, client: Client, insist: Insist, me: BotIdentity) -> None:
        self._client = client
        self._insist = insist
        self._me = me

    async def find(self, channel: str, thread: str | None, key: str, since_ms: int) -> str:
        """Give the ts of our message `key`, sent since that time (UTC ms); empty when it is not there.

        A reply whose question was gone stands in the channel, so that is looked through too.

        Raises:
            ChannelError: the conversation cannot be read, or not far enough to be certain.
        """
        for place in dict.fromkeys((thread, None)):
            async for message in self._messages(channel, place, since_ms):
                if _key_of(message) == key:
                    return str(message["ts"])
        return ""

    async def find_stream(self, channel: str, thread: str, since_ms: int) -> str:
        """Give the ts of the stream that we began in a thread since then, empty for none. Raises like `find`.

        Before the platform told us who we are nothing is found, which must not be taken for nothing there.
        """
        if not self._me.is_known:
            raise NotConnected("our own ids are not known yet")
        async for message in self._messages(channel, thread, since_ms):
            is_ours = self._me.is_me(str(message.get("user") or ""), str(message.get("bot_id") or ""))
            if is_ours and not _key_of(message):
                return str(message["ts"])
        return ""

    async def _messages(self, channel: str, thread: str | None, since_ms: int) -> AsyncIterator[Json]:
        method = "conversations.replies" if thread else "conversations.history"
        asked: Json = {
            "channel": channel,
            "ts": thread,
            "limit": _PAGE,
            "include_all_metadata": True,
            "inclusive": True,
        }
        asked["oldest"] = ts_of_ms(since_ms - _SKEW_MS)
        for _ in range(_PAGES):
            try:
                answer = await self._insist(method, partial(self._client.call, method, asked))
            except (Rejected, StreamEnded) as error:
                if is_anchor_gone(error) and thread:
                    return
                raise
            for message in cast("list[Json]", answer.get("messages") or []):
                yield message
            cursor = str(cast("Json", answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return
            asked = {**asked, "cursor": cursor}
        raise DeliveryUnknown("too much was written since to tell whether the message was sent")


def is_anchor_gone(error: ChannelError) -> bool:
    """Tell whether a refusal is about the message that is answered."""
    return error.code in ANCHOR_GONE


def _key_of(message: Json) -> str:
    metadata = cast("Json", message.get("metadata") or {})
    if metadata.get("event_type") != EVENT_TYPE:
        return ""
    return str(cast("Json", metadata.get("event_payload") or {}).get("key") or "")
