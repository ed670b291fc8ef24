"""Where a person and the bot talk alone: some events name the person and no chat."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

from channels.events import ConversationRef, Sender
from engine.runtime import Runtime

DIRECT = "direct_chat"
"""Scope in the database: a person's address -> the id of their direct chat."""
_KNOWN = 10_000


class DirectChats:
    """Learns direct chats from what happens in them, and gives them for a person. Kept in the database."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: OrderedDict[str, str] = OrderedDict()

    async def learn(self, where: ConversationRef, person: Sender) -> None:
        """Take note that `where` is the direct chat of this person. Raises `StorageError`."""
        key = _key(where, person)
        if self._known.get(key) == where.chat:
            return
        if await self._runtime.config_get(DIRECT, key) != where.chat:
            await self._runtime.config_set(DIRECT, key, where.chat)
        self._remember(key, where.chat)

    async def of(self, where: ConversationRef, person: Sender) -> ConversationRef:
        """Give the person's direct chat, or `where` while none is known. Raises `StorageError`."""
        chat = await self._chat(where, person)
        return where if chat is None else replace(where, chat=chat)

    async def is_one(self, where: ConversationRef, person: Sender) -> bool:
        """Tell whether `where` is this person's direct chat, as far as that is known. Raises `StorageError`."""
        return where.chat in (person.id, await self._chat(where, person))

    async def _chat(self, where: ConversationRef, person: Sender) -> str | None:
        key = _key(where, person)
        chat = self._known.get(key) or await self._runtime.config_get(DIRECT, key)
        if chat is not None:
            self._remember(key, chat)
        return chat

    def _remember(self, key: str, chat: str) -> None:
        self._known[key] = chat
        self._known.move_to_end(key)
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)


def _key(where: ConversationRef, person: Sender) -> str:
    return str(replace(where, chat=person.id, thread=None))
