"""Several processes on one account: each with a part of its limits, together never over them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from channels.pacing import Pacer
from engine.ports import Use
from engine.runs.portion import Holding, Portion
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import BusyCard, Platform, capabilities


@dataclass
class Process:
    """One process's pacer and its part."""

    pacer: Pacer
    portion: Portion

    def step(self, others: list[Process], now_s: float) -> None:
        holdings = [Holding(each.pacer.live, each.portion.held, each.pacer.used, alive=True) for each in others]
        settled = self.portion.settle(Use(self.pacer.live, self.pacer.used), holdings, now_s)
        self.portion.take(settled, now_s)
        self.pacer.take_share(settled.share, coming=settled.fair)


class Account:
    """A platform that counts, and the processes which share one account there."""

    def __init__(self, clock: FakeClock, app_limit: str = "counted") -> None:
        self.clock = clock
        self.platform = Platform(clock, latency_s=0.05)
        self.processes: list[Process] = []
        self._app_limit = app_limit

    def join(self) -> Process:
        pacer = Pacer(capabilities(self._app_limit), self.clock)
        pacer.take_share(0.0)
        self.processes.append(Process(pacer, Portion()))
        return self.processes[-1]

    async def live(self, seconds: int) -> None:
        """Let time pass; each process looks at the others once a second, one after another."""
        for _ in range(seconds):
            for process in self.processes:
                process.step([each for each in self.processes if each is not process], self.clock.steady_s())
                await self.clock.advance(1.0 / len(self.processes))


async def test_with_the_whole_share_nothing_is_different(clock: FakeClock) -> None:
    platform = Platform(clock)
    pacer = Pacer(capabilities("counted"), clock)
    pacer.take_share(1.0)
    cards = [BusyCard(pacer, platform) for _ in range(20)]
    await clock.advance(70)
    assert platform.refusals == 0
    assert 900 <= platform.most_in(60) <= 1000
    for card in cards:
        card.task.cancel()


@pytest.mark.parametrize("share", [0.5, 0.34, 0.1])
async def test_a_part_is_a_part_of_every_limit(clock: FakeClock, share: float) -> None:
    platform = Platform(clock)
    pacer = Pacer(capabilities("counted"), clock)
    pacer.take_share(share)
    cards = [BusyCard(pacer, platform) for _ in range(5)]
    await clock.advance(130)
    assert share * 900 <= platform.most_in(60) <= share * 1000
    assert platform.most_in(1) <= share * 50
    for card in cards:
        card.task.cancel()


async def test_without_a_share_cards_wait_and_begin_when_there_is_one(clock: FakeClock) -> None:
    platform = Platform(clock)
    pacer = Pacer(capabilities("counted"), clock)
    pacer.take_share(0.0, coming=0.5)
    card = BusyCard(pacer, platform)
    await clock.advance(5)
    assert not platform.taken
    pacer.take_share(0.5)
    await clock.advance(0.01)
    assert card.frames, "at once, not at the next look"
    card.task.cancel()


async def test_processes_that_come_are_given_their_part_without_a_refusal(clock: FakeClock) -> None:
    account = Account(clock)
    cards: list[BusyCard] = []
    for _ in range(3):
        process = account.join()
        await account.live(3)
        cards += [BusyCard(process.pacer, account.platform) for _ in range(10)]
        await account.live(90)
    await account.live(60)
    assert account.platform.refusals == 0
    assert account.platform.most_in(60) <= 1000
    assert account.platform.most_in(1) <= 50
    late = [card.frames[-1] for card in cards]
    assert min(late) > clock.steady_s() - 10, "all of them still move"
    for card in cards:
        card.end()
    await clock.advance(5)
    assert all(card.final_late_s is not None and card.final_late_s <= 1.5 for card in cards)


async def test_what_does_not_count_is_not_shared_and_after_the_one_refusal_it_is(clock: FakeClock) -> None:
    platform = Platform(clock, latency_s=0.02, counts=False)
    pacer = Pacer(capabilities("auto"), clock)
    pacer.take_share(0.1)
    cards = [BusyCard(pacer, platform) for _ in range(5)]
    await clock.advance(65)
    assert platform.most_in(60) > 900, "five cards as fast as they may be, far over the part"
    platform.counts = True
    await clock.advance(125)
    assert platform.refusals == 1
    platform.taken.clear()
    await clock.advance(65)
    assert platform.most_in(60) <= 100
    for card in cards:
        card.task.cancel()
