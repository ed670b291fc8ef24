"""The real Feishu adapter and the simulator, connected over loopback, with a question asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header, Note
from channels.cards.ports import CardSink
from channels.cards.stream import CardStream
from channels.events import ConversationRef, Inbound, Toast
from channels.feishu.adapter import Adapter
from channels.feishu.settings import FeishuSettings
from channels.simulators.feishu import elements
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.testing.journal import MemoryJournal
from tests.traces.feishu_wire import LATENCY_S, LoopbackClock, Wire

Json = dict[str, Any]

RUN = "01k0000000000000000000run1"
_WRITES = r"/cardkit/v1/cards/\d+(/|$)"
_FAULTS: Mapping[str, Json] = {
    "rate_app": {"status": 429, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "1"}},
    "rejected": {"status": 400, "code": 10002},
}


async def unguarded() -> None:
    """Guard nothing: one process only."""


class Inbox:
    """Hears the question, so that what hearing it leads to (asking for a name) is over before the card is opened."""

    def __init__(self) -> None:
        self._has_heard = False

    async def __call__(self, inbound: Inbound) -> Toast | None:
        self._has_heard = True
        return None

    async def heard(self, clock: LoopbackClock) -> None:
        """Wait until the question came, by the real time, and a second more by the pretended one."""
        async with asyncio.timeout(10):
            while not self._has_heard:  # noqa: ASYNC110
                await asyncio.sleep(0.002)
        await clock.advance(1)


class FeishuStage:
    """One simulator and one adapter, with a question asked."""

    def __init__(self, sim: FeishuSimulator, adapter: Adapter, wire: Wire, inbox: Inbox) -> None:
        self.trace = wire.trace
        self.clock = wire.clock
        self._sim = sim
        self._adapter = adapter
        self._wire = wire
        self._inbox = inbox
        self._opening: CardOpening | None = None

    async def opened(self) -> CardStream:
        """Put the answer's card up; the scenario's time begins when it stands, two requests later."""
        asked = self._sim.send("oc_team", "ou_lin", "@niuma question").message_id
        await self._inbox.heard(self.clock)
        conversation = ConversationRef("feishu", "main", "tenant_demo", "oc_team")
        opening = CardOpening(conversation, RUN, 1, asked, Card(Header("question", CardStatus.WORKING)))
        self._opening = opening
        self._wire.call(asked, "question")
        self.trace.lines.clear()
        self.trace.started_s = self.clock.steady_s() + 4 * LATENCY_S
        opened = asyncio.ensure_future(self._adapter.open_card(opening, MemoryJournal()))
        await self.clock.advance(4 * LATENCY_S)
        return self._stream(await opened)

    def taken_up(self, old: CardSink) -> CardStream:
        """Take the card up as the next owner of the run does, after its process died."""
        assert self._opening is not None
        self._opening = replace(self._opening, attempt=self._opening.attempt + 1)
        return self._stream(self._adapter.reopen_card(self._opening, old.state(), MemoryJournal()))

    def _stream(self, sink: CardSink) -> CardStream:
        return CardStream(sink, pacer=self._adapter.pacer, guard=unguarded, clock=self.clock)

    async def sent_anew(self, card: Card, old: CardSink) -> None:
        """Send the answer as a message and leave its card at rest, as the host does when that will never show it."""
        assert self._opening is not None
        opening = replace(self._opening, card=card)
        sending = asyncio.ensure_future(self._adapter.send_final(opening, MemoryJournal()))
        await self.clock.advance(10)
        self.trace.add(sent=(await sending).receipt.route)
        words = Card(card.header, (Note("moved", "The answer is below."),))
        leaving = asyncio.ensure_future(
            leave_quiet(old, words, pacer=self._adapter.pacer, guard=unguarded, within_s=10)
        )
        await self.clock.advance(10)
        self.trace.add(left=await leaving)

    def fault(self, error: str, times: int) -> None:
        """Let the next `times` writes to the card fail."""
        if error != "stream_ended":
            self._sim.faults.add({"match": {"path": _WRITES}, "action": _FAULTS[error], "times": times})
            return
        for card in self._sim.cards.by_id.values():
            self._sim.cards.show(card, elements.with_config(card.tree, {"streaming_mode": False}), "settings")

    def visible_ends(self) -> list[str]:
        """Give what a reader sees of each message of the bot, and whether its text still streams."""
        mine = [each for each in self._sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [f"{each['text']}\n(streaming: {each['card_state']['streaming']})" for each in mine]


@asynccontextmanager
async def feishu_stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FeishuStage]:
    """Start both ends; the adapter is connected and knows its own id."""
    sim = FeishuSimulator()
    await sim.start()
    clock = LoopbackClock(sim)
    wire = Wire(clock)
    for module in ("client", "token"):
        monkeypatch.setattr(f"channels.feishu.{module}.send", wire.send)
    given = {"id": "main", "app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url, "silence_s": 86_400}
    adapter = Adapter(FeishuSettings.model_validate(given), clock)
    inbox = Inbox()
    await adapter.start(inbox)
    try:
        async with asyncio.timeout(10):
            while not adapter.health().ok:
                await clock.advance(LATENCY_S)
                await asyncio.sleep(0.01)
        yield FeishuStage(sim, adapter, wire, inbox)
    finally:
        stopping = asyncio.ensure_future(adapter.stop())
        while not stopping.done():
            await clock.advance(1)
        await stopping
        await sim.stop()
