"""Words that reach a run at work."""

from __future__ import annotations

import asyncio

import pytest

from engine.agent.steering import SHOWN_CHARS
from engine.messages import AssistantMessage, ToolMessage, UserMessage
from engine.sessions.store import history
from engine.testing.scripted import ScriptedModel, Turn, call
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool


def said(model: ScriptedModel, request: int) -> list[str]:
    return [each.text for each in model.requests[request].messages if isinstance(each, UserMessage)]


async def test_words_are_read_before_the_next_question_to_the_model_and_shown(bench: Bench) -> None:
    model = bench.script(Turn("Looking.", calls=[call("look")]), Turn("Done."))
    scope = bench.scope()

    async def look(_args: object, _context: ToolContext) -> ToolResult:
        scope.say("only the first")
        scope.say("and quickly")
        return ToolResult(success=True, text="seen")

    bench.tools = [FakeTool("look", look)]
    assert (await bench.agent()(scope)).answer == "Done."
    assert said(model, 0) == ["question"]
    assert said(model, 1) == ["question", "only the first", "and quickly"]
    assert isinstance(model.requests[1].messages[-3], ToolMessage), "a call has its result directly after it"
    told = [event.content for event in scope.events("notice")]
    assert [each["params"]["words"] for each in told if isinstance(each, dict)] == ["only the first", "and quickly"]


async def test_a_later_question_has_them_in_its_history(bench: Bench) -> None:
    bench.script(Turn("Fine."))
    scope = bench.scope()
    scope.say("before it began")
    await bench.agent()(scope)
    session = scope.journal["context"]["session"]
    stored = await bench.database.read(lambda s: history(s, session, upto=100, limit=100))
    assert [each.text for each in stored] == ["question", "before it began", "Fine."]


async def test_what_comes_during_the_last_answer_is_left_to_its_own_turn(bench: Bench) -> None:
    scope = bench.scope()

    async def late() -> None:
        scope.say("too late")

    model = bench.script(Turn("The answer.", pause=late))
    assert (await bench.agent()(scope)).answer == "The answer."
    assert len(model.requests) == 1 and [key for key in scope.journal if key.startswith("steer")] == []


@pytest.mark.parametrize("cut", ["tool/0/0", "model/1"])
async def test_a_resumed_run_reads_the_same_in_the_same_places(bench: Bench, cut: str) -> None:
    model = bench.script(
        Turn("Looking.", calls=[call("look")]), Turn("Again.", calls=[call("look")]), Turn("Done."), Turn("Done.")
    )
    bench.tools = [FakeTool("look")]
    scope = bench.scope()
    scope.say("first")
    scope.crash_before_recording(cut)
    with pytest.raises(asyncio.CancelledError):
        await bench.agent()(scope)
    after = scope.resume()
    after.say("second")
    await bench.agent()(after)
    kinds = [type(each) for each in model.requests[-1].messages if isinstance(each, UserMessage | AssistantMessage)]
    assert kinds[:3] == [UserMessage, UserMessage, AssistantMessage]
    assert said(model, -1) == ["question", "first", "second"]


async def test_shown_words_are_never_cut_inside_a_character(bench: Bench) -> None:
    bench.script(Turn("Fine."))
    scope = bench.scope()
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    scope.say("x" * (SHOWN_CHARS - 3) + family + " and more")
    await bench.agent()(scope)
    (told,) = scope.events("notice")
    assert isinstance(told.content, dict)
    assert told.content["params"]["words"] == "x" * (SHOWN_CHARS - 3) + "…"


async def test_words_after_a_crash_are_not_put_before_what_was_asked(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.script(Turn(calls=[call("look")]), Turn("ok"))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    after = scope.resume()
    after.say("also by folder")
    assert (await bench.agent()(after)).answer == "ok"
    assert [each for each in after.journal if each.startswith("steer")] == ["steer/1"]
