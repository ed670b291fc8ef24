"""Every channel does what the contract says: the fake one, whose platform is a file, Feishu, and a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from channels.base import Channel
from channels.events import ConversationRef, Inbound, Toast
from channels.testing.contract import CHECKS, Check, FaultName, gives_a_dead_card_up
from channels.testing.contract_finals import sends_a_final_once_whatever_record_was_lost
from channels.testing.fake import FakeChannel
from gateway.clock import FakeClock
from tests.contract.feishu_harness import FeishuHarness
from tests.contract.terminal_harness import TerminalHarness

T = TypeVar("T")


class FakeHarness:
    """`FakeChannel` over one file, with time that moves only when told."""

    def __init__(self, path: Path) -> None:
        self.clock = FakeClock()
        self._path = path
        self._channels: list[FakeChannel] = []

    async def make_channel(self) -> Channel:
        channel = FakeChannel(self._path, self.clock)
        self._channels.append(channel)
        await channel.start(self._handle)
        return channel

    def conversation(self) -> ConversationRef:
        return ConversationRef("fake", "main", "tenant1", "chat1")

    async def visible_text(self, conversation: ConversationRef) -> str:
        return "\n\n".join(self._channels[-1].visible(conversation))

    async def messages(self, conversation: ConversationRef) -> int:
        return len(self._channels[-1].visible(conversation))

    async def refusals(self) -> int:
        world = self._channels[-1].platform.world
        world.refresh()
        return sum(1 for call in world.calls if call.get("refused"))

    async def fault(self, name: FaultName) -> None:
        channel = self._channels[-1]
        world = channel.platform.world
        if name == "stream_ended":
            world.tell({"do": "end_streams"})
        elif name == "card_gone":
            world.tell({"do": "recall", "message": list(world.messages)[-1]})
        else:
            error = {
                "rate_limited": "rate_app",
                "connection_lost": "connection_lost",
                "answer_lost": "applied_unknown",
                "preview_refused": "rejected",
            }[name]
            channel.fault("content", error)

    async def pass_time(self, seconds: float) -> None:
        await self.clock.advance(seconds)

    async def later(self, seconds: float) -> Channel:
        await self._channels[-1].stop()
        await self.clock.advance(seconds)
        return await self.make_channel()

    async def ask(self) -> str:
        return "a question"

    async def take_back(self, message_id: str) -> None:
        self._channels[-1].platform.world.tell({"do": "recall", "message": message_id})

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        for _ in range(1200):
            await self.clock.settle()
            if task.done():
                break
            await self.clock.advance(0.05)
        assert task.done(), "not finished within a minute"
        return await task

    async def stop(self) -> None:
        for channel in self._channels:
            await channel.stop()

    @staticmethod
    async def _handle(inbound: Inbound) -> Toast | None:
        raise AssertionError(f"nobody wrote: {inbound}")


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[FakeHarness]:
    made = FakeHarness(tmp_path / "platform")
    yield made
    await made.stop()


@pytest.fixture
async def feishu() -> AsyncIterator[FeishuHarness]:
    made = FeishuHarness()
    await made.start()
    yield made
    await made.stop()


NOT_ON_A_TERMINAL = (gives_a_dead_card_up, sends_a_final_once_whatever_record_was_lost)
"""Nobody can take a card out of a terminal; a final has one page there, see `test_window`."""


@pytest.fixture
async def terminal() -> AsyncIterator[TerminalHarness]:
    made = TerminalHarness()
    yield made
    await made.stop()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_fake(check: Check, harness: FakeHarness) -> None:
    await check(harness)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_feishu(check: Check, feishu: FeishuHarness) -> None:
    await check(feishu)


@pytest.mark.parametrize(
    "check",
    [each for each in CHECKS if each not in NOT_ON_A_TERMINAL],
    ids=lambda check: check.__name__,
)
async def test_terminal(check: Check, terminal: TerminalHarness) -> None:
    await check(terminal)
