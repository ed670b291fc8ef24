"""An adapter connected to a simulator, and a person to write to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from channels.base import CardOpening, SentFinal
from channels.cards.model import Action, Block, Card, CardStatus, Footer, Header, Text
from channels.cards.ports import CardSink
from channels.errors import ChannelError
from channels.events import Inbound, InboundMessage, Toast
from channels.feishu.adapter import Adapter
from channels.feishu.settings import FeishuSettings
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock

GROUP, LIN = "oc_team", "ou_lin"
RUN = "01k0000000000000000000run1"


@dataclass
class Inbox:
    """The handler: keeps what arrives, answers presses, raises or waits on demand."""

    items: list[Inbound] = field(default_factory=list)
    toast: Toast | None = None
    raises: Exception | None = None
    gate: asyncio.Event | None = None

    async def __call__(self, inbound: Inbound) -> Toast | None:
        self.items.append(inbound)
        if self.gate is not None:
            await self.gate.wait()
        if self.raises is not None:
            raise self.raises
        return self.toast


@dataclass
class Bench:
    """The parts of one test."""

    sim: FeishuSimulator
    adapter: Adapter
    inbox: Inbox

    async def asked(self, text: str = "@niuma hello", **more: Any) -> InboundMessage:
        """Write as Lin and wait until the handler has it."""
        before = len(self.inbox.items)
        self.sim.send(GROUP, LIN, text, **more)
        await until(lambda: len(self.inbox.items) > before)
        message = self.inbox.items[-1]
        assert isinstance(message, InboundMessage)
        return message

    async def opened(
        self, first: Card | None = None, *, attempt: int = 1, journal: MemoryJournal | None = None
    ) -> tuple[CardSink, CardOpening, MemoryJournal]:
        """Ask something and open the answer's card."""
        message = await self.asked()
        opening = CardOpening(message.conversation, RUN, attempt, message.message_id, first or card(""))
        journal = journal or MemoryJournal()
        return await self.adapter.open_card(opening, journal), opening, journal

    async def sent(
        self, message: InboundMessage, last: Card, journal: MemoryJournal | None = None, *, attempt: int = 1
    ) -> SentFinal:
        """Send a finished card as an answer to `message`."""
        opening = CardOpening(message.conversation, RUN, attempt, message.message_id, last)
        return await self.adapter.send_final(opening, journal or MemoryJournal())

    def answers(self) -> list[dict[str, Any]]:
        """Give the bot's messages that were not recalled."""
        return [m for m in self.sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["recalled"]]

    def calls(self, path: str) -> list[Any]:
        """Give the requests whose path holds this text."""
        return [entry for entry in self.sim.timeline.since() if entry.kind == "rest" and path in entry.path]


@asynccontextmanager
async def bench(*, wait: bool = True, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Bench]:
    """Start a simulator and an adapter on it."""
    sim = FeishuSimulator(**options)
    await sim.start()
    given = {"id": "main", "app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url} | (settings or {})
    adapter, inbox = Adapter(FeishuSettings.model_validate(given), SystemClock()), Inbox()
    await adapter.start(inbox)
    try:
        if wait:
            await until(lambda: adapter.health().ok)
        yield Bench(sim, adapter, inbox)
    finally:
        await adapter.stop()
        await sim.stop()


async def until(ready: Callable[[], bool], within_s: float = 5.0) -> None:
    """Wait for something to become true."""
    async with asyncio.timeout(within_s):
        while not ready():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def card(text: str, status: CardStatus = CardStatus.WORKING, *blocks: Block) -> Card:
    """Give a card as the presenter draws one."""
    texts = (Text("answer", text, status is CardStatus.WORKING),) if text else ()
    name = "retry" if status.is_terminal else "stop"
    return Card(
        header=Header("question", status, status.value),
        blocks=(*blocks, *texts),
        actions=(Action(name, name.title(), RUN, name),),
        footer=Footer(text="demo"),
        summary="summary",
    )


async def write(sink: CardSink, snapshot: Card, *, final: bool = False) -> list[str]:
    """Send one plan; gives the methods used."""
    methods: list[str] = []
    for step in sink.plan(snapshot, final=final):
        methods.append(step.method)
        await sink.send(step)
    return methods


def codes(b: Bench, path: str) -> list[int]:
    """Give the codes the platform answered calls of this path with."""
    return [entry.code for entry in b.calls(path)]


async def finish(sink: CardSink, text: str) -> None:
    """Write the last word as the card writer does: plan again until it is shown."""
    last = card(text, CardStatus.DONE)
    for _ in range(8):
        try:
            await write(sink, last, final=True)
        except ChannelError:
            continue
        if sink.shows(last):
            return
    raise AssertionError("never shown")
