"""What one process finds out about an account, the others know, and the next process after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from channels.capabilities import Allowance, MethodLimit
from channels.errors import QuotaUsedUp
from channels.pacing import Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_town import Account, Process, known_by
from tests.unit.channels.pacing_world import METHODS, BusyCard, Platform, capabilities

SMALL = {"methods": dict.fromkeys(METHODS, MethodLimit(20, 240))}
"""Limits small enough that few requests come to them."""
SLOW, MANY = [(1, 1, 1), (2, 0, 1)], [(4, 1, 1)]
"""Live cards of three processes: as many as come to the limit a minute first, or to the one a second."""


async def finals_of(cards: Iterable[BusyCard], clock: FakeClock) -> float:
    """Let all say their last word at once; gives how late the last one came."""
    waiting = list(cards)
    for card in waiting:
        card.end()
    await clock.advance(10)
    return max(card.final_late_s if card.final_late_s is not None else 99.0 for card in waiting)


def modes(account: Account) -> set[str]:
    return {each.pacer.statistics().mode for each in account.processes}


@pytest.mark.parametrize("live", SLOW + MANY)
async def test_that_streaming_counts_is_found_out_once_for_all(clock: FakeClock, live: tuple[int, ...]) -> None:
    account = Account(clock, "auto", **SMALL)
    processes = [account.join() for _ in live]
    await account.live(5)
    cards = [card for process, count in zip(processes, live, strict=True) for card in account.cards(process, count)]
    await account.live(50)
    if live in SLOW:
        assert account.platform.refusals == 0, "together they come to the limit as evenly as one would"
    await account.live(30)
    refusals = account.platform.refusals
    assert 1 <= refusals <= sum(count > 0 for count in live), "those on the way at that moment"
    assert modes(account) == {"counted"}
    account.platform.taken.clear()
    await account.live(90)
    assert account.platform.refusals == refusals, "who was told needs no refusal of its own"
    assert account.platform.most_in(60) <= 240
    assert await finals_of(cards, clock) <= 1.5


@pytest.mark.parametrize("live", [(1, 1, 1), (3, 1, 0)])
async def test_that_streaming_does_not_count_is_found_out_once_for_all(clock: FakeClock, live: tuple[int, ...]) -> None:
    account = Account(clock, "auto", counts=False, **SMALL)
    processes = [account.join() for _ in live]
    await account.live(5)
    cards = [card for process, count in zip(processes, live, strict=True) for card in account.cards(process, count)]
    await account.live(130)
    late = [BusyCard(process.pacer, account.platform) for process in processes]
    await account.live(6)
    assert all(max(card.gaps[-20:]) < 0.45 for card in [*cards, *late]), "nobody is slowed down any more"
    assert await finals_of([*cards, *late], clock) <= 1.0


async def test_who_begins_later_knows_and_needs_no_refusal(clock: FakeClock) -> None:
    account = Account(clock, "auto", **SMALL)
    first = account.join()
    await account.live(3)
    cards = account.cards(first, 3)
    await account.live(80)
    assert account.platform.refusals == 1
    second = account.join()
    await account.live(1)
    assert second.pacer.statistics().mode == "counted"
    cards += account.cards(second, 3)
    await account.live(100)
    assert account.platform.refusals == 1
    for card in cards:
        card.task.cancel()


async def test_a_refusal_ends_what_was_believed_and_old_proofs_do_not_come_back(clock: FakeClock) -> None:
    platform = Platform(clock, SMALL["methods"]["content"], latency_s=0.02, counts=False)
    pacer = Pacer(capabilities("auto", **SMALL), clock)
    cards = [BusyCard(pacer, platform) for _ in range(3)]
    await clock.advance(100)
    proofs = [each for each in pacer.knowledge.facts() if each.name.startswith("free:")]
    assert proofs
    platform.counts = True
    await clock.advance(3)
    assert pacer.statistics().mode == "counted"
    other = Pacer(capabilities("auto", **SMALL), clock)
    other.learn([*proofs, *pacer.knowledge.facts()])
    assert other.statistics().mode == "counted"
    assert not [each for each in other.knowledge.facts() if each.name.startswith("free:")]
    for card in cards:
        card.task.cancel()


def of_month(per_month: int) -> dict[str, object]:
    return {"previews": Allowance(per_month=per_month)}


async def test_a_month_is_spent_once_by_all_together(clock: FakeClock) -> None:
    account = Account(clock, **of_month(300))
    processes = [account.join() for _ in range(3)]
    await account.live(5)
    cards = [card for process in processes for card in account.cards(process, 2)]
    await account.live(120)
    spent = sum(each.pacer.knowledge.facts()[0].amount for each in processes)
    assert 300 <= spent <= 300 + 60, "what they write within the second until they look, and no more"
    assert all(each.pacer.statistics().previews_of_month == spent for each in processes)
    written = len(account.platform.taken["content"])
    await account.live(30)
    assert len(account.platform.taken["content"]) == written
    assert await finals_of(cards, clock) <= 1.5, "last words are not of the allowance"


async def test_what_a_month_has_used_is_known_after_a_restart_and_forgotten_with_the_month(clock: FakeClock) -> None:
    before = Process(Pacer(capabilities("counted", **of_month(40)), clock))
    card = BusyCard(before.pacer, Platform(clock))
    await clock.advance(20)
    card.task.cancel()
    facts = known_by([before])
    after = Pacer(capabilities("counted", **of_month(40)), clock)
    after.learn(facts)
    platform = Platform(clock)
    card = BusyCard(after, platform)
    await clock.advance(20)
    assert len(card.frames) == 1, "its first word only"
    await clock.advance(32 * 24 * 3600)
    assert len(card.frames) > 10
    card.task.cancel()


async def test_that_nothing_is_left_of_the_month_is_told(clock: FakeClock) -> None:
    first, second = (Pacer(capabilities("counted"), clock) for _ in range(2))
    news: list[str] = []
    first.knowledge.on_news = lambda: news.append("now")
    first.used_up(QuotaUsedUp("nothing left", until_ms=clock.now_ms() + 60_000, code="x"))
    assert news == ["now"]
    second.learn(first.knowledge.facts())
    card = BusyCard(second, Platform(clock))
    await clock.advance(30)
    assert len(card.frames) == 1
    await clock.advance(60)
    assert len(card.frames) > 5
    card.task.cancel()
    await asyncio.sleep(0)
