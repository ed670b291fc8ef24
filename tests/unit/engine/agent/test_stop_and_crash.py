"""A run that is stopped, or whose process dies: what is kept, and what is done again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.messages import AssistantMessage, ToolMessage
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, texts, until


async def test_stop_while_streaming_keeps_the_text_and_closes_the_stream(bench: Bench) -> None:
    model = bench.script(Turn("half", pause=asyncio.Event().wait))  # type: ignore[arg-type]
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: texts(scope.shown))
    scope.stop()
    outcome = await asyncio.wait_for(task, 2)
    assert (outcome.status, outcome.answer) == ("stopped", "half")
    assert model.closed_early == 1
    assert scope.events("text")[0].content == "half"


async def test_stop_while_a_tool_runs_ends_it(bench: Bench) -> None:
    ended: list[str] = []

    async def forever(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")
        raise AssertionError

    bench.tools = [FakeTool("sleepy", forever)]
    bench.script(Turn("Let me see.", calls=[call("sleepy")]))
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: bench.tools[0].runs)
    scope.stop()
    outcome = await asyncio.wait_for(task, 2)
    assert (outcome.status, outcome.answer) == ("stopped", "Let me see.")
    assert ended == ["ended"]
    bench.script(Turn("going on"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).answer == "going on"


async def test_stop_before_anything_began(bench: Bench) -> None:
    model = bench.script()
    scope = bench.scope()
    scope.stop()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer) == ("stopped", "")
    assert model.requests == []


async def test_a_crash_in_a_tool_repeats_only_that_tool(bench: Bench) -> None:
    bench.tools = [FakeTool("a"), FakeTool("b", effect="idempotent")]
    model = bench.script(Turn("look", calls=[call("a"), call("b")]), Turn("done"))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/1")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    after = scope.resume()
    outcome = await bench.agent()(after)
    assert outcome.answer == "done"
    assert (len(bench.tools[0].runs), len(bench.tools[1].runs)) == (1, 2)
    assert len(model.requests) == 2
    assert not [event for event in after.shown if event.segment == "model/0"]
    bench.script(Turn("next"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).answer == "next"


async def test_a_crash_after_the_answer_gives_the_same_answer(bench: Bench) -> None:
    model = bench.script(Turn("once"))
    scope = bench.scope()
    first = await bench.agent()(scope)
    second = await bench.agent()(scope.resume())
    assert first == second
    assert len(model.requests) == 1


async def test_reasoning_goes_back_to_the_provider_also_after_a_restart(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    model = bench.script(Turn(reasoning="because", calls=[call("look")]), Turn("ok"))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    outcome = await bench.agent()(scope.resume())
    sent = model.requests[1].messages[2]
    assert isinstance(sent, AssistantMessage)
    assert sent.reasoning == "because"
    assert sent.provider_details == {"reasoning_field": "reasoning_content"}
    assert "because" not in outcome.answer


async def test_a_conversation_killed_inside_a_tool_call_can_go_on(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.script(Turn("hm", calls=[call("look")]))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    model = bench.script(Turn("here I am"))
    outcome = await bench.agent()(bench.scope("continue", run="00000000000000000000000002"))
    assert outcome.answer == "here I am"
    told = [message.text for message in model.requests[0].messages if isinstance(message, ToolMessage)]
    assert told[0].startswith("interrupted")
