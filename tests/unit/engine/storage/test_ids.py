from __future__ import annotations

from engine.storage.ids import Ids, new_id


def test_ids_are_26_characters_and_sort_by_creation() -> None:
    ids = Ids()
    made = [ids.new(now_ms=1_700_000_000_000 + n // 100) for n in range(1000)]
    assert made == sorted(set(made))
    assert {len(each) for each in made} == {26}


def test_a_clock_that_goes_back_does_not_bring_the_order_back() -> None:
    ids = Ids()
    assert ids.new(now_ms=2000) < ids.new(now_ms=1000)


def test_different_processes_do_not_meet() -> None:
    assert Ids().new(now_ms=1) != Ids().new(now_ms=1)
    assert new_id() < new_id()
