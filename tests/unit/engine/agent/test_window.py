from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.agent.offering import offered
from engine.agent.window import MAX_RESERVE, Window
from engine.errors import ContextTooLong
from engine.messages import (
    AssistantMessage,
    FilePart,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from engine.models.base import ToolSchema
from engine.models.tokens import size, tools_size
from engine.testing.scripted import Turn, call, check_history
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool

SYSTEM = SystemMessage(text="rules " * 20)
TOOL = ToolSchema("scan", "Count files", {"type": "object"})


def user(text: str) -> UserMessage:
    return UserMessage(parts=(TextPart(text=text),))


def turn(n: int, *, words: int = 100) -> list[Message]:
    calls = (ToolCall(id=f"a{n}", name="t"), ToolCall(id=f"b{n}", name="t"))
    results = [ToolMessage(call_id=each.id, name="t", text="result " * words) for each in calls]
    return [user(f"question {n}"), AssistantMessage(calls=calls), *results, AssistantMessage(text=f"answer {n}")]


def conversation(turns: int) -> list[Message]:
    return [SYSTEM, *(message for n in range(turns) for message in turn(n)), user("the newest question")]


def total(messages: Sequence[Message]) -> int:
    return sum(map(size, messages))


@pytest.mark.parametrize("context_tokens", [*range(200, 8000, 173), None])
def test_old_turns_go_whole_and_the_newest_words_stay(context_tokens: int | None) -> None:
    messages = conversation(10)
    fitted = Window(context_tokens, len(messages) - 1).fit(messages, [TOOL])
    check_history(fitted.messages)
    assert fitted.messages[0] is SYSTEM and fitted.messages[-1] is messages[-1] and not fitted.is_cut
    kept = fitted.messages[1:]
    assert list(kept) == messages[len(messages) - len(kept) :], "the newest ones, in order"
    assert isinstance(kept[0], UserMessage)
    if context_tokens is None:
        assert len(fitted.messages) == len(messages)
    elif context_tokens > 400:
        assert fitted.tokens <= context_tokens * 0.75 + 1


def test_the_window_grows_with_the_model() -> None:
    messages = conversation(10)
    kept = [len(Window(tokens, len(messages) - 1).fit(messages, []).messages) for tokens in (500, 2000, 5000, 50_000)]
    assert kept == sorted(set(kept)) and kept[-1] == len(messages)


@pytest.mark.parametrize("text", ["word " * 40_000, "很长的消息" * 10_000])
def test_an_over_long_message_keeps_its_ends_and_says_what_is_missing(text: str) -> None:
    messages = [SYSTEM, user("before"), AssistantMessage(text="ok"), user("BEGIN" + text + "END")]
    fitted = Window(4000, 3).fit(messages, [])
    assert fitted.is_cut and fitted.tokens <= 3000
    said = fitted.messages[-1].text
    assert said.startswith("BEGIN") and said.endswith("END") and "characters were left out here" in said
    assert total(fitted.messages) > 2500, "as much as fits"


def test_what_came_with_an_over_long_message_stays_with_it() -> None:
    file = FilePart(blob="b", name="plan.pdf")
    message = UserMessage(parts=(TextPart(text="a" * 50_000), file, TextPart(text="z" * 50_000)))
    fitted = Window(2000, 1).fit([SYSTEM, message], [])
    said = fitted.messages[1]
    assert isinstance(said, UserMessage) and said.parts[1:] == (file,)
    assert said.text.startswith("aaa") and said.text.endswith("zzz") and fitted.tokens <= 1500


def test_of_this_turn_the_longest_results_are_cut_and_short_ones_stay() -> None:
    now = [user("q"), *turn(1, words=5)[1:-1], *turn(2, words=20_000)[1:-1]]
    messages: list[Message] = [SYSTEM, *turn(0), *now]
    fitted = Window(6000, 6).fit(messages, [])
    check_history(fitted.messages)
    assert fitted.tokens <= 4500 and not fitted.is_cut
    assert [each.text for each in fitted.messages[3:5]] == ["result " * 5] * 2
    assert all("left out here" in each.text for each in fitted.messages[-2:])
    assert messages[-1].text == "result " * 20_000, "what is stored stays whole"


def test_the_smallest_window_still_asks() -> None:
    fitted = Window(10, 1).fit([SYSTEM, user("word " * 1000)], [TOOL])
    assert len(fitted.messages) == 2 and "left out here" in fitted.messages[1].text


async def talk(bench: Bench, text: str, n: int) -> str:
    return (await bench.agent()(bench.scope(text, run=f"{n:026}"))).status


async def test_a_conversation_that_outgrows_the_model_goes_on(bench: Bench) -> None:
    model = bench.script(Turn("answer " * 300), repeats=True, context_tokens=4000)
    for n in range(12):
        assert await talk(bench, f"question {n} " + "word " * 200, n) == "done"
    last = model.requests[-1].messages
    assert last[-1].text.startswith("question 11") and total(last) <= 3000
    assert last[1].text.startswith("question "), "whole turns"
    assert len(last) < 12


async def test_a_provider_that_finds_it_too_long_gets_less_and_less_of_it(bench: Bench) -> None:
    refused = [Turn(fails=ContextTooLong()), Turn(fails=ContextTooLong())]
    model = bench.script(*[Turn("answer " * 100)] * 6, *refused, Turn("short enough"), Turn("and on"))
    for n in range(6):
        assert await talk(bench, f"question {n} " + "word " * 100, n) == "done"
    assert await talk(bench, "the last one", 6) == "done"
    sizes = [total(request.messages) for request in model.requests[6:9]]
    assert sizes[1] <= sizes[0] / 2 and sizes[2] <= sizes[1] / 2
    assert [request.messages[-1].text for request in model.requests[6:9]] == ["the last one"] * 3
    assert await talk(bench, "and now?", 7) == "done"


async def test_a_run_remembers_what_was_too_long(bench: Bench) -> None:
    async def long(args: dict[str, object], context: ToolContext) -> ToolResult:
        return ToolResult(success=True, summary="ok", text="line " * 3000)

    bench.tools = [FakeTool("look", long)]
    model = bench.script(Turn(calls=[call("look")]), Turn(fails=ContextTooLong()), Turn("It is long."))
    assert await talk(bench, "look", 1) == "done"
    before, after = (request.messages[-1].text for request in model.requests[1:])
    assert len(after) < len(before) * 0.6 and "left out here" in after


async def test_what_stays_too_long_ends_with_its_own_error(bench: Bench) -> None:
    model = bench.script(Turn(fails=ContextTooLong()), repeats=True)
    scope = bench.scope("word " * 5000)
    outcome = await bench.agent()(scope)
    assert (outcome.status, outcome.error) == ("failed", "context_too_long")
    assert len(model.requests) == 3


async def test_a_short_question_is_not_sent_again_unchanged(bench: Bench) -> None:
    model = bench.script(Turn(fails=ContextTooLong()), repeats=True)
    bench.tools = []
    assert (await bench.agent()(bench.scope("hi"))).error == "context_too_long"
    assert len(model.requests) == 1


async def test_a_short_question_is_sent_again_with_fewer_tools(bench: Bench) -> None:
    model = bench.script(Turn(fails=ContextTooLong()), Turn("Hello."))
    assert (await bench.agent()(bench.scope("hi"))).status == "done"
    before, after = (request.tools for request in model.requests)
    assert 0 < tools_size(after) < tools_size(before) / 3
    assert model.requests[1].messages == model.requests[0].messages


def many(count: int) -> list[ToolSchema]:
    path = {"type": "string", "description": "Path relative to the workspace. " * 3}
    own = {"type": "string", "description": "An argument that is called description."}
    parameters = {"type": "object", "properties": {"file_path": path, "description": own}, "required": ["file_path"]}
    return [ToolSchema(f"tool{n}", "Does one thing. " + "It does so with care. " * 5, parameters) for n in range(count)]


@pytest.mark.parametrize("context_tokens", [1000, 4000, 8000, 32_000])
def test_tools_do_not_crowd_out_what_is_asked(context_tokens: int) -> None:
    """A dozen tools took half of a small window, and the conversation began anew with each question."""
    messages, tools = conversation(10), many(12)
    fitted = Window(context_tokens, len(messages) - 1).fit(messages, tools)
    room = context_tokens - min(MAX_RESERVE, context_tokens // 4)
    assert fitted.tokens == total(fitted.messages) + tools_size(fitted.tools) <= room, "tools count"
    is_whole = total(messages) + tools_size(tools) <= room
    assert (list(fitted.tools) == tools) is is_whole or tools_size(tools) <= room // 3
    if not is_whole:
        assert tools_size(fitted.tools) <= room // 3
    assert [each.name for each in fitted.tools] == [each.name for each in tools[: len(fitted.tools)]], "the first ones"
    for each in fitted.tools:
        assert set(each.parameters["properties"]) == {"file_path", "description"} and each.parameters["required"]


def test_a_tool_in_few_words_keeps_its_arguments() -> None:
    (tool,) = many(1)
    (short,) = offered([tool], tools_size([tool]) - 1)
    assert short.description == "Does one thing"
    assert short.parameters["properties"] == {"file_path": {"type": "string"}, "description": {"type": "string"}}
    assert offered([tool], 10) == ()


async def test_a_person_is_told_when_their_message_was_cut(bench: Bench) -> None:
    bench.script(Turn("I read what I could."), context_tokens=2000)
    scope = bench.scope("word " * 5000)
    assert (await bench.agent()(scope)).status == "done"
    told = scope.events("notice")
    assert [event.content["code"] for event in told] == ["message_cut"]  # type: ignore[index]
