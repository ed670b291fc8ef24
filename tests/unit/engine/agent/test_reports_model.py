"""Field reports about models and history (F45 to F52) in the shapes that the journeys do not play."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.errors import CutOff
from engine.messages import ToolMessage, Usage
from engine.models.assembly import Assembly
from engine.models.base import TextDelta
from engine.models.reading import Reading
from engine.models.tokens import size, tools_size
from engine.models.wire import render_messages
from engine.sessions.history import INTERRUPTED
from engine.testing.scripted import Turn, call, check_history
from engine.tools.base import ToolContext, ToolResult
from engine.tools.read_file import ReadFile
from tests.unit.engine.agent.conftest import Bench, FakeTool, until


def chunk(*pieces: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    delta = {"tool_calls": list(pieces)} if pieces else {}
    return json.dumps({"choices": [{"delta": delta, "finish_reason": finish}], **more}).encode()


def piece(index: int | None, id: str = "", name: str = "", arguments: Any = None) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value}
    told = {"index": index, "id": id, "function": function}
    return {key: value for key, value in told.items() if value not in (None, "")}


PART = piece(0, "a", "look", '{"n"')


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(0, "a", "look", '{"n":1}'), piece(0, "b", "look", '{"n":2}')],
        [PART, piece(0, arguments=":1}"), piece(0, "b", "look"), piece(0, arguments='{"n":2}')],
        [piece(None, "a", "look", '{"n":1}'), piece(None, "b", "look", '{"n":2}')],
        [PART, piece(0, "a", arguments=":1}"), piece(0, "b", "look", '{"n":2}')],
        [PART, piece(1, "b", "look", '{"n"'), piece(0, arguments=":1}"), piece(1, arguments=":2}")],
        [piece(0, "a", "look", {"n": 1}), piece(0, "b", "look", {"n": 2})],
    ],
    ids=["whole", "pieces", "no index", "id again", "woven", "objects"],
)
def test_f45_two_calls_stay_two_whatever_their_index(pieces: list[dict[str, Any]]) -> None:
    assembly = Assembly("m")
    reading = Reading(assembly)
    for each in pieces:
        reading.take(chunk(each))
    reading.take(chunk(finish="tool_calls"))
    calls = assembly.completed(Usage()).message.calls
    assert [(each.id, each.name, json.loads(each.arguments)) for each in calls] == [
        ("a", "look", {"n": 1}),
        ("b", "look", {"n": 2}),
    ]


@pytest.mark.parametrize("empty", [[], None, "missing"])
def test_f46_chunks_without_choices_cost_nothing(empty: Any) -> None:
    none = {} if empty == "missing" else {"choices": empty}
    counts = {"prompt_tokens": 11, "completion_tokens": 22}
    assembly = Assembly("m")
    reading = Reading(assembly)
    assert reading.take(json.dumps(none).encode()) == []
    assert reading.take(b'{"choices":[{"delta":{"content":"all"}}]}') == [TextDelta("all")]
    reading.take(chunk(finish="stop", usage=counts | {"completion_tokens": 1}))
    assert reading.take(json.dumps({**none, "usage": counts}).encode()) == []
    assert (assembly.used.input_tokens, assembly.used.output_tokens) == (11, 22), "the last count holds"
    assert assembly.completed(assembly.used).message.text == "all"


@pytest.mark.parametrize("finish", ["length", "stop"])
async def test_f47_half_a_plan_is_never_run(bench: Bench, finish: Any) -> None:
    """Models that write their calls as JSON are cut in the middle of it as well."""
    whole: Any = {"goal": "g", "actions": [{"tool": "write", "args": {"text": "all of it", "more": [1, 2]}}]}
    text = json.dumps(whole)
    bench.tools = [FakeTool("write", effect="once")]
    for end in range(40, len(text), 7):
        half = text[:end]
        bench.plans(Turn(half, finish=finish), repeats=True)
        scope = bench.scope(run=f"{end:026}")
        outcome = await bench.agent()(scope)
        if finish == "length" or not half.rstrip("}] ").endswith("[1, 2"):
            assert (outcome.status, outcome.error) == ("failed", "model_bad_output"), half
            assert bench.tools[0].runs == []
    assert all(args == whole["actions"][0]["args"] for args in bench.tools[0].runs), "the whole call or none"
    model = bench.script(Turn("I am here."))
    assert (await bench.agent()(bench.scope("still there?", run="9" * 26))).answer == "I am here."
    check_history(model.requests[0].messages)


async def test_f47_a_cut_call_leaves_a_valid_history(bench: Bench) -> None:
    bench.tools = [FakeTool("write", effect="once")]
    bench.script(Turn("Let me", fails=CutOff()), repeats=True)
    assert (await bench.agent()(bench.scope())).error == "model_cut_off"
    model = bench.script(Turn("ok"))
    assert (await bench.agent()(bench.scope("go on", run="2" * 26))).status == "done"
    check_history(model.requests[0].messages)
    assert bench.tools[0].runs == []


async def test_f48_reasoning_goes_back_also_after_a_restart(bench: Bench) -> None:
    async def wait(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        return ToolResult(success=True, text="seen")

    bench.tools = [FakeTool("look", wait)]
    bench.script(Turn(reasoning="because", calls=[call("look")]))
    first = bench.scope()
    first.crash_before_recording("tool/0/0")
    task = bench.start(first)
    await until(task.done)
    assert task.cancelled(), "killed"
    model = bench.script(Turn("Seen."))
    after = first.resume()
    assert (await bench.agent()(after)).answer == "Seen."  # type: ignore[arg-type]
    sent = render_messages(model.requests[0].messages)
    assert next(each for each in sent if each.get("tool_calls"))["reasoning_content"] == "because"
    assert not [event for event in (*after.stored, *after.shown) if event.type == "text" and "because" in event.content]


async def test_f49_a_call_whose_result_never_came_is_answered_interrupted(bench: Bench) -> None:
    """Killed after the calls were stored, one result of two recorded; the run is not resumed. Both kinds of model."""
    bench.tools = [FakeTool("first", effect="once"), FakeTool("second", effect="once")]
    bench.script(Turn("I do both.", calls=[call("first"), call("second")]))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/1")
    task = bench.start(scope)
    await until(task.done)
    model = bench.script(Turn("Going on."))
    assert (await bench.agent()(bench.scope("continue", run="2" * 26))).answer == "Going on."
    check_history(model.requests[0].messages)
    told = [each.text for each in model.requests[0].messages if isinstance(each, ToolMessage)]
    assert told == ["first ok", INTERRUPTED]
    plans = bench.plans(json.dumps({"goal": "none", "actions": []}), Turn("On."))
    assert (await bench.agent()(bench.scope("and now?", run="3" * 26))).status == "done"
    assert INTERRUPTED in "\n".join(each.text for each in plans.requests[0].messages)
    assert not any(isinstance(each, ToolMessage) for each in plans.requests[0].messages)


ODD: dict[str, tuple[str, dict[str, Any] | None]] = {
    "number": ("7", None),
    "true": ("true", None),
    "list of objects": ('[{"n": 1}]', None),
    "thrice": (json.dumps(json.dumps('{"n": 1}')), None),
    "not a number": ('{"n": NaN}', None),
    "endless": ('{"n": 1e999}', None),
    "unknown": ('{"m": 1}', None),
    "wrong type": ('{"n": "one"}', None),
    "deep": ('{"n": ' + "[" * 20_000, None),
    "spaces": ("  \n ", {}),
    "twice": (json.dumps('{"n": 1}'), {"n": 1}),
    "fenced": ('```json\n{"n": 1}\n```', {"n": 1}),
}


@pytest.mark.parametrize(("arguments", "taken"), ODD.values(), ids=list(ODD))
async def test_f50_odd_arguments_are_an_error_for_the_model_alone(bench: Bench, arguments: str, taken: Any) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    bench.tools = [FakeTool("count", parameters=schema)]
    model = bench.script(Turn(calls=[call("count", arguments)]), Turn("Went on."))
    outcome = await bench.agent()(bench.scope())
    assert (outcome.status, outcome.answer) == ("done", "Went on.")
    told = model.requests[1].messages[-1].text
    assert bool(bench.tools[0].runs) is not told.startswith("error: "), told
    assert bench.tools[0].runs == ([taken] if taken is not None else []), told
    for message in render_messages(model.requests[1].messages):
        for each in message.get("tool_calls", ()):
            assert isinstance(json.loads(each["function"]["arguments"]), dict), "what strict providers take"


@pytest.mark.parametrize("native", [True, False], ids=["calls", "plans"])
async def test_f51_five_megabytes_fit_a_small_window_and_the_rest_can_be_read(bench: Bench, *, native: bool) -> None:
    async def flood(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        big = "line of output\n" * 350_000
        return ToolResult(success=True, summary="s" * 100_000, text=big, body=big, parsed={"all": big})

    bench.tools = [FakeTool("flood", flood), ReadFile()]
    plan = json.dumps({"goal": "g", "actions": [{"tool": "flood", "args": {}}]})
    turns = [Turn(calls=[call("flood")])] if native else [Turn(plan)]
    model = bench.script(*turns, Turn("Much."), Turn("Still here."), context_tokens=32_000)
    if not native:
        model._reliable_tools = False
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "Much."
    told = model.requests[1].messages
    assert sum(map(size, told)) + tools_size(model.requests[1].tools) <= 32_000 * 3 // 4
    result = next(each.text for each in told if "characters are missing here" in each.text)
    (kept,) = (bench.workspace / ".niuma-outputs").iterdir()
    assert kept.name in result and kept.stat().st_size > 1_000_000
    assert max(len(event.model_dump_json()) for event in scope.stored) < 64 * 1024, "events as well"
    if native:
        assert (await bench.agent()(bench.scope("and?", run="2" * 26))).answer == "Still here."
        check_history(model.requests[2].messages)


def round_of(n: int) -> Turn:
    """The same two calls under other ids, with their arguments written in another order."""
    first, second = ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}') if n % 2 else ('{"b":2,"a":1}', '{"a": 1,"b": 2}')
    return Turn(f"Round {n}.", calls=[call("look", first, id=f"x{n}"), call("look", second, id=f"y{n}")])


async def test_f52_going_in_circles_in_other_words_ends(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    model = bench.script(*[round_of(n) for n in range(3)], Turn("That is all."), repeats=True)
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "That is all."
    assert [event.content["code"] for event in scope.events("notice")] == ["going_in_circles"]  # type: ignore[index]
    assert len(model.requests) == 4


async def test_f52_plans_that_go_in_circles_end(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    action = {"tool": "look", "args": {"a": 1}, "expected_output": ["never_there"]}
    again = json.dumps({"repair_reason": "not yet", "goal": "g", "actions": [action]})
    bench.plans(again, repeats=True)
    scope = bench.scope()
    outcome = await bench.agent()(scope)
    assert outcome.status == "done" and len(bench.tools[0].runs) <= 4
    codes = [event.content["code"] for event in scope.events("notice")]  # type: ignore[index]
    assert codes[-1] in ("going_in_circles", "not_completed"), codes
