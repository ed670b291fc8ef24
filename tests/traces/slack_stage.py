"""The real Slack adapter and the simulator, connected over loopback, with a question asked in a direct chat."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header, Note
from channels.cards.ports import CardSink
from channels.cards.stream import CardStream
from channels.errors import ChannelError
from channels.events import ConversationRef
from channels.simulators.slack.simulator import SlackSimulator
from channels.slack.adapter import Adapter
from channels.slack.client import Client
from channels.slack.settings import SlackSettings
from channels.testing.journal import MemoryJournal
from channels.testing.trace import Trace
from tests.traces.feishu_stage import RUN, Inbox, unguarded
from tests.traces.feishu_wire import LATENCY_S, LoopbackClock

Json = dict[str, Any]

_WRITES = r"/api/chat\.(update|appendStream)$"
_FAULTS: Mapping[str, Json] = {
    "rate_app": {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}},
    "rejected": {"status": 200, "error": "invalid_blocks"},
}
_LONGEST_SHOWN = 40


class Wire:
    """Takes the place of `Client.call`: lets requests take their time and writes each down."""

    def __init__(self, clock: LoopbackClock) -> None:
        self.trace = Trace(clock)
        self.clock = clock
        self.names: dict[str, str] = {}

    def over(self, call: Any) -> Any:
        """Give a `Client.call` that does what `call` does."""

        async def wired(client: Client, method: str, arguments: Mapping[str, Any] | None = None) -> Json:
            number = len(self.trace.lines)
            self.trace.add(do=method, body=_seen(dict(arguments or {})))
            await self.clock.sleep(LATENCY_S)
            self.clock.on_the_way += 1
            code = "ok"
            try:
                answer: Json = await call(client, method, arguments)
            except ChannelError as error:
                code = error.code
                raise
            finally:
                self.clock.on_the_way -= 1
                self._ended(number, code)
            if method in ("chat.postMessage", "chat.startStream"):
                count = 1 + sum(name.startswith("message") for name in self.names.values())
                self.names.setdefault(str(answer["ts"]), f"message{count}")
            await self.clock.sleep(LATENCY_S)
            return answer

        return wired

    def _ended(self, number: int, code: str) -> None:
        line = json.loads(self.trace.lines[number])
        body = line.pop("body")
        text = json.dumps({**line, "code": code, "body": body}, ensure_ascii=False)
        for theirs, ours in self.names.items():
            text = text.replace(theirs, ours)
        self.trace.lines[number] = text


class SlackStage:
    """One simulator and one adapter, with a question asked."""

    def __init__(self, sim: SlackSimulator, adapter: Adapter, wire: Wire, inbox: Inbox) -> None:
        self.trace = wire.trace
        self.clock = wire.clock
        self._sim = sim
        self._adapter = adapter
        self._wire = wire
        self._inbox = inbox
        self._opening: CardOpening | None = None

    async def opened(self) -> CardStream:
        """Put the answer's card up; the scenario's time begins when it stands, one request later."""
        asked = self._sim.send("D0LIN", "U0LIN", "question").message_id
        await self._inbox.heard(self.clock)
        conversation = ConversationRef("slack", "main", "T0DEMO", "D0LIN")
        opening = CardOpening(conversation, RUN, 1, f"T0DEMO/{asked}", Card(Header("question", CardStatus.WORKING)))
        self._opening = opening
        self._wire.names[asked.partition("/")[2]] = "question"
        self.trace.lines.clear()
        self.trace.started_s = self.clock.steady_s() + 2 * LATENCY_S
        opened = asyncio.ensure_future(self._adapter.open_card(opening, MemoryJournal()))
        await self.clock.advance(2 * LATENCY_S)
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
        for message in self._sim.world.messages.values():
            if message.stream is not None and not message.stream.end:
                message.stream.end = "expired"

    def visible_ends(self) -> list[str]:
        """Give what a reader sees of each message of the bot, and whether its text still streams."""
        mine = [each for each in self._sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [f"{each['shown']}\n(streaming: {each['streaming']})" for each in mine]


@asynccontextmanager
async def slack_stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlackStage]:
    """Start both ends; the adapter is connected and knows who it is."""
    sim = SlackSimulator()
    await sim.start()
    clock = LoopbackClock(cast("Any", sim))
    wire = Wire(clock)
    given = {"id": "main", "bot_token": sim.bot_token, "app_token": sim.app_token, "base_url": sim.api_url}
    adapter, inbox = Adapter(SlackSettings.model_validate(given | {"silence_s": 86_400}), clock), Inbox()
    await adapter.start(inbox)
    try:
        async with asyncio.timeout(10):
            while not adapter.health().ok:
                await clock.advance(LATENCY_S)
                await asyncio.sleep(0.01)
        monkeypatch.setattr(Client, "call", wire.over(Client.call))
        yield SlackStage(sim, adapter, wire, inbox)
    finally:
        stopping = asyncio.ensure_future(adapter.stop())
        while not stopping.done():
            await clock.advance(1)
        await stopping
        await sim.stop()


def _seen(body: Json) -> Json:
    """Leave of a request what differs from one to the next."""
    kept = {key: value for key, value in body.items() if value is not None and not re.match("unfurl_", key)}
    if "blocks" in kept:
        kept["blocks"] = [_block(block) for block in kept["blocks"]]
    return cast("Json", _shortened(kept))


def _block(block: Json) -> str:
    words = block.get("text", block.get("elements", ""))
    if isinstance(words, dict):
        words = words.get("text", "")
    if isinstance(words, list):
        words = ", ".join(str(_block(each)).partition(": ")[2] for each in words)
    return f"{block['type']}: {words}"


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in cast("Json", value).items()}
    if isinstance(value, list):
        return [_shortened(each) for each in cast("list[Any]", value)]
    if isinstance(value, str) and len(value) > 2 * _LONGEST_SHOWN + 10:
        return f"{value[:_LONGEST_SHOWN]} …{len(value)}… {value[-_LONGEST_SHOWN:]}"
    return value
