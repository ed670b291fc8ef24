"""One account's budget: simulated minutes, fairness, refusals."""

from __future__ import annotations

import asyncio

import pytest

from channels.capabilities import MethodLimit
from channels.errors import RateLimited
from channels.pacing import CardPace, Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import BusyCard, Platform, capabilities


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[round((len(values) - 1) * share)]


async def busy(
    clock: FakeClock, cards: int, app_limit: str, *, counts: bool, seconds: float = 70
) -> tuple[list[BusyCard], Platform, Pacer]:
    platform = Platform(clock, counts=counts, latency_s=0.05 if app_limit == "auto" else 0.0)
    pacer = Pacer(capabilities(app_limit), clock)
    live = [BusyCard(pacer, platform) for _ in range(cards)]
    await clock.advance(seconds)
    return live, platform, pacer


async def end(clock: FakeClock, live: list[BusyCard]) -> list[float]:
    for card in live:
        card.end()
        await clock.advance(10 / len(live))
    await clock.advance(5)
    late = [card.final_late_s for card in live]
    assert None not in late
    return [value for value in late if value is not None]


@pytest.mark.parametrize(("cards", "gap_s"), [(1, 0.21), (5, 0.31), (20, 1.27), (50, 3.5)])
async def test_counted_cards_share_the_budget_and_end_in_time(clock: FakeClock, cards: int, gap_s: float) -> None:
    live, platform, pacer = await busy(clock, cards, "counted", counts=True)
    late = await end(clock, live)
    assert platform.refusals == 0
    assert platform.most_in(60) <= 1000
    assert platform.most_in(1) <= 50
    assert percentile([gap for card in live for gap in card.gaps], 0.5) <= gap_s
    assert max(late) <= 1.0
    assert pacer.statistics().live_cards == 0


async def test_fifty_cards_that_end_at_once_are_all_done_about_a_second_later(clock: FakeClock) -> None:
    live, platform, _ = await busy(clock, 50, "counted", counts=True)
    for card in live:
        card.end()
    await clock.advance(5)
    late = [card.final_late_s for card in live if card.final_late_s is not None]
    assert len(late) == 50
    assert max(late) <= 1.1
    assert platform.refusals == 0


async def test_no_card_is_starved(clock: FakeClock) -> None:
    live, _, _ = await busy(clock, 20, "counted", counts=True)
    frames = [len(card.frames) for card in live]
    assert max(frames) - min(frames) <= 2


async def test_exempt_cards_keep_the_target(clock: FakeClock) -> None:
    live, platform, _ = await busy(clock, 50, "exempt", counts=False, seconds=15)
    assert percentile([gap for card in live for gap in card.gaps], 0.95) <= 0.24
    await end(clock, live)
    assert platform.refusals == 0


@pytest.mark.parametrize("cards", [5, 10, 50])
async def test_auto_finds_out_with_one_refusal_that_streaming_counts(clock: FakeClock, cards: int) -> None:
    live, platform, pacer = await busy(clock, cards, "auto", counts=True)
    late = await end(clock, live)
    assert platform.refusals == 1
    assert pacer.statistics().switches == 1
    assert pacer.statistics().mode == "counted"
    assert max(late) <= 1.0


async def test_auto_finds_out_without_a_refusal_that_streaming_does_not_count(clock: FakeClock) -> None:
    live, platform, pacer = await busy(clock, 50, "auto", counts=False, seconds=15)
    assert percentile([gap for card in live for gap in card.gaps], 0.95) <= 0.3
    await end(clock, live)
    assert pacer.statistics().switches == 0
    assert platform.most_in(60) > 3000


async def test_auto_tries_again_after_a_long_quiet_time(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("auto"), clock)
    pacer.refused("content", RateLimited(retry_after_s=1, scope="app"))
    assert pacer.statistics().mode == "counted"
    await clock.advance(901)
    assert pacer.statistics().mode == "exempt"
    pacer.refused("content", RateLimited(retry_after_s=1, scope="app"))
    await clock.advance(901)
    assert pacer.statistics().mode == "counted"
    await clock.advance(901)
    assert pacer.statistics().mode == "exempt"


async def test_a_card_that_cannot_be_reserved_gets_no_pace(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("counted", methods={"content": MethodLimit(per_minute=3)}), clock)
    paces = [pacer.join() for _ in range(4)]
    assert [pace is None for pace in paces] == [False, False, False, True]
    first = paces[0]
    assert first is not None
    first.leave()
    first.leave()
    assert pacer.join() is not None
    assert pacer.join() is None
    assert pacer.statistics().joins_refused == 2


async def test_one_refusal_halves_the_pace_and_time_brings_it_back(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("counted"), clock)
    for _ in range(3):
        pacer.refused("content", RateLimited(retry_after_s=2, scope="app"))
    assert pacer.statistics().methods["content"].factor == 0.5
    assert pacer.statistics().methods["content"].refused == 3
    waiting = asyncio.create_task(pacer.acquire("content"))
    await clock.advance(1.9)
    assert not waiting.done()
    await clock.advance(0.2)
    assert waiting.done()
    await clock.advance(10)
    assert pacer.statistics().methods["content"].factor == pytest.approx(0.7, abs=0.02)
    await clock.advance(60)
    assert pacer.statistics().methods["content"].factor == 1.0


async def test_a_card_s_own_refusal_slows_only_that_card(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("exempt"), clock)
    slow, fast = joined(pacer), joined(pacer)
    await slow.acquire("content")
    slow.refused("content", RateLimited(retry_after_s=1, scope="card"))
    waiting = asyncio.create_task(slow.acquire("content"))
    await asyncio.wait_for(fast.acquire("content"), 1)
    await clock.advance(0.9)
    assert not waiting.done()
    await clock.advance(0.2)
    assert waiting.done()


async def test_a_card_keeps_its_own_window(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("exempt"), clock)
    pace = joined(pacer)
    done: list[float] = []

    async def write() -> None:
        for _ in range(25):
            await pace.acquire("content")
            done.append(clock.steady_s())

    task = asyncio.create_task(write())
    await clock.advance(5)
    assert task.done()
    assert all(done[i + 10] - done[i] >= 1.0 for i in range(15))


async def test_a_waiting_preview_can_be_hurried(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("counted", methods={"content": MethodLimit(per_minute=6)}), clock)
    pace = joined(pacer)
    assert await pace.tick(lambda: ("content",))
    await pace.acquire("content")
    waiting = asyncio.create_task(pace.tick(lambda: ("content",)))
    await clock.advance(2)
    assert not waiting.done()
    pace.hurry()
    assert await waiting is False


async def test_a_cancelled_wait_gives_its_place_back(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("counted", methods={"content": MethodLimit(per_minute=2)}), clock)
    pace = joined(pacer)
    await pace.acquire("content")
    await pace.acquire("content")
    waiting = asyncio.create_task(pace.acquire("content"))
    await clock.advance(1)
    waiting.cancel()
    await clock.settle()
    assert pacer.statistics().waiting_urgent == 0
    other = asyncio.create_task(pacer.acquire("content"))
    await clock.advance(61)
    assert other.done()


async def test_methods_without_a_limit_never_wait(clock: FakeClock) -> None:
    pacer = Pacer(capabilities("counted", methods={"free": MethodLimit()}), clock)
    for _ in range(100):
        await pacer.acquire("free")
    assert pacer.statistics().methods["free"].granted == 100


@pytest.mark.unlisted_methods
async def test_a_method_nobody_listed_is_told_once(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    pacer = Pacer(capabilities("counted"), clock)
    for _ in range(3):
        await pacer.acquire("misspelt")
    told = [record.__dict__["method"] for record in caplog.records if record.message == "pacing_method_unlisted"]
    assert told == ["misspelt"]


def joined(pacer: Pacer) -> CardPace:
    pace = pacer.join()
    assert pace is not None
    return pace
