"""Finds a card that may have been sent already in what its conversation shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from channels.errors import DeliveryUnknown, Rejected
from channels.events import ConversationRef
from channels.feishu.post_office import PostOffice
from channels.readable import Json

_PAGES = 4
_PAGE = 50
"""The most the platform gives at once. Source: open.feishu.cn "获取会话历史消息", read 2026-02."""
_ASKED = 24
_WITHIN_S = 5.0
_SKEW_MS = 60_000
"""How much the platform's clock may differ from ours."""
_SENT_WITHIN_MS = 600_000
"""A message is sent soon after it was begun, or not by that attempt: a try ends within a minute."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a card is shown. `message_id` is empty when it was not found; `is_certain`: all there is was looked at."""

    message_id: str
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A message of ours to look for: its kind, what it answers, since when (UTC ms), and what its content must be."""

    kind: str
    reply_to: str | None
    since_ms: int
    fits: Callable[[Json], bool]


class History:
    """Looks through conversations of one account, newest messages first."""

    def __init__(self, office: PostOffice, app_id: str) -> None:
        self._office = office
        self._app_id = app_id

    async def find_card(self, conversation: ConversationRef, card_id: str, reply_to: str | None) -> Found:
        """Find the message that shows the entity `card_id`; without one, our newest card that answers `reply_to`.

        Raises:
            ChannelError: the history cannot be read, or not in time.
        """
        try:
            async with asyncio.timeout(_WITHIN_S):
                return await self._find(conversation, card_id, reply_to)
        except TimeoutError as error:
            raise DeliveryUnknown("the conversation's history did not come in time") from error

    async def find_text(self, conversation: ConversationRef, text: str, reply_to: str | None, since_ms: int) -> str:
        """Give our message with this text, sent soon after `since_ms` (UTC ms); empty when it is not there.

        Raises:
            ChannelError: the history cannot be read, not in time, or not far enough to be certain.
        """
        return await self._find_ours(conversation, _Wanted("text", reply_to, since_ms, lambda body: _says(body, text)))

    async def find_file(
        self, conversation: ConversationRef, kind: str, key: str, reply_to: str | None, since_ms: int
    ) -> str:
        """Give our message that shows the upload `key` (`kind` "image" or "file"). Raises like `find_text`."""
        wanted = _Wanted(kind, reply_to, since_ms, lambda body: body.get(f"{kind}_key") == key)
        return await self._find_ours(conversation, wanted)

    async def _find_ours(self, conversation: ConversationRef, wanted: _Wanted) -> str:
        try:
            async with asyncio.timeout(_WITHIN_S):
                return await self._look_through(conversation, wanted)
        except TimeoutError as error:
            raise DeliveryUnknown("the conversation's history did not come in time") from error

    async def _look_through(self, conversation: ConversationRef, wanted: _Wanted) -> str:
        kind, container = ("thread", conversation.thread) if conversation.thread else ("chat", conversation.chat)
        since_ms = wanted.since_ms - _SKEW_MS
        since_s = None if conversation.thread else since_ms // 1000
        page = ""
        for _ in range(_PAGES):
            items, page = await self._page(kind, container, page, since_s)
            fits = (item for item in items if _is_ours(item, self._app_id, wanted, since_ms))
            found = next((str(item["message_id"]) for item in fits), "")
            times = [int(item.get("create_time") or 0) for item in items]
            past = any(at < since_ms if conversation.thread else at > since_ms + _SENT_WITHIN_MS for at in times)
            if found or not page or past:
                return found
        raise DeliveryUnknown("too much was written since to tell whether the message was sent")

    async def _find(self, conversation: ConversationRef, card_id: str, reply_to: str | None) -> Found:
        mine, is_all = await self._cards_in(conversation)
        answers = [item for item in mine if item.get("parent_id") == reply_to]
        if not card_id:
            return Found(str(answers[0]["message_id"]) if reply_to and answers else "", False)
        candidates = [*answers, *(item for item in mine if item.get("parent_id") != reply_to)]
        for item in candidates[:_ASKED]:
            message_id = str(item["message_id"])
            if await self._shows(message_id, card_id):
                return Found(message_id, True)
        return Found("", is_all and len(candidates) <= _ASKED)

    async def _cards_in(self, conversation: ConversationRef) -> tuple[list[Json], bool]:
        """Give our cards there, and whether the whole history was read."""
        kind, container = ("thread", conversation.thread) if conversation.thread else ("chat", conversation.chat)
        found: list[Json] = []
        page = ""
        for _ in range(_PAGES):
            items, page = await self._page(kind, container, page)
            found += [item for item in items if _is_card_of(item, self._app_id)]
            if not page:
                return found, True
        return found, False

    async def _page(self, kind: str, container: str, page: str, since_s: int | None = None) -> tuple[list[Json], str]:
        client = self._office.client
        return await self._office.insist(
            "message.list", lambda: client.messages(kind, container, size=_PAGE, page=page, since_s=since_s)
        )

    async def _shows(self, message_id: str, card_id: str) -> bool:
        client = self._office.client
        try:
            return await self._office.insist("card.convert", lambda: client.card_of(message_id)) == card_id
        except Rejected:
            return False


def _is_card_of(item: Mapping[str, Any], app_id: str) -> bool:
    sender: Json = item.get("sender") or {}
    return item.get("msg_type") == "interactive" and sender.get("id") == app_id


def _is_ours(item: Mapping[str, Any], app_id: str, wanted: _Wanted, since_ms: int) -> bool:
    """Tell whether this is what we look for; what answers another message is another run's, however equal it is."""
    sender: Json = item.get("sender") or {}
    if item.get("msg_type") != wanted.kind or sender.get("id") != app_id:
        return False
    if item.get("deleted") or int(item.get("create_time") or 0) < since_ms:
        return False
    if item.get("parent_id") not in (wanted.reply_to, None, ""):
        return False
    body: Json = item.get("body") or {}
    try:
        content: Json = json.loads(str(body.get("content") or "{}"))
    except ValueError:
        return False
    return wanted.fits(content)


def _says(content: Json, text: str) -> bool:
    return " ".join(str(content.get("text", "")).split()) == " ".join(text.split())
