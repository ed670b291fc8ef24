"""The channel contract's harness over the Slack adapter and the simulator, their times moved together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from channels.base import Channel
from channels.cards.model import Action
from channels.events import CardAction, ConversationRef, Inbound, InboundMessage, Toast
from channels.simulators.slack.simulator import SlackSimulator
from channels.slack.adapter import Adapter
from channels.slack.settings import SlackSettings
from channels.testing.contract import FaultName
from gateway.clock import FakeClock

T = TypeVar("T")

_STEP_S = 0.05
_LONG_S, _LONG_STEP_S = 10.0, 0.5
"""Where so much time passes, it passes in larger steps."""
_WRITES = r"/api/chat\.(update|appendStream)$"
_ACTIONS: dict[str, dict[str, Any]] = {
    "rate_limited": {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}},
    "connection_lost": {"drop": True},
    "answer_lost": {"lost_answer": True},
    "preview_refused": {"status": 200, "error": "invalid_blocks"},
}


class SlackHarness:
    """One simulator, and adapters that come and go like processes. `chat`: a channel, or a direct chat with streams."""

    def __init__(self, chat: str = "C0TEAM", **options: Any) -> None:
        self.clock = FakeClock()
        self._chat = chat
        self._sim = SlackSimulator(**options)
        self._adapter: Adapter | None = None
        self._presses: list[CardAction] = []
        self._thread = ""

    async def start(self) -> None:
        await self._sim.start()
        # A stream needs a thread: the conversation is the thread of a question.
        self._thread = self._sim.send(self._chat, "U0LIN", "hello").message_id.partition("/")[2]

    async def stop(self) -> None:
        if self._adapter is not None:
            await self._adapter.stop()
        await self._sim.stop()

    async def make_channel(self) -> Channel:
        if self._adapter is not None:
            await self._adapter.stop()
        sim = self._sim
        given = {"id": "main", "bot_token": sim.bot_token, "app_token": sim.app_token, "base_url": sim.api_url}
        self._adapter = Adapter(SlackSettings.model_validate(given), self.clock)
        await self._adapter.start(self._handle)
        async with asyncio.timeout(10):
            while not self._adapter.health().ok:
                await self.pass_time(_STEP_S)
        return self._adapter

    def conversation(self) -> ConversationRef:
        return ConversationRef("slack", "main", "T0DEMO", self._chat, self._thread)

    async def visible_text(self, conversation: ConversationRef) -> str:
        return "\n\n".join(message["shown"] for message in self._answers(conversation))

    async def messages(self, conversation: ConversationRef) -> int:
        return len(self._answers(conversation))

    async def refusals(self) -> int:
        return sum(1 for entry in self._sim.timeline.since() if entry.kind == "rest" and entry.code)

    async def fault(self, name: FaultName) -> None:
        if name == "stream_ended":
            for message in self._sim.world.messages.values():
                if message.stream is not None and not message.stream.end:
                    message.stream.end = "expired"
        elif name == "card_gone":
            self._sim.delete(self._answers(self.conversation())[-1]["id"])
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
        message_id = self._sim.send(self._chat, "U0LIN", "hello", thread_ts=self._thread).message_id
        return f"T0DEMO/{message_id}"

    async def press(self, action: Action) -> CardAction:
        shown = self._answers(self.conversation())[-1]
        buttons = [each for block in shown["blocks"] if block["type"] == "actions" for each in block["elements"]]
        button = next(each for each in buttons if each["action_id"].startswith(action.name))
        await self.finish(self._sim.click(shown["id"], "U0LIN", button["action_id"]))
        await self.pass_time(_STEP_S)
        return self._presses[-1]

    async def take_back(self, message_id: str) -> None:
        self._sim.delete(message_id.partition("/")[2])
        await self.pass_time(_STEP_S)

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        for _ in range(2400):
            await self._quiet()
            if task.done():
                break
            await self.pass_time(_STEP_S)
        assert task.done(), "not finished within two minutes"
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
            and not message["deleted"]
            and not message["ephemeral_to"]
            and message["chat_id"] == conversation.chat
        ]

    async def _handle(self, inbound: Inbound) -> Toast | None:
        if isinstance(inbound, InboundMessage):
            return None
        assert isinstance(inbound, CardAction), f"nobody did this: {inbound}"
        self._presses.append(inbound)
        return Toast("info", "ok")
