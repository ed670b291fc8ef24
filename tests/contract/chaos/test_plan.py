"""The list of cases: each fault alone wherever it can be, each pair once, the same for the same seed."""

from __future__ import annotations

from itertools import combinations

from tests.contract.chaos.plan import FAULTS, QUICK, pairs, singles


def test_every_fault_is_there_alone_on_each_of_its_profiles() -> None:
    found = [(case.profile, *case.faults) for case in singles()]
    assert sorted(found) == sorted((profile, name) for name, each in FAULTS.items() for profile in each.profiles)
    assert len(found) == len(set(found))


def test_every_pair_that_can_happen_together_is_there_once() -> None:
    found = [frozenset(case.faults) for case in pairs()]
    never = {frozenset(pair) for pair in combinations(FAULTS, 2) if not _together(*pair)}
    assert {frozenset(pair) for pair in combinations(FAULTS, 2)} == set(found) | never
    assert len(found) == len(set(found))
    assert all("disk_full" in pair for pair in never), "a server has no disk of ours, a file no wire"


def test_a_case_has_the_same_dice_again_and_other_cases_have_others() -> None:
    first, second, *_ = pairs()
    assert first.dice().random() == first.dice().random() != second.dice().random()
    assert [case.id for case in pairs()] == [case.id for case in pairs()]
    assert str(first.seed) in first.id


def test_the_quick_cases_are_of_the_plan() -> None:
    known = {(frozenset(pair), profile) for pair in combinations(FAULTS, 2) for profile in _together(*pair)}
    assert {(frozenset(case.faults), case.profile) for case in QUICK} <= known


def _together(one: str, other: str) -> set[str]:
    return set(FAULTS[one].profiles & FAULTS[other].profiles)
