"""An adapter connected to a simulator, and a person to write to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from channels.base import CardOpening
from channels.cards.model import Action, Block, Card, CardStatus, Footer, Header, Text
from channels.cards.ports import CardSink
from channels.dingtalk.adapter import Adapter
from channels.dingtalk.settings import DingtalkSettings
from channels.events import Inbound, InboundMessage, Toast
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock

GROUP, DIRECT, LIN, CHEN = "cidteam==", "cidlin/niuma+1==", "0147lin", "0258chen"
RUN = "01k0000000000000000000run1"
TEMPLATE_FILE = Path(__file__).parents[2] / "config/examples/dingtalk-card.json"
TEMPLATE = "example.schema"


def example_template() -> dict[str, Any]:
    """Give the template that is shipped as an example."""
    return json.loads(TEMPLATE_FILE.read_text("utf-8"))


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

    sim: DingTalkSimulator
    adapter: Adapter
    inbox: Inbox

    async def asked(
        self, text: str = "@niuma hello", *, chat: str = GROUP, who: str = LIN, **more: Any
    ) -> InboundMessage:
        """Write as a person and wait until the handler has it."""
        text = text if "@" in text or chat == DIRECT else f"@niuma {text}"
        before = len(self.inbox.items)
        self.sim.send(chat, who, text, **more)
        await until(lambda: len(self.inbox.items) > before)
        message = self.inbox.items[-1]
        assert isinstance(message, InboundMessage)
        return message

    async def opened(
        self, first: Card | None = None, *, chat: str = GROUP, journal: MemoryJournal | None = None
    ) -> tuple[CardSink, CardOpening, MemoryJournal]:
        """Ask something and open the answer's card."""
        message = await self.asked(chat=chat)
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, first or card(""))
        journal = journal or MemoryJournal()
        return await self.adapter.open_card(opening, journal), opening, journal

    def answers(self) -> list[dict[str, Any]]:
        """Give the robot's messages that were not recalled."""
        return [m for m in self.sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["recalled"]]

    def calls(self, path: str, verb: str = "") -> list[Any]:
        """Give the requests whose path holds this text."""
        entries = [entry for entry in self.sim.timeline.since() if entry.kind == "rest" and path in entry.path]
        return [entry for entry in entries if not verb or entry.method == verb]


def settings_for(sim: DingTalkSimulator, **more: Any) -> DingtalkSettings:
    """Give an account on the simulator with the example's template."""
    given = {
        "id": "main",
        "client_id": sim.app_id,
        "client_secret": sim.app_secret,
        "card_template_id": TEMPLATE,
        "api_base": sim.url,
        "oapi_base": sim.url,
        "edition": "pack",
        "refresh_ms": 200,
    }
    return DingtalkSettings.model_validate(given | more)


@asynccontextmanager
async def bench(*, wait: bool = True, settings: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Bench]:
    """Start a simulator and an adapter on it."""
    sim = DingTalkSimulator(**{"api_per_second": 60, "monthly_calls": 1_000_000, **options})
    sim.add_template(TEMPLATE, **example_template())
    await sim.start()
    adapter, inbox = Adapter(settings_for(sim, **(settings or {})), SystemClock()), Inbox()
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


def card(
    text: str, status: CardStatus = CardStatus.WORKING, *blocks: Block, actions: tuple[Action, ...] | None = None
) -> Card:
    """Give a card as the presenter draws one."""
    texts = (Text("answer", text, status is CardStatus.WORKING),) if text else ()
    name = "retry" if status.is_terminal else "stop"
    return Card(
        header=Header("question", status, status.value),
        blocks=(*blocks, *texts),
        actions=(Action(name, name.title(), RUN, name, audience=LIN),) if actions is None else actions,
        footer=Footer(text="demo"),
        summary="summary",
    )


async def write(sink: CardSink, snapshot: Card, *, final: bool = False) -> list[str]:
    """Send plans until nothing is left; gives the methods used."""
    methods: list[str] = []
    while plan := sink.plan(snapshot, final=final):
        for step in plan:
            methods.append(step.method)
            await sink.send(step)
    return methods
