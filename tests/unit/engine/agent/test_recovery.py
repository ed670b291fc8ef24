"""The table of eight errors, and the three signals."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from engine.agent.recovery import (
    PERSON_CODES,
    RECOVERIES,
    counts_as_round,
    is_failing,
    is_unavailable,
    recovery_of,
    signal_of,
)
from engine.errors import ServiceUnavailable, ToolFailed, ToolRetry
from engine.settings import AgentSettings
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from gateway.texts import en, zh
from tests.unit.engine.agent.conftest import Bench, FakeTool

ROWS = [
    ("ModelOutputParseError", "model_bad_output", "retry", "ask_again", False, False),
    ("ToolNotFound", "tool_not_found", "retry", "repair", False, True),
    ("ToolArgsInvalid", "tool_args_invalid", "retry", "repair", False, True),
    ("ToolExecutionFailed", "tool_failed", "adapt", "repair", True, True),
    ("ToolTimeout", "tool_timeout", "adapt", "repair", True, True),
    ("OutputUnparseable", "output_unparseable", "retry", "repair", True, True),
    ("CompletionCriteriaNotMet", "criteria_not_met", "retry", "repair", True, True),
    ("ExternalServiceUnavailable", "service_unavailable", "adapt", "report", True, False),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_each_kind_has_its_recovery(row: tuple[str, str, str, str, bool, bool]) -> None:
    kind, code, signal, then, is_round, is_repair = row
    known = RECOVERIES[code]
    assert (known.kind, known.signal, known.then) == (kind, signal, then)
    assert (known.counts_as_round, known.counts_as_repair) == (is_round, is_repair)
    assert known.told("It broke.") == f"It broke. {known.advice}"
    assert counts_as_round([code]) is is_round
    assert is_failing([code]) is is_repair
    assert known.text_key in en.TEXTS
    assert known.text_key in zh.TEXTS


def test_there_are_eight_and_their_description_says_the_same() -> None:
    assert list(RECOVERIES) == [row[1] for row in ROWS]
    text = Path(__import__("engine.agent.recovery").agent.recovery.__file__).read_text("utf-8")
    told = re.findall(r"^\| (\w+) \| ([\w ]+) \| (yes|no) \| (yes|no) \|$", text, re.MULTILINE)
    words = {True: "yes", False: "no"}
    assert told == [(row[0], row[3].replace("_", " "), words[row[4]], words[row[5]]) for row in ROWS]


def test_three_signals_stay_different() -> None:
    assert {signal_of(code) for code in PERSON_CODES} == {"person"}
    assert not PERSON_CODES & RECOVERIES.keys()
    for code in PERSON_CODES:
        assert recovery_of(code) is None
        assert not is_failing([code])
    assert signal_of("stopped") == "stop"
    assert signal_of(None) == "none"
    assert recovery_of("a_code_of_tomorrow") == RECOVERIES["tool_failed"]


def test_what_a_round_counts_as() -> None:
    assert counts_as_round(["tool_not_found", None])
    assert not counts_as_round(["tool_not_found", "held_back", "tool_args_invalid"])
    assert not is_failing(["tool_failed", None])
    assert not is_failing(["tool_failed", "denied"])
    assert is_failing(["tool_failed", "held_back"])
    assert is_unavailable(["service_unavailable", "tool_failed"])
    assert not is_unavailable(["service_unavailable", None])
    assert not is_unavailable(["service_unavailable", "denied"])


def _raising(error: Exception) -> Any:
    async def work(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        raise error

    return work


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (Turn(calls=[call("nonsense")]), "tool_not_found"),
        (Turn(calls=[call("broken", "[1]")]), "tool_args_invalid"),
        (Turn(calls=[call("broken")]), "tool_failed"),
    ],
)
async def test_three_failing_rounds_in_a_row_end_in_an_answer(bench: Bench, turn: Turn, code: str) -> None:
    count = 0

    async def work(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        nonlocal count
        count += 1
        raise ToolFailed(f"no disk {count}")

    bench.tools = [FakeTool("broken", work)]
    bench.agent_settings = AgentSettings(max_identical_rounds=9)
    model = bench.script(turn, turn, turn, Turn("It could not be done: no disk."))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer) == ("done", "It could not be done: no disk.")
    assert [scope.journal[f"tool/{n}/0"]["result"]["error"] for n in range(3)] == [code] * 3
    assert model.requests[-1].tools == ()
    assert scope.events("notice")[-1].content["code"] == "not_completed"  # type: ignore[index]


async def test_a_round_that_works_begins_the_count_anew(bench: Bench) -> None:
    bench.tools = [FakeTool("fine"), FakeTool("broken", _raising(ToolFailed("no")))]
    broken, fine = Turn(calls=[call("broken")]), Turn(calls=[call("fine")])
    bench.agent_settings = AgentSettings(max_tool_rounds=9)
    bench.script(broken, broken, fine, broken, broken, Turn("done"))
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "done"
    assert not scope.events("notice")


async def test_calls_that_cannot_run_use_up_no_round(bench: Bench) -> None:
    bench.tools = [FakeTool("fine")]
    bench.agent_settings = AgentSettings(max_tool_rounds=2)
    wrong, fine = Turn(calls=[call("wrong")]), Turn(calls=[call("fine")])
    bench.script(wrong, fine, wrong, Turn("done"))
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "done"
    assert not scope.events("notice")


async def test_what_a_person_denied_is_no_failure(bench: Bench) -> None:
    bench.tools = [FakeTool("risky", effect="once", asks=True)]
    bench.agent_settings = AgentSettings(approval_timeout_s=1, max_identical_rounds=9, max_tool_rounds=4)
    bench.script(*[Turn(calls=[call("risky")])] * 3, Turn("well then"))
    scope = bench.scope()
    task = bench.start(scope)
    for _ in range(200):
        await bench.clock.advance(0.5)
        if task.done():
            break
    assert (await task).answer == "well then"
    assert {scope.journal[f"tool/{n}/0"]["result"]["error"] for n in range(3)} == {"approval_expired"}
    assert not [each for each in scope.events("notice") if each.content["code"] == "not_completed"]  # type: ignore[index]


async def test_a_service_that_is_not_there_is_reported_at_once(bench: Bench) -> None:
    bench.tools = [FakeTool("weather", _raising(ServiceUnavailable("weather.example does not answer")))]
    model = bench.script(Turn(calls=[call("weather")]), Turn("The weather service does not answer."))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "The weather service does not answer."
    assert len(bench.tools[0].runs) == 1
    told = model.requests[1].messages[-2].text
    assert told == f"error: weather.example does not answer. {RECOVERIES['service_unavailable'].advice}"
    assert scope.events("notice")[-1].content["code"] == "service_unavailable"  # type: ignore[index]


async def test_a_malformed_call_is_told_how_to_go_on(bench: Bench) -> None:
    bench.tools = [FakeTool("picky", _raising(ToolRetry("p must be small")))]
    model = bench.script(Turn(calls=[call("picky")]), Turn("ok"))
    await bench.agent()(bench.scope())
    told = model.requests[1].messages[-1].text
    assert told == f"error: p must be small. {RECOVERIES['tool_args_invalid'].advice}"


@pytest.mark.parametrize("path", ["model/4", "tool/3/0"])
async def test_a_run_that_went_on_under_other_rules_goes_on_from_there(bench: Bench, path: str) -> None:
    bench.tools = [FakeTool("broken", _raising(ToolFailed("no")))]
    turns = [Turn(calls=[call("broken", {"n": n})]) for n in range(4)]
    bench.agent_settings = AgentSettings(max_repairs=9)
    model = bench.script(*turns, Turn("lost"), Turn("done"))
    scope = bench.scope()
    scope.crash_before_recording(path)
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    bench.agent_settings = AgentSettings(max_repairs=3)
    asked = len(model.requests)
    assert (await bench.agent()(scope.resume())).status == "done"
    assert len(model.requests) == asked + 1
    assert {f"tool/{n}/0" for n in range(4)} <= scope.journal.keys()


async def test_a_recorded_summary_stays_the_answer_under_other_rules(bench: Bench) -> None:
    bench.tools = [FakeTool("fine")]
    bench.agent_settings = AgentSettings(max_tool_rounds=1)
    model = bench.script(Turn(calls=[call("fine")]), Turn("the answer"))
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "the answer"
    bench.agent_settings = AgentSettings(max_tool_rounds=5)
    assert (await bench.agent()(scope.resume())).answer == "the answer"
    assert len(model.requests) == 2
