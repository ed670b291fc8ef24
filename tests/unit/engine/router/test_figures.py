"""The two figures of the router, on requests that were labelled before its rules were written."""

from __future__ import annotations

import time

import pytest

from engine.router import Directory, decide_by_rules, read_request
from tests.unit.engine.router.labelled import Figures, load, measure

LEAST_DECIDED, LEAST_RIGHT = 0.90, 0.95


@pytest.mark.parametrize("name", ["open", "kinds"])
def test_the_rules_decide_most_open_requests_and_rightly(name: str) -> None:
    figures = measure(name)
    assert figures.decided >= LEAST_DECIDED, figures.misses
    assert figures.right >= LEAST_RIGHT, figures.misses


def test_the_rules_decide_most_sealed_requests_and_rightly(capsys: pytest.CaptureFixture[str]) -> None:
    """Tells two figures and nothing of what it read: the rules must not learn from this half."""
    figures = measure("sealed")
    with capsys.disabled():
        print(f"\nsealed: {figures}")  # noqa: T201
    enough = figures.decided >= LEAST_DECIDED and figures.right >= LEAST_RIGHT
    assert enough, str(figures)


def test_a_list_without_right_answers_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [("team", text) for label, text in load("open") if label != "team"]
    monkeypatch.setattr("tests.unit.engine.router.labelled.load", lambda _: wrong)
    assert measure("open").right < 0.1
    assert isinstance(measure("open"), Figures)


@pytest.mark.alone
def test_a_decision_takes_at_most_a_millisecond() -> None:
    """99 of 100, on this thread's own time, the best of five: other work on the machine is not ours to judge."""
    nobody = Directory()
    texts = [text for name in ("open", "kinds") for _, text in load(name)]

    def once_ms(text: str) -> float:
        begun = time.thread_time()
        decide_by_rules(read_request(text), nobody, nobody)
        return (time.thread_time() - begun) * 1_000

    times = sorted(min(once_ms(text) for _ in range(5)) for text in texts)
    assert times[int(len(times) * 0.99)] <= 1.0, times[-10:]
