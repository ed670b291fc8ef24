"""Each scenario gives exactly the requests written down in its golden file.

Set NIUMA_TEST_WRITE_TRACES=1 to write the golden files anew, then read the difference.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

import pytest

from channels.base import CardOpening
from channels.cards.model import Card, CardStatus, Header
from channels.cards.ports import CardSink
from channels.cards.stream import CardStream
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from channels.testing.platform import Rules
from channels.testing.trace import Scenario, TracedSink, changed, play, traced
from gateway.clock import FakeClock
from tests.traces.dingtalk_stage import dingtalk_stage
from tests.traces.feishu_stage import feishu_stage
from tests.traces.slack_stage import slack_stage

HERE = Path(__file__).parent
STAGES = {"feishu": feishu_stage, "dingtalk": dingtalk_stage}
SCENARIOS = sorted((HERE / "scenarios").glob("*.toml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_fake(path: Path, clock: FakeClock, tmp_path: Path) -> None:
    channel = FakeChannel(tmp_path / "platform", clock, rules=Rules(latency_s=0.02))
    opening = CardOpening(channel.conversation(), "run1", 1, None, Card(Header("question", CardStatus.WORKING)))
    opened = channel.open_card(opening, MemoryJournal())
    sink = await finished(clock, opened)
    stream, trace = traced(sink, channel.pacer, clock)

    def fault(error: str, times: int) -> None:
        channel.fault("content", error, times)

    def take_up(old: CardSink) -> CardStream:
        again = channel.reopen_card(replace(opening, attempt=2), old.state(), MemoryJournal())
        return CardStream(TracedSink(again, trace), pacer=channel.pacer, guard=MemoryJournal().guard, clock=clock)

    closed = await play(Scenario.load(path), stream, trace, advance=clock.advance, fault=fault, take_up=take_up)
    trace.lines += ["", *"\n----\n".join(visible_ends(channel)).splitlines()]
    assert closed.seen or closed.permanent
    compare(HERE / "golden" / "fake" / f"{path.stem}.txt", "\n".join(trace.lines) + "\n")


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
@pytest.mark.parametrize("platform", STAGES)
async def test_platform(platform: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with STAGES[platform](monkeypatch) as stage:
        stream = await stage.opened()
        scenario = Scenario.load(path)
        closed = await play(
            scenario, stream, stage.trace, advance=stage.clock.advance, fault=stage.fault, take_up=stage.taken_up
        )
        if closed.permanent and not closed.seen:
            await stage.sent_anew(last_card(scenario), stream.sink)
        ends = [shortened(text) for text in stage.visible_ends()]
        lines = [*stage.trace.lines, "", *"\n----\n".join(ends).splitlines()]
    assert closed.seen or closed.permanent
    compare(HERE / "golden" / platform / f"{path.stem}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_slack(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with slack_stage(monkeypatch) as stage:
        stream = await stage.opened()
        scenario = Scenario.load(path)
        closed = await play(
            scenario, stream, stage.trace, advance=stage.clock.advance, fault=stage.fault, take_up=stage.taken_up
        )
        if closed.permanent and not closed.seen:
            await stage.sent_anew(last_card(scenario), stream.sink)
        ends = [shortened(text) for text in stage.visible_ends()]
        lines = [*stage.trace.lines, "", *"\n----\n".join(ends).splitlines()]
    assert closed.seen or closed.permanent
    compare(HERE / "golden" / "slack" / f"{path.stem}.txt", "\n".join(lines) + "\n")


def last_card(scenario: Scenario) -> Card:
    card = Card(Header("question", CardStatus.WORKING))
    for _, step in scenario.moments():
        card = changed(card, step)
    return card


def compare(golden: Path, text: str) -> None:
    if os.environ.get("NIUMA_TEST_WRITE_TRACES") == "1":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def visible_ends(channel: FakeChannel) -> list[str]:
    """What a reader sees at the end, long cards shortened."""
    shown = channel.visible(channel.conversation())
    return [shortened(text) for text in shown]


def shortened(text: str) -> str:
    return text if len(text) < 400 else f"{text[:150]}\n…{len(text)}…\n{text[-150:]}"


async def finished(clock: FakeClock, work: Awaitable[CardSink]) -> CardSink:
    task = asyncio.ensure_future(work)
    await clock.advance(1)
    return await task
