"""Every channel does what the contract says: a fake one, Feishu, Slack (by edits and by streams), and a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from channels.base import Channel
from channels.capabilities import Capabilities
from channels.cards.model import Action
from channels.dingtalk.limits import capabilities_of as dingtalk_capabilities
from channels.dingtalk.settings import DingtalkSettings
from channels.events import CardAction, ConversationRef, DedupeKey, Inbound, Sender, Toast
from channels.feishu.limits import capabilities_of as feishu_capabilities
from channels.slack.limits import CAPABILITIES as SLACK_CAPABILITIES
from channels.terminal.adapter import capabilities_of as terminal_capabilities
from channels.testing.contract import Check, FaultName, checks_of, gives_a_dead_card_up
from channels.testing.contract_files import (
    FILES,
    refuses_an_empty_file_for_good,
    sends_a_file_once_whatever_record_was_lost,
)
from channels.testing.contract_finals import sends_a_final_once_whatever_record_was_lost
from channels.testing.fake import FAKE_CAPABILITIES, FakeChannel
from gateway.clock import FakeClock
from tests.contract.dingtalk_harness import DingtalkHarness
from tests.contract.feishu_harness import FeishuHarness
from tests.contract.slack_harness import SlackHarness
from tests.contract.terminal_harness import TerminalHarness

T = TypeVar("T")


class FakeHarness:
    """`FakeChannel` over one file, with time that moves only when told."""

    def __init__(self, path: Path) -> None:
        self.clock = FakeClock()
        self._path = path
        self._channels: list[FakeChannel] = []
        self._presses: list[CardAction] = []

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

    async def press(self, action: Action) -> CardAction:
        channel = self._channels[-1]
        world = channel.platform.world
        world.refresh()
        shown = list(world.messages.values())[-1]
        assert shown.card is not None and action.value() in world.cards[shown.card].actions, "no such button"
        where, who, now_ms = self.conversation(), Sender("u1", "tenant1"), self.clock.now_ms()
        key = DedupeKey("fake", "main", "action", f"press{len(self._presses)}")
        channel.post(CardAction(key, where, shown.id, who, action.value(), now_ms))
        await self.clock.advance(0.2)
        return self._presses[-1]

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

    async def _handle(self, inbound: Inbound) -> Toast | None:
        assert isinstance(inbound, CardAction), f"nobody wrote: {inbound}"
        self._presses.append(inbound)
        return Toast("info", "ok")


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


@pytest.fixture
async def slack_channel() -> AsyncIterator[SlackHarness]:
    made = SlackHarness("C0TEAM")
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def dingtalk() -> AsyncIterator[DingtalkHarness]:
    made = DingtalkHarness()
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def slack_direct() -> AsyncIterator[SlackHarness]:
    made = SlackHarness("D0LIN")
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def plain_dingtalk() -> AsyncIterator[DingtalkHarness]:
    made = DingtalkHarness(card_template_id="")
    await made.start()
    yield made
    await made.stop()


def _dingtalk(**more: str) -> Capabilities:
    given = {"id": "main", "client_id": "dingdemo", "client_secret": "secret", "edition": "pack", **more}
    return dingtalk_capabilities(DingtalkSettings.model_validate(given))


DINGTALK, DINGTALK_PLAIN = _dingtalk(card_template_id="example.schema"), _dingtalk()
NOT_ON_DINGTALK = tuple(each for each in FILES if each is not refuses_an_empty_file_for_good)
"""Its messages take no file of the type these checks send, and it has no call to look for one: a file that may have
been sent is `Unproven`. See `test_dingtalk_adapter_plain` for those it takes, each once."""
NOT_WITHOUT_A_TEMPLATE = (*NOT_ON_DINGTALK, sends_a_final_once_whatever_record_was_lost)
"""The platform has no call to look for a message: an answer that may have been sent is never doubled."""
NOT_ON_A_TERMINAL = (
    gives_a_dead_card_up,
    sends_a_final_once_whatever_record_was_lost,
    sends_a_file_once_whatever_record_was_lost,
)
"""Nobody can take a card out of a terminal; a final has one page there, see `test_window`. Where a file
was put is told again when that was not recorded: the file is there once, see `test_files`."""


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[TerminalHarness]:
    made = TerminalHarness(tmp_path)
    yield made
    await made.stop()


@pytest.mark.parametrize("check", checks_of(FAKE_CAPABILITIES), ids=lambda check: check.__name__)
async def test_fake(check: Check, harness: FakeHarness) -> None:
    await check(harness)


@pytest.mark.parametrize("check", checks_of(feishu_capabilities("auto")), ids=lambda check: check.__name__)
async def test_feishu(check: Check, feishu: FeishuHarness) -> None:
    await check(feishu)


@pytest.mark.parametrize("check", checks_of(SLACK_CAPABILITIES), ids=lambda check: check.__name__)
async def test_slack_edits(check: Check, slack_channel: SlackHarness) -> None:
    await check(slack_channel)


@pytest.mark.parametrize("check", checks_of(SLACK_CAPABILITIES), ids=lambda check: check.__name__)
async def test_slack_streams(check: Check, slack_direct: SlackHarness) -> None:
    await check(slack_direct)


@pytest.mark.parametrize(
    "check",
    [each for each in checks_of(DINGTALK) if each not in NOT_ON_DINGTALK],
    ids=lambda check: check.__name__,
)
async def test_dingtalk(check: Check, dingtalk: DingtalkHarness) -> None:
    await check(dingtalk)


@pytest.mark.parametrize(
    "check",
    [each for each in checks_of(DINGTALK_PLAIN) if each not in NOT_WITHOUT_A_TEMPLATE],
    ids=lambda check: check.__name__,
)
async def test_dingtalk_without_a_template(check: Check, plain_dingtalk: DingtalkHarness) -> None:
    await check(plain_dingtalk)


@pytest.mark.parametrize(
    "check",
    [each for each in checks_of(terminal_capabilities(is_live=True)) if each not in NOT_ON_A_TERMINAL],
    ids=lambda check: check.__name__,
)
async def test_terminal(check: Check, terminal: TerminalHarness) -> None:
    await check(terminal)
