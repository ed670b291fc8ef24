"""Finds a card that may have been sent already in what its conversation shows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from channels.errors import DeliveryUnknown, Rejected
from channels.events import ConversationRef
from channels.feishu.post_office import PostOffice

Json = dict[str, Any]

_PAGES = 4
_PAGE = 50
"""The most the platform gives at once. Source: open.feishu.cn "获取会话历史消息", read 2026-02."""
_ASKED = 24
_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """Where a card is shown. `message_id` is empty when it was not found; `is_certain`: all there is was looked at."""

    message_id: str
    is_certain: bool


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

    async def _page(self, kind: str, container: str, page: str) -> tuple[list[Json], str]:
        client = self._office.client
        return await self._office.insist(
            "message.list", lambda: client.messages(kind, container, size=_PAGE, page=page)
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
