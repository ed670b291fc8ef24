"""Whatever order replicas come, step and go in: together they never hold more than the whole."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from engine.budgets import Use
from engine.runs.portion import HEADROOM, SHORT_S, SLOWLY_S, WINDOW_S, Holding, Portion, fair_share

EXACT = pytest.approx


class Peer:
    """A replica with its row in a table that all see."""

    def __init__(self, table: dict[str, Holding], name: str, live: int = 0) -> None:
        self.portion = Portion()
        self.live, self.used = live, 0.0
        self._table, self._name = table, name

    def step(self, now_s: float) -> float:
        others = [each for name, each in self._table.items() if name != self._name]
        settled = self.portion.settle(Use(self.live, self.used), others, now_s)
        self._table[self._name] = Holding(self.live, settled.held, self.used, alive=True)
        self.portion.take(settled, now_s)
        return self.portion.share


@pytest.fixture
def table() -> dict[str, Holding]:
    return {}


def test_alone_it_is_all_ours_at_once_and_stays_so(table: dict[str, Holding]) -> None:
    alone = Peer(table, "a", live=20)
    for second in range(100):
        alone.used = second / 100
        assert alone.step(second) == 1.0


def test_an_idle_replica_makes_room_for_a_new_one_within_seconds(table: dict[str, Holding]) -> None:
    old, new = Peer(table, "old"), Peer(table, "new")
    old.step(0)
    assert new.step(0.1) == 0.0, "all is held"
    assert old.step(0.2) == 0.5
    assert new.step(0.3) == 0.0, "what was sent a moment ago still counts this second"
    old.step(0.2 + SHORT_S)
    assert new.step(0.3 + SHORT_S) == 0.5


def test_a_busy_one_gives_way_little_by_little(table: dict[str, Holding]) -> None:
    old, new = Peer(table, "old", live=10), Peer(table, "new", live=10)
    old.step(0)
    shares: list[tuple[float, float]] = []
    for second in range(1, 90):
        old.used = old.portion.share
        shares.append((old.step(second), new.step(second + 0.5)))
    assert all(mine + theirs <= 1 + 1e-9 for mine, theirs in shares)
    assert all(before - after <= 1.0 / SLOWLY_S + 1e-9 for (before, _), (after, _) in pairwise(shares))
    assert shares[-1] == (EXACT(0.5), EXACT(0.5, abs=0.01))


def test_who_has_more_cards_has_more_and_nobody_has_nothing() -> None:
    few, many = Holding(0, 0, 0, alive=True), Holding(99, 0, 0, alive=True)
    assert fair_share(99, [few]) + fair_share(0, [many]) == EXACT(1)
    assert fair_share(99, [few]) > 0.8
    assert fair_share(0, [many]) > 0.15


def test_what_a_dead_one_sent_counts_less_and_less_for_a_minute() -> None:
    def left(age_s: float, used: float) -> float:
        return Holding(3, 0.5, used, alive=False, age_s=age_s).counts

    assert left(0, 0.4) == EXACT(0.4 + HEADROOM)
    assert left(WINDOW_S / 2, 0.4) == EXACT((0.4 + HEADROOM) / 2)
    assert left(WINDOW_S, 0.4) == 0
    assert left(0, 0.9) == 0.5, "never more than it held"
    assert Holding(3, 0.5, 0.0, alive=True, age_s=99).counts == 0.5, "a living one may use what it holds"


@pytest.mark.parametrize("seed", range(20))
def test_random_steps_never_hold_more_than_the_whole(seed: int) -> None:
    dice, now_s = Random(seed), 0.0
    table: dict[str, Holding] = {}
    peers = [Peer(table, str(number)) for number in range(4)]
    for _ in range(2000):
        now_s += dice.uniform(0, 0.7)
        peer = dice.choice(peers)
        peer.live = max(0, peer.live + dice.randint(-3, 3))
        peer.used = peer.portion.share * dice.random()
        peer.step(now_s)
        assert sum(each.portion.share for each in peers) <= 1 + 1e-9
        assert sum(row.held for row in table.values()) <= 1 + 1e-9
