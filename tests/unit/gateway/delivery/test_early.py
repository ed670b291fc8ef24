from __future__ import annotations

from engine.events import RunEvent
from engine.messages import RunId
from gateway.delivery.early import EVENTS_KEPT, RUNS_KEPT, Early


def event(run: str, content: str = "") -> RunEvent:
    return RunEvent(run=RunId(run), type="text", content=content)


def test_what_came_early_is_given_once_and_in_order() -> None:
    early = Early()
    for content in "abc":
        early.keep(event("r", content))
    assert [each.content for each in early.take(RunId("r"))] == ["a", "b", "c"]
    assert early.take(RunId("r")) == []


def test_runs_that_are_never_opened_do_not_pile_up() -> None:
    early = Early()
    for number in range(3 * RUNS_KEPT):
        early.keep(event(f"r{number}"))
    assert sum(bool(early.take(RunId(f"r{number}"))) for number in range(3 * RUNS_KEPT)) == RUNS_KEPT


def test_of_a_run_that_talks_on_the_newest_is_kept() -> None:
    early = Early()
    for number in range(EVENTS_KEPT + 10):
        early.keep(event("r", str(number)))
    kept = early.take(RunId("r"))
    assert (len(kept), kept[-1].content) == (EVENTS_KEPT, str(EVENTS_KEPT + 9))


def test_a_run_without_a_channel_keeps_nothing() -> None:
    early = Early()
    early.keep(event("r"))
    early.refuse(RunId("r"))
    early.keep(event("r"))
    assert early.take(RunId("r")) == []
    early.keep(event("r"))
    assert len(early.take(RunId("r"))) == 1


def test_a_run_that_was_let_go_of_may_come_again() -> None:
    early = Early()
    early.keep(event("r"))
    early.forget(RunId("r"))
    early.keep(event("r", "again"))
    assert [each.content for each in early.take(RunId("r"))] == ["again"]
