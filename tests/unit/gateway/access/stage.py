"""Access with a database, a clock that stands still, and people who write."""

from __future__ import annotations

import itertools
from typing import Any

from channels.events import ChatKind, ConversationRef, DedupeKey, InboundMessage, Sender
from engine.messages import Address
from engine.runtime import Database
from gateway.access import Access, Admission, Telling
from gateway.clock import FakeClock
from gateway.settings.access import AccessSection
from gateway.stores.people import People

ANN = Sender("ann", "t1", "Ann")
BOB = Sender("bob", "t1", "Bob")
EVE = Sender("eve", "t2", "Eve")
ROBOT = Sender("robot", "t1", "Robot", is_bot=True)
GROUP = ConversationRef("fake", "main", "t1", "team")
DIRECT = ConversationRef("fake", "main", "t1", "dm")
_numbers = itertools.count(1)


class Stage:
    """`ran_in` are the conversations in which the bot was asked before."""

    def __init__(self, database: Database, **section: Any) -> None:
        self.clock = FakeClock()
        self.people = People(database)
        self.ran_in: set[str] = set()
        self.access = Access(AccessSection(**section), self.people, self.clock, has_run_in=self._has_run_in)

    async def _has_run_in(self, conversation: Address) -> bool:
        return conversation in self.ran_in

    async def says(self, sender: Sender, where: ConversationRef = GROUP, **more: Any) -> Admission:
        return await self.access.admit(message(sender, where, **more))

    async def refusal(self, sender: Sender, where: ConversationRef = GROUP, **more: Any) -> str | None:
        return (await self.says(sender, where, **more)).refusal

    async def told(self, sender: Sender, where: ConversationRef = GROUP, **more: Any) -> Telling | None:
        written = message(sender, where, **more)
        refusal = (await self.access.admit(written)).refusal
        assert refusal is not None
        return await self.access.telling(written, refusal)


def message(sender: Sender, where: ConversationRef, *, text: str = "hello", mention: bool = True) -> InboundMessage:
    number = str(next(_numbers))
    kind: ChatKind = "direct" if where.chat == DIRECT.chat else "group"
    return InboundMessage(
        dedupe=DedupeKey("fake", "main", "message", number),
        conversation=where,
        chat_kind=kind,
        message_id=number,
        sender=sender,
        text=text,
        mentions_me=mention or kind == "direct",
        created_at_ms=0,
    )
