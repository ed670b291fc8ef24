from __future__ import annotations

from engine.messages import RunId
from engine.ports import Delivered, Owed, Unchanged
from engine.runs.ledger import DEAD_AFTER_MS, LEAST_TRIES, LONGEST_WAIT_MS, Due, wait_ms

DOWN = Owed(reason="down")


def due(tries: int) -> Due:
    return Due(1, RunId("r"), "final", tries, 1, created_ms=0)


def test_pauses_double_up_to_five_minutes() -> None:
    assert [wait_ms(n) for n in range(4)] == [1000, 2000, 4000, 8000]
    assert wait_ms(9) == wait_ms(10_000) == LONGEST_WAIT_MS


def test_an_answer_is_given_up_for_its_age_and_not_for_its_tries() -> None:
    assert not due(100_000).is_dead(DOWN, DEAD_AFTER_MS - 1)
    assert due(LEAST_TRIES).is_dead(DOWN, DEAD_AFTER_MS)


def test_a_process_that_was_off_for_long_gets_its_chance() -> None:
    assert not due(LEAST_TRIES - 1).is_dead(DOWN, 10 * DEAD_AFTER_MS)
    assert sum(wait_ms(n) for n in range(LEAST_TRIES)) > 10 * 60_000


def test_what_is_shown_unchangeable_or_away_is_never_given_up() -> None:
    for result in (Delivered(receipt={}), Unchanged(reason="plain_message"), Owed(reason="503", away=True)):
        assert not due(100_000).is_dead(result, 10 * DEAD_AFTER_MS)


def test_what_will_never_be_taken_is_given_up_at_once() -> None:
    assert due(1).is_dead(Owed(reason="chat_gone", permanent=True), 0)
    assert due(1).is_dead(Owed(reason="chat_gone", permanent=True, away=True), 0)
