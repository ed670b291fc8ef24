"""Where a platform counts calls for a month: an answer's previews stretch, first and last words always go."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from channels.capabilities import Allowance, MethodLimit, month_end_ms
from channels.errors import QuotaUsedUp
from channels.pacing import CardPace, Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import capabilities


def pacer(clock: FakeClock, allowance: Allowance) -> Pacer:
    can = capabilities("counted", methods={"content": MethodLimit(per_s=20)}, streaming_methods=frozenset[str]())
    return Pacer(type(can)(True, True, methods=can.methods, previews=allowance), clock)


async def write_previews(pace: CardPace, clock: FakeClock, at_s: list[float]) -> None:
    """Write as often as the pace lets us."""
    while await pace.tick(lambda: ("content",)):
        await pace.acquire("content")
        at_s.append(clock.steady_s())
        pace.settled("content")
        pace.release()


async def run(clock: FakeClock, pace: CardPace, seconds: float, at_s: list[float]) -> None:
    writing = asyncio.create_task(write_previews(pace, clock, at_s))
    for _ in range(int(seconds)):
        await clock.advance(1)
    pace.hurry()
    await asyncio.wait_for(writing, 1)


async def test_an_answers_previews_stretch_and_reach_over_the_spread(clock: FakeClock) -> None:
    at_s = list[float]()
    paced = pacer(clock, Allowance(per_answer=12, spread_s=300))
    pace = paced.join()
    assert pace is not None
    await run(clock, pace, 900, at_s)
    gaps = [later - earlier for earlier, later in pairwise(at_s)]
    assert len(at_s) == 12
    assert gaps[0] == pytest.approx(0.2, abs=0.05)
    assert all(later > earlier for earlier, later in pairwise(gaps))
    assert at_s[-1] - at_s[0] == pytest.approx(300, rel=0.05)


async def test_an_answer_that_used_up_its_previews_still_ends(clock: FakeClock) -> None:
    pace = pacer(clock, Allowance(per_answer=1)).join()
    assert pace is not None
    await run(clock, pace, 10, at_s := list[float]())
    assert len(at_s) == 1
    await asyncio.wait_for(pace.acquire("content"), 1)


async def test_a_months_previews_end_and_begin_again_with_the_next(clock: FakeClock) -> None:
    paced = pacer(clock, Allowance(per_month=3))
    pace = paced.join()
    assert pace is not None
    await run(clock, pace, 60, at_s := list[float]())
    assert (len(at_s), paced.statistics().previews_of_month) == (3, 3)
    left_s = (month_end_ms(clock.now_ms()) - clock.now_ms()) / 1000
    await clock.advance(left_s + 1)
    await run(clock, pace, 5, at_s)
    assert len(at_s) == 6


async def test_the_platforms_own_word_ends_the_months_previews(clock: FakeClock) -> None:
    paced = pacer(clock, Allowance(per_answer=100))
    pace = paced.join()
    assert pace is not None
    paced.used_up(QuotaUsedUp(until_ms=month_end_ms(clock.now_ms())))
    await run(clock, pace, 60, at_s := list[float]())
    assert at_s == []
    await asyncio.wait_for(pace.acquire("content"), 1)
    other = paced.join()
    assert other is not None
    await run(clock, other, 10, at_s)
    assert at_s == []


@pytest.mark.parametrize(
    ("now", "end"),
    [("2026-11-30T15:59:59Z", "2026-11-30T16:00:00Z"), ("2026-11-30T16:00:00Z", "2026-12-31T16:00:00Z")],
)
def test_a_month_ends_in_chinas_time(now: str, end: str) -> None:
    from datetime import datetime

    now_ms, end_ms = (round(datetime.fromisoformat(each).timestamp() * 1000) for each in (now, end))
    assert month_end_ms(now_ms) == end_ms
