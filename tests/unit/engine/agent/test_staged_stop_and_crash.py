"""Plans over stops, words that come meanwhile, and crashes at every recorded step."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.errors import ToolFailed
from engine.testing.scope import MemoryScope
from engine.testing.scripted import Turn
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, texts, until
from tests.unit.engine.agent.test_staged import act, asked, judged, plan, raising, repair

PATHS = [
    "context",
    "plan/0",
    "plan/0/again/1",
    "tool/0/0",
    "tool/0/1",
    "tool/0/1/begun/1",
    "evaluate/0/rules",
    "repair/1",
    "repair/1/again/1",
    "tool/1/0",
    "evaluate/1/rules",
    "evaluate/1",
    "evaluate/1/again/1",
    "repair/2",
    "tool/2/0",
    "evaluate/2/rules",
    "evaluate/2",
    "summary",
]


def script(bench: Bench) -> list[str | Turn]:
    bench.tools = [FakeTool("look"), FakeTool("save", effect="once"), FakeTool("broken", raising(ToolFailed("no")))]
    return [
        "Let me think.",
        plan(act("look"), act("save"), act("broken"), criteria=("x",)),
        "Hm.",
        repair(act("look", n=1)),
        "Fine?",
        judged("more"),
        repair(act("look", n=2)),
        judged(),
        Turn("All done."),
    ]


async def test_these_are_all_the_steps(bench: Bench) -> None:
    bench.plans(*script(bench))
    scope = bench.scope()
    assert (await bench.agent()(scope)).answer == "All done."
    assert set(scope.journal) == {*PATHS, "tool/0/2"}


@pytest.mark.parametrize("path", [*PATHS, "tool/0/2"])
async def test_a_crash_at_any_step_repeats_only_that_step(bench: Bench, path: str) -> None:
    turns = script(bench)
    place = _asks_before(path)
    # The model is asked again for what was not recorded: the same answer once more.
    bench.plans(*turns[: place + 1], *turns[place:] if _is_model(path) else turns[place + 1 :])
    scope = bench.scope()
    scope.crash_before_recording(path)
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    recorded = dict(scope.journal)
    after = scope.resume()
    task = bench.start(after)
    if path == "tool/0/1":
        # A call with an effect that may have happened is not repeated without asking.
        await until(lambda: after.events("approval"))
        after.answer(after.events("approval")[-1].content["id"], "approve")  # type: ignore[index]
    outcome = await asyncio.wait_for(task, 5)
    assert (outcome.status, outcome.answer) == ("done", "All done.")
    assert {name: after.journal[name] for name in recorded} == recorded
    runs = [len(tool.runs) for tool in bench.tools]
    assert runs == [
        3 + (path in ("tool/0/0", "tool/1/0", "tool/2/0")),
        1 + (path == "tool/0/1"),
        1 + (path == "tool/0/2"),
    ]
    assert len(bench.model.requests) == len(turns) + _is_model(path)  # type: ignore[attr-defined]


def _is_model(path: str) -> bool:
    return not path.startswith(("tool", "context")) and not path.endswith("rules")


def _asks_before(path: str) -> int:
    models = [each for each in PATHS if _is_model(each)]
    return models.index(path) if path in models else 0


@pytest.mark.parametrize("path", ["plan/0", "evaluate/0", "summary"])
async def test_a_stop_while_the_model_is_asked_ends_the_run(bench: Bench, path: str) -> None:
    bench.tools = [FakeTool("look")]
    pause = Turn("half", pause=asyncio.Event().wait)  # type: ignore[arg-type]
    turns: list[str | Turn] = [plan(act("look"), criteria=("x",)), judged(), "All done."]
    turns[["plan/0", "evaluate/0", "summary"].index(path)] = pause
    model = bench.plans(*turns)
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: len(model.requests) > turns.index(pause))
    await until(lambda: path != "summary" or [event for event in scope.shown if event.segment == path])
    scope.stop()
    outcome = await asyncio.wait_for(task, 2)
    assert (outcome.status, outcome.answer) == ("stopped", "half" if path == "summary" else "")
    assert model.closed_early == 1
    assert (await bench.agent()(scope.resume())).status == "stopped"


async def test_a_stop_while_a_tool_runs_goes_no_further(bench: Bench) -> None:
    async def forever(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError

    bench.tools = [FakeTool("sleepy", forever)]
    model = bench.plans(plan(act("sleepy")))
    scope = bench.scope()
    task = bench.start(scope)
    await until(lambda: bench.tools[0].runs)
    scope.stop()
    assert (await asyncio.wait_for(task, 2)).status == "stopped"
    assert len(model.requests) == 1
    assert not texts(scope.shown)


async def test_a_stop_between_two_stages_asks_the_model_no_more(bench: Bench) -> None:
    scope = bench.scope()

    async def last(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        scope.stop()
        return ToolResult(success=True, text="done")

    bench.tools = [FakeTool("save", last, effect="once")]
    model = bench.plans(plan(act("save"), criteria=("x",)))
    assert (await bench.agent()(scope)).status == "stopped"
    assert len(model.requests) == 1
    early = bench.scope(run="r2")
    early.stop()
    assert (await bench.agent()(early)).status == "stopped"
    assert len(model.requests) == 1


def _saying(scope: MemoryScope, words: str) -> Any:
    async def pause() -> None:
        scope.say(words)

    return pause


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_words_that_come_meanwhile_are_planned_for(bench: Bench, place: int) -> None:
    scope = bench.scope("count")

    async def look(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        if place == 1 and len(bench.tools[0].runs) == 1:
            scope.say("also by folder")
        return ToolResult(success=True, text="looked")

    bench.tools = [FakeTool("look", look)]
    saying = _saying(scope, "also by folder")
    first = plan(act("look"), criteria=("x",))
    turns: list[str | Turn] = [Turn("no plan", pause=saying), first, judged(), "ok"]
    if place:
        rest = [] if place == 1 else [Turn(judged(), pause=saying)]
        turns = [first, *rest, plan(act("look", by=1)), "ok"]
    model = bench.plans(*turns)
    assert (await bench.agent()(scope)).answer == "ok"
    planned = 1 if place == 0 else 1 + len(model.requests) - 3
    assert "also by folder" in asked(model, planned)
    assert "stage Plan" in asked(model, planned)
    assert len(bench.tools[0].runs) == (1 if place == 0 else 2)
    resumed = await bench.agent()(scope.resume())
    assert resumed.answer == "ok"
    assert len(model.requests) == len(turns)


async def test_a_run_keeps_its_way_when_the_model_becomes_another(bench: Bench) -> None:
    bench.tools = [FakeTool("look")]
    bench.plans(plan(act("look")))
    scope = bench.scope()
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    bench.script(Turn("looked"))
    assert (await bench.agent()(scope.resume())).answer == "looked"
    assert "summary" in scope.journal
    assert len(bench.tools[0].runs) == 2


@pytest.mark.parametrize(("path", "taken"), [("tool/0/0", "steer/evaluate/0"), ("tool/1/0", "steer/evaluate/1")])
async def test_words_after_a_crash_are_not_put_before_what_was_asked(bench: Bench, path: str, taken: str) -> None:
    bench.tools = [FakeTool("broken", raising(ToolFailed("no"))), FakeTool("look")]
    first = [plan(act("broken")), repair(act("look", n=1))] if path == "tool/1/0" else [plan(act("look"))]
    model = bench.plans(*first, plan(act("look", by=2)), "ok")
    scope = bench.scope()
    scope.crash_before_recording(path)
    with pytest.raises(asyncio.CancelledError):
        await bench.start(scope)
    after = scope.resume()
    after.say("also by folder")
    assert (await bench.agent()(after)).answer == "ok"
    assert [each for each in after.journal if each.startswith("steer")] == [taken]
    assert "also by folder" not in asked(model, len(first) - 1)
    assert "also by folder" in asked(model, len(first))
