"""Whatever frames need, everybody's turn comes: cards with random frames, watched for their longest standstill."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from channels.pacing import Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import METHODS, BusyCard, Frames, Platform, capabilities

A_MINUTE = 1000
WARMING_S = 62


def first_then(first: str, later: str) -> Frames:
    return lambda n: (first,) if n == 0 else (later,)


def alternating(*frames: tuple[str, ...]) -> Frames:
    return lambda n: frames[n % len(frames)]


def random_frames(random: Random) -> Frames:
    def frames(n: int) -> tuple[str, ...]:
        return tuple(random.sample(METHODS, random.choice((0, 1, 1, 1, 2, 2, 3))))

    return frames


def mostly(random: Random, usual: str) -> Frames:
    """Type, and now and then do something else: what most cards do."""
    return lambda n: (usual,) if random.random() < 0.9 else tuple(random.sample(METHODS, 2))


class House:
    """Live cards of one account; looks at every step for what must never be."""

    def __init__(
        self, clock: FakeClock, app_limit: str, *, counts: bool, latency_s: float = 0.05, jitter: Random | None = None
    ) -> None:
        self.clock = clock
        self.platform = Platform(clock, counts=counts, latency_s=latency_s, jitter=jitter)
        self.pacer = Pacer(capabilities(app_limit), clock)
        self.cards: list[BusyCard] = []

    def add(self, frames: Frames) -> None:
        self.cards.append(BusyCard(self.pacer, self.platform, frames))

    def bound_s(self, urgent: int = 0) -> float:
        """How long a card may wait at most when all want all they can get: a round of everybody's previews.

        Twice that, for rounds in which the frames of several cards need each other's methods, and a second for
        windows, latency and refusals.
        """
        live = len(self.cards)
        return 2 * max(0.2, live * 60 / (A_MINUTE - live - urgent)) + 1.0

    @property
    def standstill_s(self) -> float:
        """The longest time in which some card, that had something new all the time, was not written."""
        now_s = self.clock.steady_s()
        return max(card.standstill_s(now_s) for card in self.cards)

    async def end_one_by_one(self, every_s: float) -> float:
        """End all cards; gives how late the last word of the latest was."""
        for card in self.cards:
            card.end()
            await self.clock.advance(every_s)
        await self.clock.advance(3)
        assert all(card.final_late_s is not None for card in self.cards)
        return max(card.final_late_s or 0.0 for card in self.cards)

    def assert_all_is_well(self) -> None:
        assert self.platform.most_in(60) <= A_MINUTE
        assert self.platform.most_in(1) <= 50
        assert self.platform.refusals == 0

    def assert_nothing_is_left(self) -> None:
        statistics = self.pacer.statistics()
        assert (statistics.live_cards, statistics.waiting_urgent, statistics.waiting_previews) == (0, 0, 0)
        assert all(method.promised == 0 for method in statistics.methods.values())


async def test_the_first_frame_s_method_is_not_held_while_the_others_are_wanted(clock: FakeClock) -> None:
    house = House(clock, "counted", counts=True)
    for _ in range(50):
        house.add(first_then("batch", "content"))
    for _ in range(6):
        written = sum(len(card.frames) for card in house.cards)
        await clock.advance(2)
        assert sum(len(card.frames) for card in house.cards) - written >= 25
    assert house.standstill_s <= house.bound_s()
    house.assert_all_is_well()


@pytest.mark.parametrize(
    "frames",
    [
        alternating(("content",), ("batch",)),
        alternating(("content", "batch"), ("batch",), ("content",)),
        alternating(("content", "batch", "settings"), ("content",)),
        alternating(("batch", "content"), ("content", "batch")),
        alternating(("content",), (), ("batch",), ()),
    ],
    ids=["turns", "both", "three", "orders", "idle"],
)
async def test_cards_that_change_their_methods_are_all_written(clock: FakeClock, frames: Frames) -> None:
    house = House(clock, "counted", counts=True)
    for _ in range(40):
        house.add(frames)
    await clock.advance(20)
    assert house.standstill_s <= house.bound_s(urgent=40)
    assert await house.end_one_by_one(0.1) <= 1.0
    house.assert_all_is_well()
    house.assert_nothing_is_left()


@pytest.mark.parametrize("seed", range(4))
async def test_random_cards_are_all_written_in_counted_mode(clock: FakeClock, seed: int) -> None:
    random = Random(seed)
    house = House(clock, "counted", counts=True, latency_s=(0.02, 0.15, 0.0, 0.05)[seed])
    count = (1, 20, 40, 60)[seed]
    for _ in range(count):
        house.add(random.choice((random_frames(random), mostly(random, "content"), mostly(random, "batch"))))
        await clock.advance(random.choice((0.0, 0.01, 0.3)))
    urgent = 0
    for _ in range(WARMING_S):
        await clock.advance(1)
        if random.random() < 0.5:
            random.choice(house.cards).press()
            urgent += 1
    assert house.standstill_s <= house.bound_s(urgent=2 * count + 3 * urgent)
    assert await house.end_one_by_one(random.choice((0.02, 0.1, 0.5))) <= 1.0
    house.assert_all_is_well()
    house.assert_nothing_is_left()


@pytest.mark.parametrize(("app_limit", "most_refused"), [("counted", 0), ("auto", 1)])
async def test_long_and_uneven_ways_bring_no_refusals(clock: FakeClock, app_limit: str, most_refused: int) -> None:
    house = House(clock, app_limit, counts=True, latency_s=0.8, jitter=Random(7))
    for _ in range(60):
        house.add(lambda n: ("content",))
    await clock.advance(10)
    for card in house.cards:
        card.press()
    await clock.advance(5)
    assert house.platform.refusals <= most_refused
    assert house.platform.most_in(1) <= 50


@pytest.mark.parametrize("seed", range(3))
async def test_random_cards_keep_the_target_where_nothing_counts(clock: FakeClock, seed: int) -> None:
    random = Random(seed)
    house = House(clock, "exempt", counts=False, latency_s=0.02)
    for _ in range(random.choice((5, 20, 40))):
        house.add(random_frames(random))
    await clock.advance(5)
    assert house.standstill_s <= 0.7
    assert await house.end_one_by_one(0.05) <= 1.0
    house.assert_nothing_is_left()


@pytest.mark.parametrize("count", [3, 6, 10, 40])
async def test_random_cards_get_through_the_switch(clock: FakeClock, count: int) -> None:
    random = Random(count)
    house = House(clock, "auto", counts=True)
    for _ in range(count):
        house.add(mostly(random, "content"))
    await clock.advance(WARMING_S)
    assert house.platform.refusals <= 1
    assert house.standstill_s <= house.bound_s(urgent=count) + 1.0
    assert await house.end_one_by_one(0.1) <= 1.0
    house.assert_nothing_is_left()


async def test_a_method_the_platform_blocked_keeps_nobody_from_the_others(clock: FakeClock) -> None:
    house = House(clock, "counted", counts=True)
    house.add(lambda n: ("batch", "content"))
    for _ in range(3):
        house.add(lambda n: ("content",))
    await clock.advance(2)
    house.platform.blocked["batch"] = clock.steady_s() + 20
    await clock.advance(15)
    stuck, *others = house.cards
    assert stuck.standstill_s(clock.steady_s()) > 10
    assert all(card.standstill_s(clock.steady_s()) <= 0.5 for card in others)
    await clock.advance(10)
    assert clock.steady_s() - stuck.frames[-1] <= 1.0


async def test_the_standstill_is_measured(clock: FakeClock) -> None:
    house = House(clock, "counted", counts=True)
    house.add(lambda n: ("content",))
    await clock.advance(1)
    house.platform.blocked["content"] = clock.steady_s() + 4
    await clock.advance(8)
    assert 4.0 <= house.standstill_s <= 6.0
    gaps = list(itertools.pairwise(house.cards[0].frames))
    assert len(gaps) > 10
