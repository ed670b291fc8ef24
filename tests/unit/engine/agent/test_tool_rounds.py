"""Rounds of tool calls: what runs, beside what, how often, and what the model is told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.agent.state import TRANSITIONS, Pass, Stage
from engine.errors import (
    ToolFailed,
    ToolRetry,
)
from engine.messages import ToolMessage
from engine.settings import AgentSettings
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, texts, until


async def test_a_round_of_tools(bench: Bench) -> None:
    (bench.workspace / "a.py").write_text("1\n2\n")
    model = bench.script(
        Turn("Let me look.", calls=[call("project_scan"), call("read_file", {"file_path": "a.py"})]), Turn("Two lines.")
    )
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "Two lines."
    assert texts(scope.stored) == ["Let me look.", "Two lines."]
    assert [event.segment for event in scope.stored if event.type == "text"] == ["model/0", "model/1"]
    shown = [(event.type, event.status, event.segment) for event in scope.shown if event.type in ("tool", "read_file")]
    assert sorted(shown) == [
        ("read_file", "in_progress", "tool/0/1"),
        ("read_file", "success", "tool/0/1"),
        ("tool", "in_progress", "tool/0/0"),
        ("tool", "success", "tool/0/0"),
    ]
    scan = next(event for event in scope.stored if event.segment == "tool/0/0")
    assert isinstance(scan.content, dict)
    assert scan.content["parsed"]["total_lines"] == 2
    opened = next(event for event in scope.stored if event.segment == "tool/0/1")
    assert isinstance(opened.content, dict)
    assert opened.content["file_path"] == "a.py"
    told = [message for message in model.requests[1].messages if isinstance(message, ToolMessage)]
    assert [message.name for message in told] == ["project_scan", "read_file"]
    assert "1\n2" in told[1].text


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        (call("nonsense"), "there is no tool 'nonsense'"),
        (call("read_file", "{}"), "file_path is missing"),
        (call("read_file", "[1,2]"), "must be one JSON object"),
        (call("read_file", '"text"'), "must be one JSON object"),
        (call("read_file", {"file_path": "../x"}), "leads out of the workspace"),
    ],
)
async def test_a_wrong_call_is_told_to_the_model_which_mends_it(bench: Bench, asked: Any, part: str) -> None:
    (bench.workspace / "a.txt").write_text("content")
    model = bench.script(Turn(calls=[asked]), Turn(calls=[call("read_file", {"file_path": "a.txt"})]), Turn("ok"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer) == ("done", "ok")
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert part in told.text
    assert told.text.startswith("error: ")
    failed = next(event for event in scope.stored if event.segment == "tool/0/0")
    assert failed.status == "fail"


async def test_a_tool_that_breaks_is_a_result(bench: Bench) -> None:
    def raising(error: Exception) -> Any:
        async def work(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
            raise error

        return work

    bench.tools = [
        FakeTool("broken", raising(RuntimeError("secret"))),
        FakeTool("failed", raising(ToolFailed("no disk"))),
        FakeTool("again", raising(ToolRetry("other words"))),
    ]
    model = bench.script(Turn(calls=[call("broken"), call("failed"), call("again")]), Turn("ok"))
    outcome = await bench.agent()(bench.scope())
    assert outcome.status == "done"
    said = [message.text for message in model.requests[1].messages if isinstance(message, ToolMessage)]
    assert said == [
        "error: the tool broken broke (RuntimeError)",
        "error: no disk",
        "error: other words. Mend the call and try again.",
    ]


async def test_a_tool_has_limited_time(bench: Bench) -> None:
    async def forever(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    bench.tools = [FakeTool("sleepy", forever)]
    bench.agent_settings = AgentSettings(tool_timeout_s=5)
    bench.script(Turn(calls=[call("sleepy")]), Turn("ok"))
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: bench.tools[0].runs)
    await bench.clock.advance(5.1)
    assert (await task).status == "done"
    assert scope.journal["tool/0/0"]["result"]["error"] == "tool_timeout"


async def test_harmless_calls_run_beside_each_other_others_in_order(bench: Bench) -> None:
    running: set[str] = set()
    most = 0

    def busy(name: str) -> Any:
        async def work(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
            nonlocal most
            running.add(name)
            most = max(most, len(running))
            await asyncio.sleep(0.01)
            running.discard(name)
            return ToolResult(success=True, text=name)

        return work

    for effect, expected in (("none", 2), ("once", 1)):
        most = 0
        bench.tools = [FakeTool("a", busy("a")), FakeTool("b", busy("b"), effect=effect)]  # type: ignore[arg-type]
        model = bench.script(Turn(calls=[call("a"), call("b")]), Turn("ok"))
        await bench.agent()(bench.scope(run=f"0000000000000000000000000{expected}"))
        assert most == expected
        told = [message.text for message in model.requests[1].messages if isinstance(message, ToolMessage)]
        assert told[-2:] == ["a", "b"]


async def test_going_in_circles_ends_with_a_summary(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    model = bench.script(*[Turn(calls=[call("look", {"a": 1})])] * 3, Turn("That is all I know."))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer) == ("done", "That is all I know.")
    assert len(bench.tools[0].runs) == 3
    assert model.requests[-1].tools == ()
    notice = scope.events("notice")[-1]
    assert isinstance(notice.content, dict)
    assert notice.content["code"] == "going_in_circles"


async def test_rounds_are_limited(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.agent_settings = AgentSettings(max_tool_rounds=2)
    model = bench.script(*[Turn(calls=[call("look", {"a": place})]) for place in range(2)], Turn("enough"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "enough"
    assert len(model.requests) == 3
    notice = scope.events("notice")[-1]
    assert isinstance(notice.content, dict)
    assert notice.content["code"] == "tool_rounds_used_up"


async def test_a_model_that_still_calls_when_it_may_not_is_not_heard(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.agent_settings = AgentSettings(max_tool_rounds=1)
    bench.script(Turn(calls=[call("look")]), Turn("so", calls=[call("look")]))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.answer) == ("done", "so")
    bench.script(Turn("next"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).status == "done"


async def test_huge_output_is_cut_and_kept(bench: Bench) -> None:
    async def huge(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        return ToolResult(success=True, text="👨\u200d👩\u200d👧" * 1_000_000, summary="much")

    bench.tools = [FakeTool("huge", huge)]
    model = bench.script(Turn(calls=[call("huge")]), Turn("ok"))
    assert (await bench.agent()(bench.scope())).status == "done"
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolMessage)
    assert len(told.text) <= AgentSettings().max_tool_output_chars
    assert "characters are missing here" in told.text
    kept = next((bench.workspace / ".niuma-outputs").iterdir())
    assert kept.name in told.text
    json.dumps(told.text).encode()


def test_there_is_no_way_around_the_review(bench: Bench) -> None:
    assert Stage.EXECUTE not in TRANSITIONS[Stage.PLAN]
    work = Pass(None, None, None, [], None, [], bench.workspace)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no way"):
        work.enter(Stage.EXECUTE)
