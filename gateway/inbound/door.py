"""Whether a question that waited may still be answered: its person may have been put out meanwhile."""

from __future__ import annotations

from dataclasses import replace

from channels.events import ConversationRef, Sender
from engine.messages import RunInput
from gateway.access import Access
from gateway.inbound.direct_chats import DirectChats


class Door:
    """Asks the rules in force again. Implements `engine.runs.ports.Doorkeeper`."""

    def __init__(self, access: Access, chats: DirectChats) -> None:
        self._access = access
        self._chats = chats

    async def refusal(self, given: RunInput) -> str | None:
        """See `Doorkeeper.refusal`."""
        where, by = ConversationRef.parse(given.to), given.by
        sender = Sender(by.id, by.tenant, by.name)
        # That a bot asked is not kept with the question; only a bot is let in by the rule for bots.
        sender = replace(sender, is_bot=self._access.rules.may_come(where, sender))
        is_direct = await self._chats.is_one(where, sender)
        return None if await self._access.may_talk(where, sender, direct=is_direct) else "put_out"
