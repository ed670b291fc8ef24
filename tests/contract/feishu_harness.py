"""The channel contract's harness over the Feishu adapter and the simulator, their times moved together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from channels.base import Channel
from channels.cards.model import Action
from channels.events import CardAction, ConversationRef, Inbound, Toast
from channels.feishu.adapter import Adapter
from channels.feishu.settings import FeishuSettings
from channels.simulators.feishu import elements
from channels.simulators.feishu.simulator import FeishuSimulator
from channels.testing.contract import FaultName
from gateway.clock import FakeClock

T = TypeVar("T")

_STEP_S = 0.05
_LONG_S, _LONG_STEP_S = 10.0, 0.5
"""Where so much time passes, it passes in larger steps."""
_WRITES = r"/cardkit/v1/cards/\d+(/|$)"
_ACTIONS: dict[str, dict[str, Any]] = {
    "rate_limited": {"status": 429, "code": 99991400, "headers": {"x-ogw-ratelimit-reset": "1"}},
    "connection_lost": {"drop": True},
    "answer_lost": {"lost_answer": True},
    "preview_refused": {"status": 400, "code": 10002},
}


class FeishuHarness:
    """One simulator, and adapters that come and go like processes."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self._sim = FeishuSimulator()
        self._adapter: Adapter | None = None
        self._presses: list[CardAction] = []

    async def start(self) -> None:
        await self._sim.start()

    async def stop(self) -> None:
        if self._adapter is not None:
            await self._adapter.stop()
        await self._sim.stop()

    async def make_channel(self) -> Channel:
        if self._adapter is not None:
            await self._adapter.stop()
        sim = self._sim
        given = {"id": "main", "app_id": sim.app_id, "app_secret": sim.app_secret, "domain": sim.url}
        self._adapter = Adapter(FeishuSettings.model_validate(given), self.clock)
        await self._adapter.start(self._handle)
        async with asyncio.timeout(10):
            while not self._adapter.health().ok:
                await self.pass_time(_STEP_S)
        return self._adapter

    def conversation(self) -> ConversationRef:
        return ConversationRef("feishu", "main", "tenant_demo", "oc_team")

    async def visible_text(self, conversation: ConversationRef) -> str:
        return "\n\n".join(message["text"] for message in self._answers(conversation))

    async def messages(self, conversation: ConversationRef) -> int:
        return len(self._answers(conversation))

    async def refusals(self) -> int:
        return sum(1 for entry in self._sim.timeline.since() if entry.kind == "rest" and entry.code)

    async def fault(self, name: FaultName) -> None:
        if name == "stream_ended":
            for card in self._sim.cards.by_id.values():
                self._sim.cards.show(card, elements.with_config(card.tree, {"streaming_mode": False}), "settings")
        elif name == "card_gone":
            self._sim.recall(self._answers(self.conversation())[-1]["message_id"])
        else:
            self._sim.faults.add({"match": {"path": _WRITES}, "action": _ACTIONS[name], "times": 1})

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
        return self._sim.send("oc_team", "ou_lin", "hello").message_id

    async def press(self, action: Action) -> CardAction:
        shown = self._answers(self.conversation())[-1]["message_id"]
        answer = await self.finish(self._sim.click(shown, "ou_lin", dict(action.value())))
        assert answer["code"] == 0, answer
        return self._presses[-1]

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
            if message["sender"]["type"] == "bot"
            and not message["recalled"]
            and message["chat_id"] == conversation.chat
        ]

    async def _handle(self, inbound: Inbound) -> Toast | None:
        assert isinstance(inbound, CardAction), f"nobody wrote: {inbound}"
        self._presses.append(inbound)
        return Toast("info", "ok")
