"""Which way a run goes, and what becomes of it when that was wrong."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from engine.agent.loop import Agent
from engine.agent.route import Route, Way
from engine.agent.routing import WORK_WITH_TOOLS
from engine.errors import Unavailable
from engine.messages import RunInput, Usage
from engine.models.base import Model
from engine.router import Surroundings, decide, decide_by_rules, request_of
from engine.router.specialists import Directory
from engine.testing.scope import run_input
from engine.testing.scripted import ScriptedModel, Turn, call
from tests.unit.engine.agent.conftest import Bench

NO_AGENTS = Directory()


class FakeRouter:
    """Gives the route a test wrote down; `None` by rules means that the model is asked."""

    has_domains = False

    def __init__(self, rules: Route | None = None, model: Route | None = None) -> None:
        self.rules, self.model = rules, model
        self.asked = 0
        self.asked_model: Model | None = None
        self.is_asking = True

    def refresh(self) -> None: ...

    def by_rules(self, given: RunInput, previous: Way | None) -> Route | None:
        return self.rules

    async def by_model(self, given: RunInput, previous: Way | None, model: Model) -> Route:
        self.asked += 1
        assert self.model is not None
        return self.model

    def asks(self, own: Model) -> Model | None:
        return self.asked_model or (own if self.rules is None and self.is_asking else None)


def route(way: Way, **more: Any) -> Route:
    return Route.model_validate({"way": way, "by": "rules", "reason": "a test", **more})


def agent(bench: Bench, router: FakeRouter) -> Agent:
    return Agent(replace(bench.equipment(), router=router))


async def test_a_direct_request_is_one_call_that_offers_nothing_but_the_way_out(bench: Bench) -> None:
    model = bench.script(Turn("hello there"))
    scope = bench.scope("hello")
    outcome = await agent(bench, FakeRouter(route("direct")))(scope)
    assert (outcome.status, outcome.answer) == ("done", "hello there")
    assert [tool.name for tool in model.requests[0].tools] == [WORK_WITH_TOOLS.name]
    assert list(scope.journal) == ["context", "model/0"]


async def test_a_direct_request_that_needs_tools_after_all_gets_them(bench: Bench) -> None:
    (bench.workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    model = bench.script(Turn(calls=[call(WORK_WITH_TOOLS.name)]), Turn(calls=[call("project_scan")]), Turn("1 line"))
    scope = bench.scope("what is in here")
    outcome = await agent(bench, FakeRouter(route("direct")))(scope)
    assert outcome.answer == "1 line"
    assert "project_scan" in [tool.name for tool in model.requests[1].tools]
    assert [event.content["name"] for event in scope.events("tool")] == ["project_scan"]
    again = scope.resume()
    assert (await agent(bench, FakeRouter(route("agent")))(again)).answer == "1 line"
    assert len(model.requests) == 3


async def test_a_direct_request_may_call_a_tool_it_knows_from_before(bench: Bench) -> None:
    bench.script(Turn(calls=[call("project_scan")]), Turn("counted"))
    scope = bench.scope("and now?")
    outcome = await agent(bench, FakeRouter(route("direct")))(scope)
    assert outcome.answer == "counted"
    assert "tool/0/0" in scope.journal


async def test_a_team_is_one_agent_that_says_so_and_keeps_the_label(bench: Bench) -> None:
    bench.script(Turn("all of it"))
    scope = bench.scope("prepare everything")
    await agent(bench, FakeRouter(route("team")))(scope)
    visible = [event.content["code"] for event in scope.events("notice") if event.visibility == "visible"]
    assert visible == ["team_as_one"]
    assert scope.journal["context"]["route"]["way"] == "team"


async def test_the_route_is_told_in_the_trace_and_not_on_the_card(bench: Bench) -> None:
    bench.script(Turn("hello"))
    scope = bench.scope("hello")
    await agent(bench, FakeRouter(route("direct", intent="greets")))(scope)
    (told,) = scope.events("notice")
    assert told.visibility == "hidden"
    assert told.content["params"] == {
        "way": "direct",
        "by": "rules",
        "reason": "a test",
        "intent": "greets",
        "domains": [],
        "confidence": 1.0,
    }


async def test_a_model_says_the_way_once_in_the_life_of_a_run(bench: Bench) -> None:
    model = bench.script(Turn("done"), Turn("done"))
    said = route("direct", by="model", usage=Usage(input_tokens=7, output_tokens=3))
    router = FakeRouter(None, said)
    scope = bench.scope("is the grommet blue?")
    scope.crash_before_recording("model/0")
    with pytest.raises(asyncio.CancelledError):
        await agent(bench, router)(scope)
    router.model = route("agent")
    await agent(bench, router)(scope.resume())
    assert router.asked == 1
    assert [tool.name for tool in model.requests[-1].tools] == [WORK_WITH_TOOLS.name]
    assert [event.content["input_tokens"] for event in scope.events("usage")] == [7, 10]


async def test_what_sorting_cost_is_counted_for_the_model_that_sorted(bench: Bench) -> None:
    bench.script(Turn("hello there"))
    router = FakeRouter(model=route("direct", by="model", usage=Usage(input_tokens=7)))
    router.asked_model = ScriptedModel([], name="small")
    scope = bench.scope()
    await agent(bench, router)(scope)
    assert scope.events("usage")[0].content["model"] == "small"


async def test_a_run_that_began_without_a_route_goes_on_the_old_way(bench: Bench) -> None:
    model = bench.script(Turn(calls=[call("project_scan")]), Turn("counted"))
    scope = bench.scope("hello")
    scope.crash_before_recording("tool/0/0")
    with pytest.raises(asyncio.CancelledError):
        await bench.agent()(scope)
    router = FakeRouter(None, route("direct"))
    outcome = await agent(bench, router)(scope.resume())
    assert (outcome.answer, router.asked) == ("counted", 0)
    assert "route" not in scope.journal
    assert len(model.requests[-1].tools) == 3


async def test_where_no_model_is_to_be_asked_the_way_costs_no_step_of_its_own(bench: Bench) -> None:
    bench.script(Turn("done"))
    scope, router = bench.scope("is the grommet blue?"), FakeRouter(None, route("agent", by="default"))
    router.is_asking = False
    assert (await agent(bench, router)(scope)).answer == "done"
    assert scope.journal["context"]["route"]["by"] == "default" and "route" not in scope.journal


async def test_a_stop_while_the_way_is_asked_ends_the_run(bench: Bench) -> None:
    bench.script()
    scope = bench.scope("is the grommet blue?")

    class Slow(FakeRouter):
        async def by_model(self, given: RunInput, previous: Way | None, model: Model) -> Route:
            scope.stop()
            return await super().by_model(given, previous, model)

    outcome = await agent(bench, Slow(None, route("direct")))(scope)
    assert outcome.status == "stopped"


async def test_a_router_model_that_fails_leaves_the_way_that_can_do_everything(bench: Bench) -> None:
    failing = ScriptedModel([Turn(fails=Unavailable("down"))])
    given = run_input("is the grommet blue?")
    assert decide_by_rules(request_of(given), NO_AGENTS, NO_AGENTS) is None
    said = await decide(given, Surroundings(), model=failing)
    assert (said.way, said.by) == ("agent", "default")
