"""A run is put back in line only when the loop itself has missed it, several times."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.messages import RunId
from engine.runs.sweep import SEEN_BEFORE_ORPHAN, Sweep

RUN = RunId("run")


class FakeQueue:
    def __init__(self) -> None:
        self.hand: set[RunId] = set()
        self.claim = 0
        self.given: list[RunId] = []

    def in_hand(self) -> set[RunId]:
        return self.hand

    def claiming(self) -> int:
        return self.claim

    def give_back_runs(self, replica: str, runs: list[RunId]) -> None:
        self.given += runs


class Loop:
    """Answers at once, or only when told to."""

    def __init__(self) -> None:
        self.hangs = False
        self._asked: list[Callable[[], None]] = []

    def ask(self, fn: Callable[[], None]) -> None:
        self._asked.append(fn)
        if not self.hangs:
            self.go_on()

    def go_on(self) -> None:
        self.hangs = False
        for fn in self._asked:
            fn()
        self._asked.clear()


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def sweep(queue: FakeQueue, loop: Loop) -> Sweep:
    return Sweep(queue, "me", loop.ask)  # type: ignore[arg-type]


def test_what_nobody_works_on_is_given_back_once(queue: FakeQueue, sweep: Sweep) -> None:
    gave = [sweep.look({RUN}) for _ in range(SEEN_BEFORE_ORPHAN + 1)]
    assert gave == [False] * SEEN_BEFORE_ORPHAN + [True]
    assert queue.given == [RUN]


def test_what_is_in_hand_is_not_given_back(queue: FakeQueue, sweep: Sweep) -> None:
    queue.hand = {RUN}
    assert not any(sweep.look({RUN}) for _ in range(20))


def test_a_loop_that_hangs_may_have_won_it(queue: FakeQueue, loop: Loop, sweep: Sweep) -> None:
    loop.hangs = True
    assert not any(sweep.look({RUN}) for _ in range(20))
    queue.hand = {RUN}
    loop.go_on()
    assert not any(sweep.look({RUN}) for _ in range(20))


def test_a_claim_that_is_on_its_way_may_have_won_it(queue: FakeQueue, sweep: Sweep) -> None:
    queue.claim = 7
    assert not any(sweep.look({RUN}) for _ in range(20))
    queue.claim = 8
    assert any(sweep.look({RUN}) for _ in range(SEEN_BEFORE_ORPHAN + 1)), "the next claim did not win it"
