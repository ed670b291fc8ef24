"""A Slack adapter connected to a simulator, and a person to write to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from channels.base import CardOpening, SentFinal
from channels.cards.model import Card
from channels.cards.ports import CardSink
from channels.events import InboundMessage
from channels.simulators.slack.simulator import SlackSimulator
from channels.slack.adapter import Adapter
from channels.slack.settings import SlackSettings
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.feishu_adapter import Inbox, card, until, write

__all__ = ["BOT", "CHANNEL", "CHEN", "DIRECT", "LIN", "RUN", "Bench", "Inbox", "bench", "card", "until", "write"]

CHANNEL, DIRECT, LIN, CHEN, BOT = "C0TEAM", "D0LIN", "U0LIN", "U0CHEN", "U0NIUMA"
RUN = "01k0000000000000000000run1"


@dataclass
class Bench:
    """The parts of one test."""

    sim: SlackSimulator
    adapter: Adapter
    inbox: Inbox

    async def asked(self, text: str = "@niuma hello", *, chat: str = CHANNEL, **more: Any) -> InboundMessage:
        """Write as Lin and wait until the handler has it, and its double."""
        before = len(self.inbox.items)
        self.sim.send(chat, LIN, text, **more)
        await until(lambda: len(self.inbox.items) > before)
        await self.settled()
        message = self.inbox.items[before]
        assert isinstance(message, InboundMessage)
        return message

    async def settled(self) -> None:
        """Wait until nothing more arrives."""
        count = -1
        while count != len(self.inbox.items):
            count = len(self.inbox.items)
            await asyncio.sleep(0.1)

    async def opened(
        self,
        first: Card | None = None,
        *,
        chat: str = CHANNEL,
        attempt: int = 1,
        journal: MemoryJournal | None = None,
        message: InboundMessage | None = None,
    ) -> tuple[CardSink, CardOpening, MemoryJournal]:
        """Ask something and open the answer's card."""
        message = message or await self.asked(chat=chat)
        opening = CardOpening(message.conversation, RUN, attempt, message.message_id, first or card(""))
        journal = journal or MemoryJournal()
        return await self.adapter.open_card(opening, journal), opening, journal

    async def sent(self, message: InboundMessage, last: Card, journal: MemoryJournal | None = None) -> SentFinal:
        """Send a finished card as an answer to `message`."""
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, last)
        return await self.adapter.send_final(opening, journal or MemoryJournal())

    def answers(self) -> list[dict[str, Any]]:
        """Give the bot's messages that are there for everybody."""
        messages = self.sim.state()["messages"]
        ours = [m for m in messages if m["sender"]["type"] == "bot" and m["sender"]["id"] == BOT]
        return [m for m in ours if not m["deleted"] and not m["ephemeral_to"]]

    def ephemerals(self) -> list[dict[str, Any]]:
        """Give what only one person sees."""
        return [m for m in self.sim.state()["messages"] if m["ephemeral_to"]]

    def calls(self, method: str) -> list[Any]:
        """Give the calls of a method."""
        return [entry for entry in self.sim.timeline.since() if entry.kind == "rest" and entry.path == f"/api/{method}"]


@asynccontextmanager
async def bench(*, wait: bool = True, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Bench]:
    """Start a simulator and an adapter on it."""
    sim = SlackSimulator(**options)
    await sim.start()
    given = {"id": "main", "bot_token": sim.bot_token, "app_token": sim.app_token, "base_url": sim.api_url}
    adapter, inbox = Adapter(SlackSettings.model_validate(given | (settings or {})), SystemClock()), Inbox()
    await adapter.start(inbox)
    try:
        if wait:
            await until(lambda: adapter.health().ok)
        yield Bench(sim, adapter, inbox)
    finally:
        await adapter.stop()
        await sim.stop()
