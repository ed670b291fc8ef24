"""What a person sees of a plan: lines while it is written, to-dos that move while it runs, never its JSON."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.agent.staged.glimpse import MAX_CHARS, Glimpse, glimpse
from engine.testing.scripted import Turn
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, until
from tests.unit.engine.agent.test_staged import act, giving, judged, plan, raising, repair

PLAN = plan(act("look", purpose="Look at it"), act("tell", purpose='Say "so"'), goal="Find out")
READABLE = 'Find out\n1. Look at it\n2. Say "so"'


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_plan_can_be_read_while_it_is_written(size: int) -> None:
    seen = Glimpse()
    grown = [seen.text for at in range(0, len(PLAN), size) if seen.add(PLAN[at : at + size])]
    assert grown[-1] == READABLE == glimpse(PLAN)
    assert all(READABLE.startswith(each) for each in grown)


def test_what_an_argument_says_is_no_purpose() -> None:
    assert glimpse(plan(act("write", purpose="Write", content='{"purpose": "evil"}'))) == "the goal\n1. Write"


def test_a_long_answer_is_not_looked_at_to_its_end() -> None:
    seen = Glimpse()
    seen.add('"' * (MAX_CHARS + 1))
    assert not seen.add('"goal": "late"')


def pieces(text: str, size: int = 9) -> Turn:
    return Turn([text[at : at + size] for at in range(0, len(text), size)])


async def test_json_is_never_shown(bench: Bench) -> None:
    bench.tools = [FakeTool("look"), FakeTool("tell", giving(a=1))]
    unreadable = PLAN.replace('"actions"', '"things"')
    bench.plans(pieces(unreadable), pieces(PLAN), "All is well.")
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "All is well."
    shown = [event for event in scope.shown if event.type in ("thinking", "text")]
    assert READABLE in [event.content for event in shown]
    assert not [event.content for event in shown if "{" in str(event.content) or '"actions"' in str(event.content)]
    last = {event.segment: event.content for event in shown}
    assert last["plan/0"] == "", "what could not be read is taken back"


async def test_todos_move_while_the_plan_is_carried_out(bench: Bench) -> None:
    gate = asyncio.Event()

    async def slow(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        await gate.wait()
        return ToolResult(success=True, summary="ok", text="ok")

    bench.tools = [FakeTool("look", slow, effect="idempotent"), FakeTool("tell", effect="idempotent")]
    bench.plans(PLAN, "Done.")
    scope = bench.scope()
    task = bench.start(scope)

    def states() -> list[str]:
        told = [event.content for event in scope.shown if event.type == "todos"]
        return [item["status"] for item in told[-1]["items"]] if told else []  # type: ignore[index]

    await until(lambda: states() == ["in_progress", "pending"])
    gate.set()
    await asyncio.wait_for(task, 2)
    assert states() == ["success", "success"]


async def test_a_to_do_says_what_was_wrong_with_what_it_gave(bench: Bench) -> None:
    bench.tools = [FakeTool("look"), FakeTool("tell", raising(ValueError("no")))]
    first = plan(act("look", "lines"), act("tell"))
    bench.plans(first, repair(reason="nothing more can be done"), "That is all.")
    scope = bench.scope()
    await bench.agent()(scope)
    items = [event.content["items"] for event in scope.shown if event.type == "todos" and event.segment == "plan/0"]  # type: ignore[index]
    assert [item.get("code") for item in items[-1]] == ["output_unparseable", "tool_failed"]


async def test_what_is_missing_is_told_and_not_only_to_the_model(bench: Bench) -> None:
    bench.tools = [FakeTool("look"), FakeTool("tell")]
    written = json.dumps({**json.loads(PLAN), "success_criteria": ["a number"]})
    bench.plans(written, judged("a number"), repair(), "No number.")
    scope = bench.scope()
    await bench.agent()(scope)
    notices = [event.content for event in scope.shown if event.type == "notice"]
    assert {"code": "criteria_not_met", "params": {"missing": "a number"}, "tone": "info"} in notices
