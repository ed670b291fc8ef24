"""What the log knows of each call: who, how long, how much, what went wrong before it worked; no secret."""

from __future__ import annotations

from typing import Any

from engine.agent.state import CallResult, ModelTurn
from engine.errors import AuthFailed, CutOff, RateLimited, Unavailable
from engine.messages import ToolCall, Usage
from engine.models.fallback import FallbackModel
from engine.testing.scripted import ScriptedModel, Turn
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, until


def told(scope: Any, kind: str = "usage") -> list[dict[str, Any]]:
    return [event.content for event in scope.events(kind)]


async def test_a_model_call_is_noted_with_its_time_and_size(bench: Bench) -> None:
    bench.script(Turn(["Hel", "lo"], pause=lambda: bench.clock.sleep(2.0)))
    scope = bench.scope("what is 2+2? password=hunter2secret")
    task = bench.start(scope)
    await until(lambda: bench.model.requests)  # type: ignore[attr-defined]
    await bench.clock.advance(2.0)
    await task
    (call,) = told(scope)
    assert (call["agent"], call["model"], call["ended"], call["error"]) == ("default", "scripted", "stop", None)
    assert call["counted"] is True and (call["first_ms"], call["took_ms"]) == (0, 2000)
    assert call["asked"]["messages"] == 2 and call["asked"]["tools"] == 3 and call["asked"]["tokens"] > 100
    assert "what is 2+2?" in call["asked"]["last"] and "hunter2" not in str(call)
    assert ModelTurn.model_validate(scope.journal["model/0"]).facts.took_ms == call["took_ms"]


async def test_who_failed_before_is_noted_and_so_is_a_failure(bench: Bench) -> None:
    first = ScriptedModel(
        [Turn("hal", fails=CutOff()), Turn(fails=Unavailable()), Turn(fails=AuthFailed())], name="main"
    )
    second = ScriptedModel([Turn("whole"), Turn(fails=RateLimited(retry_after_s=99.0))], name="spare")
    bench.model = FallbackModel([first, second], bench.clock)
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: first.requests)
    await bench.clock.advance(5.0)
    await task
    (call,) = told(scope)
    failed = [{"model": "main", "error": "model_cut_off"}, {"model": "main", "error": "model_unavailable"}]
    assert (call["model"], call["failed"]) == ("spare", failed)
    later = bench.scope(run="00000000000000000000000002")
    assert (await bench.agent()(later)).status == "failed"
    (call,) = told(later)
    assert (call["model"], call["ended"], call["error"]) == ("spare", "failed", "model_rate_limited")
    assert call["counted"] is False and later.events("usage")[0].status == "fail"


async def test_a_provider_that_counts_nothing_is_no_provider_that_used_nothing(bench: Bench) -> None:
    bench.script(Turn("Hello", usage=Usage()))
    scope = bench.scope()
    await bench.agent()(scope)
    assert [(call["counted"], call["cost"]) for call in told(scope)] == [(False, None)]


async def test_a_tool_call_is_noted_with_its_time(bench: Bench) -> None:
    async def work(args: dict[str, Any], context: ToolContext) -> ToolResult:
        await bench.clock.sleep(1.5)
        return ToolResult(success=True, summary="ok")

    bench.tools = [FakeTool("slow", work)]
    calls = (ToolCall(id="a", name="slow"), ToolCall(id="b", name="nobody"))
    bench.script(Turn(calls=calls), Turn("done"))
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: bench.tools[0].runs)
    await bench.clock.advance(1.5)
    await task
    assert {call["name"]: call["took_ms"] for call in told(scope, "tool")} == {"slow": 1500, "nobody": None}
    assert [call["calls"] for call in told(scope)] == [["slow", "nobody"], []]


def test_what_an_older_version_recorded_still_loads() -> None:
    turn = ModelTurn.model_validate({"v": 1, "message": {"role": "assistant", "text": "hi"}, "model": "main"})
    assert turn.facts.took_ms is None and turn.facts.failed == ()
    assert CallResult.model_validate({"call": "a", "name": "x", "result": {"success": True}}).took_ms is None
