"""The channel contract's harness over the DingTalk adapter and the simulator, their times moved together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from channels.base import Channel
from channels.cards.model import Action
from channels.dingtalk.adapter import Adapter
from channels.events import CardAction, ConversationRef, Inbound, InboundMessage, Toast
from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.testing.contract import FaultName
from gateway.clock import FakeClock
from tests.contract.dingtalk_adapter import GROUP, LIN, TEMPLATE, example_template, settings_for

T = TypeVar("T")

_STEP_S = 0.05
_LONG_S, _LONG_STEP_S = 10.0, 0.5
"""Where so much time passes, it passes in larger steps."""
_WRITES = r"/v1.0/card/(streaming|instances)$"
_QPS = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"
_ACTIONS: dict[str, dict[str, Any]] = {
    "rate_limited": {"status": 403, "code": _QPS},
    "connection_lost": {"drop": True},
    "answer_lost": {"lost_answer": True},
    "preview_refused": {"status": 400, "code": "param.invalid"},
}


class DingtalkHarness:
    """One simulator, and adapters that come and go like processes."""

    def __init__(self, **settings: Any) -> None:
        self.clock = FakeClock()
        self._settings = settings
        self._sim = DingTalkSimulator(
            api_per_second=60, monthly_calls=1_000_000, ping_every_s=1e9, keepalive_every_s=1e9
        )
        self._sim.add_template(TEMPLATE, **example_template())
        self._adapter: Adapter | None = None
        self._inbox: list[Inbound] = []

    async def start(self) -> None:
        await self._sim.start()

    async def stop(self) -> None:
        if self._adapter is not None:
            await self._adapter.stop()
        await self._sim.stop()

    async def make_channel(self) -> Channel:
        if self._adapter is not None:
            await self._adapter.stop()
        self._adapter = Adapter(settings_for(self._sim, **self._settings), self.clock)
        await self._adapter.start(self._handle)
        async with asyncio.timeout(10):
            while not self._adapter.health().ok:
                await self.pass_time(_STEP_S)
        return self._adapter

    def conversation(self) -> ConversationRef:
        return ConversationRef("dingtalk", "main", "dingcorp", f"group.{GROUP}")

    async def visible_text(self, conversation: ConversationRef) -> str:
        return "\n\n".join(message["text"] for message in self._answers(conversation))

    async def messages(self, conversation: ConversationRef) -> int:
        return len(self._answers(conversation))

    async def refusals(self) -> int:
        return sum(1 for entry in self._sim.timeline.since() if entry.kind == "rest" and entry.code)

    async def fault(self, name: FaultName) -> None:
        if name == "stream_ended":
            for track in self._sim.cards.by_id:
                self._sim.cards.by_id[track].flow_status = "3"
        elif name == "card_gone":
            self._sim.cards.by_id.pop(self._answers(self.conversation())[-1]["card"]["out_track_id"])
        else:
            self._sim.faults.add({"match": {"path": _WRITES, "method": "PUT"}, "action": _ACTIONS[name], "times": 1})

    async def pass_time(self, seconds: float) -> None:
        left_s, longest_s = seconds, _STEP_S if seconds < _LONG_S else _LONG_STEP_S
        while left_s > 1e-9:
            step_s = min(longest_s, left_s)
            await self.clock.advance(step_s)
            self._sim.advance(step_s)
            await self._quiet()
            left_s -= step_s

    async def later(self, seconds: float) -> Channel:
        if self._adapter is not None:
            await self._adapter.stop()
            self._adapter = None
        await self.clock.advance(seconds)
        self._sim.advance(seconds)
        return await self.make_channel()

    async def ask(self) -> str:
        self._sim.send(GROUP, LIN, "@niuma hello")
        await self.pass_time(_STEP_S)
        asked = self._inbox[-1]
        assert isinstance(asked, InboundMessage)
        return asked.message_id

    async def press(self, action: Action) -> CardAction:
        shown = self._answers(self.conversation())[-1]["id"]
        who = action.audience or LIN
        answer = await self.finish(self._sim.click(shown, who, f"btn_{action.name}"))
        pressed = self._inbox[-1]
        assert isinstance(pressed, CardAction), answer
        return pressed

    async def take_back(self, message_id: str) -> None:
        self._sim.recall(message_id)
        await self.pass_time(_STEP_S)

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        for _ in range(1200):
            await self._quiet()
            if task.done():
                break
            await self.pass_time(_STEP_S)
        assert task.done(), "not finished within a minute"
        return await task

    async def _quiet(self) -> None:
        """Let what is on its way arrive, so that the network takes no time on either clock."""
        for _ in range(200):
            await asyncio.sleep(0.001)
            await self.clock.settle()
            if not any(entry.kind == "rest" and entry.status == 0 for entry in self._sim.timeline.since()[-20:]):
                return

    def _answers(self, conversation: ConversationRef) -> list[dict[str, Any]]:
        return [
            message
            for message in self._sim.state()["messages"]
            if message["sender"]["type"] == "bot" and not message["recalled"] and message["chat_id"] == GROUP
        ]

    async def _handle(self, inbound: Inbound) -> Toast | None:
        self._inbox.append(inbound)
        return Toast("info", "ok")
