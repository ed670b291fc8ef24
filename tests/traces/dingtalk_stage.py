"""The real DingTalk adapter and the simulator, connected over loopback, with a question asked."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header, Note
from channels.cards.ports import CardSink
from channels.cards.stream import CardStream
from channels.dingtalk import http
from channels.dingtalk.adapter import Adapter
from channels.errors import ChannelError
from channels.events import ConversationRef
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.testing.journal import MemoryJournal
from channels.testing.trace import Trace
from tests.contract.dingtalk_adapter import GROUP, LIN, RUN, TEMPLATE, Inbox, example_template, settings_for
from tests.traces.feishu_wire import LATENCY_S, LoopbackClock

Json = dict[str, Any]

_WRITES = r"/v1.0/card/(streaming|instances)$"
_FAULTS: Mapping[str, Json] = {
    "rate_app": {"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"},
    "rejected": {"status": 400, "code": "param.invalid"},
}
_LONGEST_SHOWN = 40


async def unguarded() -> None:
    """Guard nothing: one process only."""


class Wire:
    """Takes the place of `http.send`: lets requests take their time and writes each down."""

    def __init__(self, clock: LoopbackClock) -> None:
        self.trace = Trace(clock)
        self.clock = clock

    async def send(self, session: aiohttp.ClientSession, request: http.Request) -> http.Answer:
        """Send as `http.send` does."""
        number = len(self.trace.lines)
        path = re.sub(r"^https?://[^/]+(/v1\.0)?|\?.*$", "", request.url)
        self.trace.add(do=f"{request.verb} {path}", body=_shortened(_readable(dict(request.body or {}))))
        await self.clock.sleep(LATENCY_S)
        self.clock.on_the_way += 1
        code = ""
        try:
            answer = await http.send(session, request)
            code = answer.code
        except ChannelError as error:
            code = type(error).__name__
            raise
        finally:
            self.clock.on_the_way -= 1
            line = json.loads(self.trace.lines[number])
            body = line.pop("body")
            self.trace.lines[number] = json.dumps({**line, "code": code or "ok", "body": body}, ensure_ascii=False)
        await self.clock.sleep(LATENCY_S)
        return answer


class DingtalkStage:
    """One simulator and one adapter, with a question asked."""

    def __init__(self, sim: DingTalkSimulator, adapter: Adapter, wire: Wire, inbox: Inbox) -> None:
        self.trace = wire.trace
        self.clock = wire.clock
        self._sim = sim
        self._adapter = adapter
        self._inbox = inbox
        self._opening: CardOpening | None = None

    async def opened(self) -> CardStream:
        """Put the answer's card up; the scenario's time begins when it stands."""
        asked = self._sim.send(GROUP, LIN, "@niuma question").message_id
        async with asyncio.timeout(10):
            while not self._inbox.items:  # noqa: ASYNC110
                await asyncio.sleep(0.002)
        conversation = ConversationRef("dingtalk", "main", "dingcorp", f"group.{GROUP}")
        self._opening = CardOpening(conversation, RUN, 1, asked, Card(Header("question", CardStatus.WORKING)))
        await self._adapter._client.authenticate()  # pyright: ignore[reportPrivateUsage]
        self.trace.lines.clear()
        self.trace.started_s = self.clock.steady_s() + 2 * LATENCY_S
        opened = asyncio.ensure_future(self._adapter.open_card(self._opening, MemoryJournal()))
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
        sending = asyncio.ensure_future(self._adapter.send_final(replace(self._opening, card=card), MemoryJournal()))
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
            self._sim.faults.add(
                {"match": {"path": _WRITES, "method": "PUT"}, "action": _FAULTS[error], "times": times}
            )
            return
        for card in self._sim.cards.by_id.values():
            card.flow_status = "3"

    def visible_ends(self) -> list[str]:
        """Give what Lin reads of each message of the robot, and in which state it is."""
        mine = [each for each in self._sim.state()["messages"] if each["sender"]["type"] == "bot"]
        return [
            f"{self._sim.message(each['id'], LIN)['text']}\n(state: {each['card']['flow_status']})" for each in mine
        ]


def _readable(value: Any) -> Any:
    """Leave out what differs from run to run or never changes, and read what buttons carry."""
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if key not in ("guid", "cardUpdateOptions", "userIdType")}
        hidden = {key for key, each in kept.items() if each == "false" and key.startswith("show_")}
        return {key: _readable(each) for key, each in kept.items() if key not in hidden}
    return value


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(each) for key, each in value.items()}
    if isinstance(value, str) and len(value) > 2 * _LONGEST_SHOWN + 10:
        return f"{value[:_LONGEST_SHOWN]} …{len(value)}… {value[-_LONGEST_SHOWN:]}"
    return value


@asynccontextmanager
async def dingtalk_stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DingtalkStage]:
    """Start both ends; the adapter is connected."""
    sim = DingTalkSimulator(api_per_second=60, monthly_calls=1_000_000, ping_every_s=1e9, keepalive_every_s=1e9)
    sim.add_template(TEMPLATE, **example_template())
    await sim.start()
    clock = LoopbackClock(sim)  # type: ignore[arg-type]
    wire = Wire(clock)
    monkeypatch.setattr("channels.dingtalk.client.send", wire.send)
    adapter, inbox = Adapter(settings_for(sim, silence_s=86_400, quiet_s=86_400), clock), Inbox()
    await adapter.start(inbox)
    try:
        async with asyncio.timeout(10):
            while not adapter.health().ok:
                await clock.advance(LATENCY_S)
                await asyncio.sleep(0.01)
        yield DingtalkStage(sim, adapter, wire, inbox)
    finally:
        stopping = asyncio.ensure_future(adapter.stop())
        while not stopping.done():
            await clock.advance(1)
        await stopping
        await sim.stop()
