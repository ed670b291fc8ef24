"""Cards that are drawn only when they are about to be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from channels.capabilities import Capabilities, MethodLimit
from channels.cards.model import Card, CardStatus
from channels.testing.fake import FAKE_CAPABILITIES
from channels.testing.platform import Rules
from gateway.clock import FakeClock
from tests.contract.test_card_stream import House, card

FREE = {name: MethodLimit() for name in ("create", "send")}
"""Opening a card is not what is limited here."""


class Host:
    """Draws the state it is in, and counts how often."""

    def __init__(self) -> None:
        self.text = ""
        self.status = CardStatus.WORKING
        self.drawn = 0

    def draw(self) -> Card:
        self.drawn += 1
        return card(self.text, self.status)


@pytest.fixture
def house(clock: FakeClock, tmp_path: Path) -> House:
    return House(clock, tmp_path / "platform", Rules(), FAKE_CAPABILITIES)


async def test_a_card_is_drawn_once_a_write_and_shows_the_newest_state(house: House, clock: FakeClock) -> None:
    stream, host = await house.open(), Host()
    for n in range(40):
        host.text += f"w{n} "
        stream.touch(host.draw)
        await clock.advance(0.05)
    await clock.advance(0.5)
    assert host.text in house.shown
    assert len(house.writes()) == pytest.approx(11, abs=1)
    assert host.drawn <= len(house.writes())
    statistics = house.channel.pacer.statistics()
    assert statistics.gap.p95_s <= 0.24
    stream.abandon()


async def test_the_age_of_hidden_text_counts_from_the_touch(house: House, clock: FakeClock) -> None:
    stream, host = await house.open(), Host()
    host.text = "a "
    stream.touch(host.draw)
    await clock.advance(0.05)
    for word in ("b ", "c "):
        host.text += word
        stream.touch(host.draw)
        await clock.advance(0.05)
    await clock.advance(0.5)
    statistics = house.channel.pacer.statistics()
    assert (statistics.wanted, statistics.written, statistics.merged) == (3, 2, 1)
    assert statistics.stale.max_s == pytest.approx(0.17, abs=0.03)
    assert statistics.hidden.max_s == pytest.approx(0.12, abs=0.03)
    stream.abandon()


async def test_a_touch_that_changes_nothing_is_drawn_at_the_pace_and_not_written(
    house: House, clock: FakeClock
) -> None:
    stream, host = await house.open(), Host()
    host.text = "same"
    for _ in range(100):
        stream.touch(host.draw)
        await clock.advance(0.02)
    await clock.advance(0.5)
    assert len(house.writes()) == 1
    assert host.drawn <= 12
    assert (stream.counts["wanted"], stream.counts["written"], stream.counts["merged"]) == (100, 1, 99)
    stream.abandon()


@pytest.mark.parametrize("wait_s", [0.0, 0.005, 0.3])
async def test_an_urgent_touch_does_not_wait_for_the_budget(clock: FakeClock, tmp_path: Path, wait_s: float) -> None:
    house = few_writes(clock, tmp_path)
    stream, host = await house.open(), Host()
    for n in range(10):
        host.text += f"w{n} "
        stream.touch(host.draw)
        await clock.advance(0.1)
    assert host.text not in house.shown
    stream.touch(host.draw)
    await clock.advance(wait_s)
    host.text, host.status = "May I?", CardStatus.WAITING
    stream.touch(host.draw, urgent=True)
    stream.touch(host.draw)
    await clock.advance(0.3)
    assert "May I?" in house.shown
    assert stream.state == "frozen"
    stream.abandon()


async def test_an_urgent_touch_is_written_even_if_the_card_does_not_look_urgent(
    clock: FakeClock, tmp_path: Path
) -> None:
    house = few_writes(clock, tmp_path)
    stream, host = await house.open(), Host()
    for n in range(10):
        host.text += f"w{n} "
        stream.touch(host.draw)
        await clock.advance(0.1)
    assert host.text not in house.shown
    stream.touch(host.draw, urgent=True)
    await clock.advance(0.3)
    assert host.text in house.shown
    stream.abandon()


async def test_an_urgent_touch_survives_a_stumble(house: House, clock: FakeClock) -> None:
    stream, host = await house.open(), Host()
    stream.touch(host.draw)
    await clock.advance(1)
    house.channel.fault("content", "connection_lost")
    host.text = "now"
    stream.touch(host.draw, urgent=True)
    await clock.advance(1)
    assert "now" in house.shown
    stream.abandon()


async def test_the_latest_of_show_and_touch_wins(house: House, clock: FakeClock) -> None:
    stream, host = await house.open(), Host()
    host.text = "drawn"
    stream.show(card("shown"))
    stream.touch(host.draw)
    await clock.advance(1)
    assert "drawn" in house.shown
    stream.touch(host.draw)
    stream.show(card("shown"))
    await clock.advance(1)
    assert "shown" in house.shown
    assert host.drawn == 1
    stream.abandon()


async def test_a_drawing_that_breaks_ends_the_previews_only(
    house: House, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    stream, host = await house.open(), Host()
    stream.touch(host.draw)
    await clock.advance(1)

    def broken() -> Card:
        raise ZeroDivisionError

    stream.touch(broken)
    await clock.advance(1)
    assert stream.state == "degraded"
    assert "card.preview_broke" in {record.message for record in caplog.records}
    assert (await house.close(stream, card("the end", CardStatus.DONE))).seen


async def test_a_drawing_that_breaks_in_the_queue_ends_the_previews_only(clock: FakeClock, tmp_path: Path) -> None:
    house = few_writes(clock, tmp_path)
    stream, host = await house.open(), Host()
    draws: list[Callable[[], Card]] = [host.draw]
    stream.touch(host.draw)
    await clock.advance(1)

    def broken_later() -> Card:
        if clock.steady_s() < 4:
            return draws[0]()
        raise ZeroDivisionError

    for n in range(6):
        host.text += f"w{n} "
        stream.touch(broken_later)
        await clock.advance(0.3)
    stream.touch(broken_later)
    await clock.advance(30)
    assert stream.state == "degraded"
    assert house.channel.pacer.statistics().waiting_previews == 0
    assert (await house.close(stream, card("the end", CardStatus.DONE))).seen


async def test_an_ended_card_is_not_drawn(house: House, clock: FakeClock) -> None:
    stream, host = await house.open(), Host()
    await house.close(stream, card("the end", CardStatus.DONE))
    stream.touch(host.draw, urgent=True)
    await clock.advance(1)
    assert host.drawn == 0


async def test_an_idle_card_wakes_nobody(house: House, clock: FakeClock) -> None:
    stream = await house.open()
    stream.show(card("a"))
    await clock.advance(5)
    sleeps: list[float] = []
    sleep = clock.sleep

    async def counted(seconds: float) -> None:
        sleeps.append(seconds)
        await sleep(seconds)

    clock.sleep = counted  # type: ignore[method-assign]
    await clock.advance(120)
    assert sleeps == []
    stream.abandon()


def few_writes(clock: FakeClock, tmp_path: Path) -> House:
    """Ten writes a minute of each method: previews are soon far apart."""
    limits = {name: MethodLimit(per_minute=10) for name in ("content", "batch", "settings")}
    few = Capabilities(can_update_cards=True, can_press_buttons=True, app_limit="counted", methods=limits | FREE)
    return House(clock, tmp_path / "platform", Rules(), few)
