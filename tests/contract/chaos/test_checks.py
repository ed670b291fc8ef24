"""Each check is shown a history in which just what it looks for went wrong: it must complain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.contract.chaos import checks
from tests.contract.chaos.feishu import OLDER_SEQUENCE, stale
from tests.contract.chaos.history import History
from tests.contract.chaos.quarter import Shown
from tests.contract.chaos.question import Question, answer_to
from tests.contract.chaos.records import Records, RunRow, StepRow

OVER = ("retry", "satisfied")
FIRST, SECOND = "qp001", "qa002"


def card(mark: str, *, id: str = "", platform: str = "feishu", text: str = "") -> Shown:
    return Shown(platform, id or f"m-{mark}", text or f"tell me about {mark} {answer_to(mark)} Done", OVER)


def run(mark: str, seq: int, **more: object) -> RunRow:
    calm = RunRow(f"r-{mark}", "feishu:main:t:c", seq, "done", 1, 100 * seq, 100 * seq + 50, mark)
    return replace(calm, **more)  # type: ignore[arg-type]


def calm() -> History:
    """Two questions of one conversation, answered as they should be."""
    return History(
        asked=(Question(FIRST, "feishu", "group", "q1"), Question(SECOND, "feishu", "group", "q2")),
        shown=(card(FIRST), card(SECOND)),
        growth={f"m-{FIRST}": [0, 5, 36], f"m-{SECOND}": [0, 9, 36]},
        records=Records(
            runs=(run(FIRST, 1), run(SECOND, 2)),
            steps=(StepRow(f"r-{FIRST}", "model/1", 1), StepRow(f"r-{SECOND}", "model/1", 1)),
            ledger=((f"r-{FIRST}", "delivered"), (f"r-{SECOND}", "delivered")),
            counters={"feishu:main:t:c": 2},
        ),
        model_steps=((FIRST, 0), (SECOND, 0), (SECOND, 1)),
        notes=(f"{SECOND} note",),
    )


def with_records(**more: object) -> History:
    return replace(calm(), records=replace(calm().records, **more))  # type: ignore[arg-type]


BAD: dict[str, tuple[checks.Check, Callable[[], History]]] = {
    "not answered": (checks.answered_once, lambda: replace(calm(), shown=(card(SECOND),))),
    "answered twice": (checks.answered_once, lambda: replace(calm(), shown=(*calm().shown, card(FIRST, id="m-new")))),
    "another card, the first taken back": (
        checks.answered_once,
        lambda: replace(calm(), shown=(replace(card(FIRST), gone=True), card(FIRST, id="m-new"), card(SECOND))),
    ),
    "a card of no question": (
        checks.nothing_else_said,
        lambda: replace(calm(), shown=(*calm().shown, card("", text="Something went wrong"))),
    ),
    "two questions on one card": (
        checks.nothing_else_said,
        lambda: replace(calm(), shown=(card(FIRST, text=answer_to(FIRST) + answer_to(SECOND)),)),
    ),
    "a word is missing": (
        checks.complete,
        lambda: replace(calm(), shown=(card(FIRST, text=answer_to(FIRST).replace(f"{FIRST}w7 ", "")),)),
    ),
    "a word is there twice": (
        checks.complete,
        lambda: replace(calm(), shown=(card(FIRST, text=f"{FIRST}w0 {answer_to(FIRST)}"),)),
    ),
    "never over": (checks.complete, lambda: replace(calm(), shown=(replace(card(FIRST), buttons=("stop",)),))),
    "two runs of one question": (
        checks.one_run_each,
        lambda: with_records(runs=(run(FIRST, 1), run(FIRST, 2), run(SECOND, 3))),
    ),
    "a run failed": (checks.one_run_each, lambda: with_records(runs=(run(FIRST, 1, status="failed"), run(SECOND, 2)))),
    "no run": (checks.one_run_each, lambda: with_records(runs=(run(FIRST, 1),))),
    "runs overlap": (checks.no_overlap, lambda: with_records(runs=(run(FIRST, 1, ended_at=201), run(SECOND, 2)))),
    "a run never ended": (
        checks.no_overlap,
        lambda: with_records(runs=(run(FIRST, 1, ended_at=None), run(SECOND, 2))),
    ),
    "out of order": (
        checks.asked_in_order,
        lambda: replace(calm(), model_steps=((FIRST, 0), (SECOND, 0), (FIRST, 0))),
    ),
    "a step again": (
        checks.no_step_repeated,
        lambda: replace(calm(), model_steps=((SECOND, 0), (SECOND, 1), (SECOND, 0))),
    ),
    "a step recorded twice": (
        checks.no_step_repeated,
        lambda: with_records(steps=(StepRow("r", "model/1", 1), StepRow("r", "model/1", 2))),
    ),
    "a step of an attempt nobody claimed": (
        checks.steps_belong,
        lambda: with_records(steps=(StepRow(f"r-{FIRST}", "model/1", 2),)),
    ),
    "a zombie's snapshot": (
        checks.no_old_owner_writes,
        lambda: replace(calm(), growth={f"m-{FIRST}": [0, 20, 5, 36]}),
    ),
    "told by the platform": (checks.no_old_owner_writes, lambda: replace(calm(), stale_writes=("sequence 100003",))),
    "a hole": (checks.no_holes, lambda: with_records(runs=(run(FIRST, 1), run(SECOND, 3)))),
    "a number given to nobody": (checks.no_holes, lambda: with_records(counters={"feishu:main:t:c": 3})),
    "a dead letter": (
        checks.all_delivered,
        lambda: with_records(ledger=((f"r-{FIRST}", "failed"), (f"r-{SECOND}", "delivered"))),
    ),
    "no row in the ledger": (checks.all_delivered, lambda: with_records(ledger=((f"r-{FIRST}", "delivered"),))),
    "a note twice": (checks.notes_once, lambda: replace(calm(), notes=(f"{SECOND} note", f"{SECOND} note"))),
    "no note": (checks.notes_once, lambda: replace(calm(), notes=())),
}


@pytest.mark.parametrize("what", BAD)
def test_a_check_sees_it(what: str) -> None:
    check, bad = BAD[what]
    assert check(bad()), f"{check.__name__} let it pass: {what}"
    assert any(told.startswith(check.__name__) for told in checks.complaints(bad()))


def test_calm_is_calm_and_every_check_has_its_bad_case() -> None:
    assert checks.complaints(calm()) == []
    assert {check for check, _ in BAD.values()} == set(checks.CHECKS)


def test_a_new_attempt_may_begin_its_text_again() -> None:
    grown = {f"m-{FIRST}": [0, 20, 5, 36]}
    again = with_records(runs=(run(FIRST, 1, attempt=2), run(SECOND, 2)))
    assert checks.no_old_owner_writes(replace(again, growth=grown)) == []


def test_what_a_platform_lost_needs_no_answer_but_may_have_one() -> None:
    lost = replace(with_records(runs=(run(SECOND, 1),), counters={"feishu:main:t:c": 1}), shown=(card(SECOND),))
    assert checks.answered_once(lost) and checks.one_run_each(lost)
    forgiven = replace(lost, lost=frozenset({FIRST}))
    assert not checks.answered_once(forgiven) and not checks.one_run_each(forgiven)


def test_feishu_tells_an_old_owners_write_from_one_whose_answer_was_lost() -> None:
    took = [("c", 100_001, 0), ("c", 100_002, 0)]
    assert stale([*took, ("c", 100_002, OLDER_SEQUENCE), ("c", 200_001, 0)]) == []
    assert stale([*took, ("c", 200_001, 0), ("c", 100_003, OLDER_SEQUENCE)]), "an old owner, refused"
    assert stale([*took, ("c", 200_001, 503), ("c", 100_003, 0)]), "an old owner, taken"
    assert stale([("c", 100_002, 0), ("c", 100_001, OLDER_SEQUENCE)]), "never taken, and older"
