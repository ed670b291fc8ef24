"""Several processes on one account: each with a part of its limits, together never over them."""

from __future__ import annotations

import pytest

from channels.capabilities import MethodLimit
from channels.pacing import Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_town import Account
from tests.unit.channels.pacing_world import METHODS, BusyCard, Platform, capabilities


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


async def test_a_burst_at_an_idle_process_shows_at_once_and_no_last_word_waits_for_the_share(clock: FakeClock) -> None:
    """One is saturated, the other has had nothing to do for minutes: then it is asked as much."""
    account = Account(clock, methods=dict.fromkeys(METHODS, MethodLimit(20, 240)))
    busy, idle = account.join(), account.join()
    await account.live(5)
    cards = account.cards(busy, 8)
    await account.live(90)
    assert idle.portion.share < 0.25 and busy.portion.share > 0.75
    short = account.cards(idle, 8)
    await account.live(5)
    assert all(card.frames for card in short), "the first words find room in the part that idles"
    for card in short[:4]:
        card.end()
    await account.live(5)
    assert max(card.final_late_s or 99.0 for card in short[:4]) <= 1.0, "so do the last"
    short += account.cards(idle, 4)
    await account.live(90)
    assert idle.portion.share == pytest.approx(0.5, abs=0.05), "all of it within one and a half minutes"
    for card in [*cards, *short[4:]]:
        card.end()
    await clock.advance(5)
    assert max(card.final_late_s or 99.0 for card in [*cards, *short[4:]]) <= 1.5
    assert account.platform.refusals == 0
