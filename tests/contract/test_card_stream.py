"""The card writer against the pretended platform: growth, faults, the last word."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from channels.base import CardOpening
from channels.capabilities import Capabilities, MethodLimit
from channels.cards.model import Card, CardStatus, Header, Text, ToolPanel
from channels.cards.stream import CardStream, Closed
from channels.testing.fake import FAKE_CAPABILITIES, FakeChannel
from channels.testing.journal import MemoryJournal
from channels.testing.platform import Rules
from channels.testing.world import CardEntity
from gateway.clock import FakeClock

FREE = {name: MethodLimit() for name in ("create", "send")}
"""Opening a card is not what is limited here."""


def card(text: str, status: CardStatus = CardStatus.WORKING, *, tool: str = "") -> Card:
    panel = (ToolPanel("p", "tool", tool, "in_progress"),) if tool else ()
    return Card(Header("q", status), (*panel, Text("t", text, streaming=not status.is_terminal and not tool)))


async def owned() -> None:
    return None


class House:
    """One channel with one stream."""

    def __init__(self, clock: FakeClock, path: Path, rules: Rules, capabilities: Capabilities) -> None:
        self.clock = clock
        self.channel = FakeChannel(path, clock, rules=rules, capabilities=capabilities)
        self.world = self.channel.platform.world

    async def open(self, guard: Callable[[], Awaitable[None]] = owned, run: str = "run1") -> CardStream:
        opening = CardOpening(self.channel.conversation(), run, 1, None, card(""))
        task = asyncio.ensure_future(self.channel.open_card(opening, MemoryJournal()))
        await self.clock.advance(1)
        return CardStream(await task, pacer=self.channel.pacer, guard=guard, clock=self.clock, tags={"run": run})

    async def close(self, stream: CardStream, last: Card, within_s: float = 10) -> Closed:
        closing = asyncio.ensure_future(stream.close(last, within_s=within_s))
        for _ in range(400):
            await self.clock.advance(0.05)
            if closing.done():
                break
        return await closing

    @property
    def entity(self) -> CardEntity:
        return next(iter(self.world.cards.values()))

    @property
    def shown(self) -> str:
        return "\n".join(self.channel.visible(self.channel.conversation()))

    def writes(self, do: str = "content") -> list[dict[str, object]]:
        return [call for call in self.world.calls if call["do"] == do]

    @property
    def refused(self) -> list[str]:
        return [str(call["refused"]) for call in self.world.calls if call.get("refused")]


@pytest.fixture
def house(clock: FakeClock, tmp_path: Path) -> House:
    return House(clock, tmp_path / "platform", Rules(), FAKE_CAPABILITIES)


async def test_five_hundred_deltas_in_a_second_are_seven_writes(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    text = ""
    for n in range(500):
        text += f"w{n} "
        stream.show(card(text))
        await clock.advance(0.002)
    closed = await house.close(stream, card(text, CardStatus.DONE))
    assert closed.seen
    writes = house.writes()
    assert len(writes) <= 7
    times = [float(str(write["at"])) for write in writes]
    assert all(b - a >= 180 for a, b in itertools.pairwise(times))
    history = house.entity.history
    assert all(b.startswith(a) for a, b in itertools.pairwise(history))
    assert history[-1] == text
    assert house.refused == []
    assert not house.entity.streaming


async def test_the_tail_is_flushed_while_a_tool_runs(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(0.05)
    stream.show(card("a b", tool="ls"))
    await clock.advance(0.3)
    assert "a b" in house.shown
    assert "ls" in house.shown
    stream.abandon()


async def test_identical_content_is_not_written(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    for _ in range(20):
        stream.show(card("same"))
        await clock.advance(0.1)
    assert len(house.writes()) == 1
    stream.abandon()


@pytest.mark.parametrize("error", ["connection_lost", "unknown", "applied_unknown", "not_dispatched", "rate_card"])
async def test_a_stumble_does_not_end_the_stream(house: House, clock: FakeClock, error: str) -> None:
    stream = await house.open()
    text = ""
    for n in range(40):
        if n in (8, 20):
            house.channel.fault("content", error)
        text += f"w{n} "
        stream.show(card(text))
        await clock.advance(0.1)
    assert stream.state == "live"
    closed = await house.close(stream, card(text + "end", CardStatus.DONE))
    assert closed.seen
    assert house.shown.count(text + "end") == 1
    assert len(house.refused) == 2


async def test_every_progress_write_refused_is_logged_once_and_the_answer_arrives(
    house: House, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    stream = await house.open()
    house.channel.fault("batch", "rejected", times=1000)
    text = ""
    for n in range(50):
        text += f"w{n} "
        stream.show(card(text, tool=f"step {n}"))
        await clock.advance(0.1)
    await clock.advance(0.3)
    assert text.strip() in house.shown
    house.world.faults.clear()
    with caplog.at_level(logging.WARNING):
        closed = await house.close(stream, card(text + "end", CardStatus.DONE))
    assert closed.seen
    assert len([r for r in caplog.records if r.message == "card.write_refused"]) == 1
    assert len(house.refused) <= 8


async def test_a_recalled_card_takes_two_refusals_at_most(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("before"))
    await clock.advance(0.5)
    house.world.tell({"do": "recall", "message": house.entity.message})
    for n in range(30):
        stream.show(card(f"before {n}"))
        await clock.advance(0.1)
    assert stream.state == "degraded"
    closed = await house.close(stream, card("the answer", CardStatus.DONE))
    assert closed == Closed(False, None, "message", permanent=True)
    assert len(house.refused) == 1


async def test_a_stream_that_lives_too_long_goes_on_in_the_same_card(clock: FakeClock, tmp_path: Path) -> None:
    house = House(clock, tmp_path / "platform", Rules(stream_life_s=60), FAKE_CAPABILITIES)
    stream = await house.open()
    stream.show(card("a "))
    await clock.advance(70)
    stream.show(card("a b "))
    await clock.advance(1)
    assert "a b " in house.shown
    closed = await house.close(stream, card("a b c", CardStatus.DONE))
    assert closed.seen
    assert closed.receipt is not None
    assert closed.receipt.route == "patch"
    assert house.refused == ["lifetime"]


async def test_the_stream_is_renewed_by_the_clock_without_a_token(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a "))
    await clock.advance(515)
    assert stream.state == "rotated"
    await clock.advance(700)
    stream.show(card("a b "))
    await clock.advance(1)
    assert stream.state == "live"
    closed = await house.close(stream, card("a b c", CardStatus.DONE))
    assert closed.seen
    assert house.refused == []
    assert [w["streaming"] for w in house.writes("settings")] == [False, True, False, True, False]


async def test_a_lost_run_writes_nothing_more(house: House, clock: FakeClock) -> None:
    lost = False

    async def guard() -> None:
        if lost:
            raise asyncio.CancelledError

    stream = await house.open(guard)
    stream.show(card("a"))
    await clock.advance(0.5)
    lost = True
    before = len(house.world.calls)
    with pytest.raises(asyncio.CancelledError):
        await house.close(stream, card("a b", CardStatus.DONE))
    assert stream.state == "abandoned"
    assert len(house.world.calls) == before
    assert house.channel.pacer.statistics().live_cards == 0


async def test_abandon_stops_at_once(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(0.3)
    stream.show(card("a b"))
    before = len(house.world.calls)
    stream.abandon()
    stream.abandon()
    stream.show(card("a b c"))
    await clock.advance(5)
    assert len(house.world.calls) == before
    with pytest.raises(asyncio.CancelledError):
        await stream.close(card("a b c", CardStatus.DONE), within_s=1)


async def test_a_platform_that_is_away_leaves_the_answer_owed(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(0.5)
    house.world.tell({"do": "outage", "on": True})
    started = clock.steady_s()
    closed = await house.close(stream, card("a b", CardStatus.DONE), within_s=4)
    assert closed == Closed(False, None, "timeout", permanent=False)
    assert clock.steady_s() - started == pytest.approx(4, abs=0.1)
    assert stream.state == "failed"


async def test_a_short_outage_at_the_end_is_waited_out(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(0.5)
    house.world.tell({"do": "outage", "on": True})
    closing = asyncio.ensure_future(stream.close(card("a b", CardStatus.DONE), within_s=10))
    await clock.advance(2)
    house.world.tell({"do": "outage", "on": False})
    await clock.advance(4)
    assert closing.done()
    assert (await closing).seen


async def test_a_final_that_is_refused_for_good_goes_another_way(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(0.5)
    house.channel.fault("content", "invalid", times=99)
    closed = await house.close(stream, card("a b", CardStatus.DONE))
    assert closed == Closed(False, None, "invalid", permanent=True)
    assert len(house.refused) == 3


async def test_a_card_without_room_for_previews_shows_only_its_end(clock: FakeClock, tmp_path: Path) -> None:
    limits = {name: MethodLimit(per_minute=1) for name in ("content", "batch", "settings")}
    few = Capabilities(can_update_cards=True, can_press_buttons=True, app_limit="counted", methods=limits | FREE)
    house = House(clock, tmp_path / "platform", Rules(), few)
    first = await house.open()
    second = await house.open(run="run2")
    assert first.state == "new"
    assert second.state == "degraded"
    second.show(card("preview"))
    await clock.advance(1)
    assert house.writes() == []
    closed = await house.close(second, card("the end", CardStatus.DONE))
    assert closed.seen
    first.abandon()


async def test_the_last_word_overtakes_a_long_wait(clock: FakeClock, tmp_path: Path) -> None:
    limits = {name: MethodLimit(per_minute=10) for name in ("content", "batch", "settings")}
    few = Capabilities(can_update_cards=True, can_press_buttons=True, app_limit="counted", methods=limits | FREE)
    house = House(clock, tmp_path / "platform", Rules(), few)
    stream = await house.open()
    for n in range(10):
        stream.show(card(f"text {n}"))
        await clock.advance(0.1)
    started = clock.steady_s()
    closed = await house.close(stream, card("the end", CardStatus.DONE))
    assert closed.seen
    assert clock.steady_s() - started <= 0.25


async def test_a_broken_sink_does_not_take_the_run_with_it(
    house: House, clock: FakeClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = await house.open()

    def broken(card: Card, *, final: bool) -> list[object]:
        raise ZeroDivisionError

    monkeypatch.setattr(stream.sink, "plan", broken)  # the fault: a renderer with a bug
    stream.show(card("a"))
    await clock.advance(1)
    assert stream.state == "degraded"
    closed = await house.close(stream, card("b", CardStatus.DONE))
    assert closed == Closed(False, None, "internal", permanent=True)
    assert {r.message for r in caplog.records} >= {"card.preview_broke", "card.writer_broke"}


async def test_one_line_tells_the_life_of_a_card(
    house: House, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="channels.cards.stream")
    stream = await house.open()
    for n in range(10):
        stream.show(card(f"text {n}"))
        await clock.advance(0.05)
    await house.close(stream, card("text 9 end", CardStatus.DONE))
    (line,) = [record for record in caplog.records if record.message == "card.closed"]
    fields = {name: getattr(line, name) for name in ("run", "state", "wanted", "written", "merged", "refused")}
    assert fields == {"run": "run1", "state": "final", "wanted": 11, "written": 4, "merged": 7, "refused": 0}
    statistics = house.channel.pacer.statistics()
    assert (statistics.wanted, statistics.written, statistics.merged) == (11, 4, 7)
    assert statistics.gap.p50_s == pytest.approx(0.2, abs=0.05)
    assert statistics.hidden.max_s <= 0.21


async def test_a_guard_is_asked_before_every_request(house: House, clock: FakeClock) -> None:
    asked: list[int] = []

    async def guard() -> None:
        asked.append(len(house.world.calls))

    stream = await house.open(guard)
    stream.show(card("a", tool="x"))
    await clock.advance(0.5)
    await house.close(stream, card("a b", CardStatus.DONE))
    writes = [n for n, call in enumerate(house.world.calls) if call["do"] in ("content", "batch", "settings")]
    assert asked == writes
