from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.testing.scripted import Turn, call
from engine.tools.progress import Progress, Steps
from tests.unit.engine.agent.conftest import Bench, FakeTool

LISTS = {"release": ("Build", "Test", "Publish")}


def bars(scope: Any) -> list[dict[str, Any]]:
    return [event.content for event in scope.events("todos")]


def states(content: dict[str, Any]) -> list[str]:
    return [item["status"] for item in content["items"]]


async def test_calls_move_one_bar_in_one_place(bench: Bench) -> None:
    bench.tools.append(Progress(LISTS))
    bench.script(
        Turn("", calls=[call("progress", {"list": "release", "step": "Build", "status": "in_progress"})]),
        Turn("", calls=[call("progress", {"step": "build", "status": "success"})]),
        Turn("", calls=[call("progress", {"step": "2", "percent": 50})]),
        Turn("ok"),
    )
    scope = bench.scope()
    await asyncio.wait_for(bench.start(scope), 5)
    assert [states(each) for each in bars(scope)] == [
        ["in_progress", "pending", "pending"],
        ["success", "pending", "pending"],
        ["success", "in_progress", "pending"],
    ]
    assert [each["percent"] for each in bars(scope)] == [0, 33, 50]
    assert {event.segment for event in scope.events("todos")} == {"progress"}
    assert scope.events("tool") == []


async def test_a_bar_goes_on_after_a_crash(bench: Bench) -> None:
    bench.tools.append(Progress(LISTS))
    first = [Turn("", calls=[call("progress", {"list": "release"})])]
    second = [Turn("", calls=[call("progress", {"step": "Test", "status": "success"})]), Turn("ok")]
    bench.script(*first, *second)
    scope = bench.scope()
    scope.crash_before_recording("tool/1/0")
    await asyncio.gather(bench.start(scope), return_exceptions=True)
    assert len(bars(scope)) == 1
    bench.script(Turn("ok"))
    after = scope.resume()
    await asyncio.wait_for(bench.start(after), 5)
    assert states(bars(after)[-1]) == ["pending", "success", "pending"]
    assert len(bars(after)) == 2


async def test_calls_of_one_round_move_it_in_their_order_beside_the_work(bench: Bench) -> None:
    bench.tools += [Progress(LISTS), FakeTool("look")]
    calls = [
        call("progress", {"list": "release"}),
        call("look", {}),
        call("progress", {"step": "1", "status": "success"}),
        call("progress", {"step": "2", "status": "fail"}),
    ]
    bench.script(Turn("", calls=calls), Turn("ok"))
    scope = bench.scope()
    await asyncio.wait_for(bench.start(scope), 5)
    assert states(bars(scope)[-1]) == ["success", "fail", "pending"]
    assert [event.content["name"] for event in scope.events("tool")] == ["look"]  # type: ignore[index]


async def test_what_changes_nothing_is_told_to_nobody(bench: Bench) -> None:
    bench.tools += [Progress(LISTS), FakeTool("look")]
    same = call("progress", {"step": "1", "status": "in_progress"})
    calls = [call("progress", {"list": "release"}), same, same]
    bench.script(Turn("", calls=calls), Turn("ok"))
    scope = bench.scope()
    await asyncio.wait_for(bench.start(scope), 5)
    assert len(bars(scope)) == 2


async def test_moving_the_bar_uses_up_no_rounds_but_not_for_ever(bench: Bench) -> None:
    bench.tools.append(Progress(LISTS))
    begin = Turn("", calls=[call("progress", {"list": "release"})])
    moves = [Turn("", calls=[call("progress", {"step": "1", "percent": n})]) for n in range(30)]
    model = bench.script(begin, *moves, repeats=True)
    scope = bench.scope()
    await asyncio.wait_for(bench.start(scope), 5)
    assert 6 < len(model.requests) <= 21
    assert "tool_rounds_used_up" in str(scope.events("notice")[-1].content)


async def test_a_step_that_is_not_there_is_told_to_the_model(bench: Bench) -> None:
    bench.tools.append(Progress(LISTS))
    model = bench.script(
        Turn("", calls=[call("progress", {"list": "release", "step": "Deploy", "status": "success"})]), Turn("ok")
    )
    scope = bench.scope()
    await asyncio.wait_for(bench.start(scope), 5)
    assert "there is no step 'Deploy'; there are: 'Build'" in model.requests[1].messages[-1].text
    assert bars(scope) == []


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"status": "success"},
        {"steps": []},
        {"steps": [{"title": "a"}, {"title": " A "}]},
        {"steps": [{"title": str(n)} for n in range(31)]},
        {"step": "1", "status": "success"},
    ],
)
async def test_calls_without_sense_are_refused(args: dict[str, Any], bench: Bench) -> None:
    from engine.messages import Principal, RunId
    from engine.tools.base import ToolContext

    context = ToolContext(run=RunId("r"), by=Principal(id="u1"), workspace=bench.workspace, key="r:1")
    with pytest.raises(ToolRetry):
        await Progress(LISTS).run(args, context)


def test_all_is_done_only_when_every_step_is() -> None:
    steps = Steps.model_validate({"items": [{"title": "a", "status": "in_progress", "percent": 100}]})
    assert steps.percent == 99
    assert Steps.model_validate({"items": [{"title": "a", "status": "success"}]}).percent == 100
