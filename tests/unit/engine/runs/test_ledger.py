from __future__ import annotations

from engine.runs.ledger import LONGEST_WAIT_MS, MAX_TRIES, wait_ms


def test_pauses_double_up_to_five_minutes() -> None:
    assert [wait_ms(n) for n in range(4)] == [1000, 2000, 4000, 8000]
    assert wait_ms(9) == wait_ms(10_000) == LONGEST_WAIT_MS


def test_a_row_is_tried_for_hours_before_it_is_a_dead_letter() -> None:
    assert 2 * 3600 < sum(wait_ms(n) for n in range(MAX_TRIES)) / 1000 < 4 * 3600
