from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.agent.state import TRANSITIONS, Pass, Stage
from engine.errors import (
    AuthFailed,
    BadOutput,
    ContextTooLong,
    CutOff,
    ModelError,
    RateLimited,
    Refused,
    TimedOut,
    ToolFailed,
    ToolRetry,
    Unavailable,
)
from engine.messages import AssistantMessage, ToolMessage, UserMessage
from engine.settings import AgentSettings
from engine.testing.scope import MemoryScope
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, texts, until


async def test_a_plain_answer(bench: Bench) -> None:
    bench.script(Turn(["Hel", "lo"], reasoning="hm"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.answer, outcome.error) == ("done", "Hello", None)
    live = [event for event in scope.shown if event.status == "in_progress"]
    assert texts(live) == ["Hel", "lo"]
    assert {event.segment for event in live} == {"model/0"}
    stored = {event.type: event for event in scope.stored}
    assert stored["text"].content == "Hello"
    assert stored["text"].opr == "replace"
    assert stored["thinking"].visibility == "folded"
    assert stored["usage"].content == {"model": "scripted", "input_tokens": 10, "output_tokens": 5, "cost": 0.001}


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


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Unavailable(), "model_unavailable"),
        (TimedOut(), "model_timeout"),
        (Refused(), "model_refused"),
        (AuthFailed(), "model_auth"),
        (RateLimited(retry_after_s=9.0), "model_rate_limited"),
        (ContextTooLong(), "context_too_long"),
        (CutOff(), "model_cut_off"),
        (BadOutput(), "model_bad_output"),
    ],
)
async def test_a_failed_model_is_an_outcome_and_its_text_is_kept(bench: Bench, error: ModelError, code: str) -> None:
    bench.script(Turn("half an ans", fails=error), repeats=True)
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.error, outcome.answer) == ("failed", code, "half an ans")
    assert scope.events("text")[0].content == "half an ans"
    model = bench.script(Turn("fine again"))
    assert (await bench.agent()(bench.scope("go on", run="00000000000000000000000002"))).status == "done"
    said = [message.text for message in model.requests[0].messages if isinstance(message, AssistantMessage)]
    assert said == ["half an ans"]


async def test_a_failure_before_any_word_leaves_no_empty_message(bench: Bench) -> None:
    bench.script(Turn(fails=Unavailable()))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.answer) == ("failed", "")
    bench.script(Turn("fine"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).status == "done"


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000\n", "\u200b\ufeff"])
async def test_an_answer_without_words_is_a_failure(bench: Bench, text: str) -> None:
    bench.script(Turn(text))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.error, outcome.answer) == ("failed", "model_empty", "")
    model = bench.script(Turn("fine"))
    assert (await bench.agent()(bench.scope(run="00000000000000000000000002"))).status == "done"
    assert not [each for each in model.requests[0].messages if isinstance(each, AssistantMessage)]


async def test_what_another_model_begins_anew_replaces_the_text(bench: Bench) -> None:
    bench.script(Turn("whole", discarded="hal"))
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.answer == "whole"
    live = [(event.opr, event.content) for event in scope.shown if event.type == "text"]
    assert live == [("update", "hal"), ("replace", ""), ("update", "whole"), ("replace", "whole")]


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


async def test_the_next_question_sees_the_last_answer(bench: Bench) -> None:
    bench.script(Turn("forty-two"))
    await bench.agent()(bench.scope("what is it?"))
    model = bench.script(Turn("as I said"))
    await bench.agent()(bench.scope("and again?", run="00000000000000000000000002"))
    said = [message.text for message in model.requests[0].messages[1:]]
    assert said == ["what is it?", "forty-two", "and again?"]
    people = [(each.by, each.name) for each in model.requests[0].messages if isinstance(each, UserMessage)]
    assert people == [("u1", "Ann")] * 2


def test_there_is_no_way_around_the_review(bench: Bench) -> None:
    assert Stage.EXECUTE not in TRANSITIONS[Stage.PLAN]
    work = Pass(None, None, None, [], None, [], bench.workspace)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no way"):
        work.enter(Stage.EXECUTE)


async def test_a_retry_reads_its_question_once_and_nothing_of_the_failed_attempt(bench: Bench) -> None:
    bench.script(Turn("Hi Ann."))
    await bench.agent()(bench.scope("hello", run="r0"))
    bench.script(Turn("Look:", calls=[call("project_scan")]), Turn("half an ans", fails=CutOff()))
    first = bench.scope("question", run="r1")
    assert (await bench.agent()(first)).status == "failed"
    model = bench.script(Turn("whole"), repeats=True)
    again = first.input.model_copy(update={"task": "r1", "attempt_index": 2})
    await bench.agent()(MemoryScope(again, bench.clock, run="r2", database=bench.database))
    await bench.agent()(bench.scope("next", run="r3"))
    read = [[message.text for message in request.messages[1:]] for request in model.requests]
    assert read == [["hello", "Hi Ann.", "question"], ["hello", "Hi Ann.", "question", "whole", "next"]]


async def test_after_idle_hours_a_new_session_begins(bench: Bench) -> None:
    model = bench.script(Turn("one"), Turn("two"), Turn("three"))
    for n, (text, hours) in enumerate([("first", 0), ("second", 12), ("third", 12.1)]):
        await bench.clock.advance(hours * 3600)
        await bench.agent()(bench.scope(text, run=f"{n:026}"))
    asked = [[each.text for each in request.messages[1:]] for request in model.requests]
    assert asked == [["first"], ["first", "one", "second"], ["third"]]
