"""A run whose process dies at any step of the loop, lanes included, on the real journal of each database.

Each run is played as often as it has steps, and dies at another one each time: before what it did is recorded, or just
after. Whoever goes on never does again what is recorded, and the answer is that of a run which nobody disturbed.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest
from sqlmodel import Session

from engine.agent.context import Equipment
from engine.agent.loop import Agent
from engine.agent.route import Route, Way
from engine.agent.routing import WORK_WITH_TOOLS
from engine.events import RunEvent
from engine.messages import (
    Address,
    AssistantMessage,
    Principal,
    RunId,
    RunInput,
    TextPart,
    ToolCall,
    ToolMessage,
    Usage,
)
from engine.models.base import Completed, Finish, Model, ModelFacts, ModelItem, ModelRequest, TextDelta
from engine.permissions import Touches
from engine.profiles import Profile, Roster
from engine.profiles.profile import Name
from engine.runs.eventlog import EventLog
from engine.runs.journal import Entry, Journal
from engine.runs.lane_row import keep_lane
from engine.runs.lease import Lease
from engine.runs.replica import Replica
from engine.runs.scope import Also, Scope
from engine.settings import EngineSettings
from engine.storage.blobs import BlobStore
from engine.storage.database import Database
from engine.storage.ids import new_id
from engine.storage.statement import execute
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.registry import ToolSet
from gateway.clock import SystemClock
from tests.contract.conftest import Place

T = TypeVar("T")
Death = Literal["before", "after"]
_RUN = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task, attempt_index, person)
VALUES (:id, 'chat', :seq, 'queued', 1, :input, :id, 1, 'ann')"""


class Doing:
    """What was really done, by attempt and path."""

    def __init__(self) -> None:
        self.done: list[tuple[int, str]] = []
        self.recorded: dict[str, int] = {}

    def repeated(self) -> list[str]:
        """Give what was done in a later attempt than the one that recorded it."""
        return [path for attempt, path in self.done if attempt > self.recorded.get(path, attempt)]


class Mortal(Scope):
    """A scope on the real journal whose process dies at the n-th record."""

    doing: Doing
    dies_at: int = 0
    death: Death = "before"
    records: int = 0

    async def record(self, entry: Entry, also: Also | None = None) -> list[RunEvent]:
        self.records += 1
        dies = self.records == self.dies_at
        if dies and self.death == "before":
            self._die()
        if self.dies_at and self.records > self.dies_at:
            self._die()
        stored = await super().record(entry, also)
        self.doing.recorded.setdefault(entry.path, self.attempt)
        if dies:
            self._die()
        return stored

    async def _first_time(self, path: str, fn: Callable[[], Awaitable[T]]) -> T:
        self.doing.done.append((self.attempt, path))
        return await super()._first_time(path, fn)

    def _die(self) -> None:
        self.cut()
        raise asyncio.CancelledError


class Steps:
    """A tool that takes its time: whose lane is the fast one changes with the attempt."""

    name = "step"
    description = "Does one step."
    effect: Effect = "none"
    asks = False
    is_foreign = False
    event_type: Any = "tool"
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012

    def __init__(self) -> None:
        self.fast = "a"
        self.runs: list[str] = []

    def touches(self, args: dict[str, Any]) -> Touches:
        return Touches()

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        who, n = args["who"], args["n"]
        await asyncio.sleep(0 if who == self.fast else 0.002)
        self.runs.append(f"{who}{n}")
        return ToolResult(success=True, summary="done", text=f"{who}{n}")


class Thinking:
    """A model without memory: what it says follows from what it reads, so that it is the same for every attempt."""

    name = "thinking"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        system, *rest = request.messages
        found = re.search(r"You are (\w+)\.", system.text)
        who = found[1] if found else "main"
        results = [each.text for each in rest if isinstance(each, ToolMessage) and each.name == "step"]
        lanes = re.findall(r"^<<< (\S+) \(done\)\n(.*?)\n>>>$", rest[-1].text, re.M | re.S)
        if lanes:
            message = AssistantMessage(text=" | ".join(f"{lane}={words}" for lane, words in lanes))
        elif [tool.name for tool in request.tools] == [WORK_WITH_TOOLS.name]:
            message = AssistantMessage(calls=(ToolCall(id="w", name=WORK_WITH_TOOLS.name),))
        elif len(results) < 2:
            arguments = f'{{"who": "{who}", "n": {len(results)}}}'
            message = AssistantMessage(calls=(ToolCall(id=f"c{len(results)}", name="step", arguments=arguments),))
        else:
            message = AssistantMessage(text=",".join(results))
        if message.text:
            yield TextDelta(message.text)
        finish: Finish = "tool_calls" if message.calls else "stop"
        yield Completed(message=message, usage=Usage(), finish=finish, model=self.name)

    async def facts(self) -> ModelFacts:
        return ModelFacts()

    async def aclose(self) -> None: ...


class Models:
    def __init__(self) -> None:
        self.model = Thinking()

    def get(self, name: str | None = None) -> Model:
        return self.model

    async def aclose(self) -> None: ...


class Router:
    """Sends every request one way, and says it by a model's word where a test wants the step of its own."""

    has_domains = True

    def __init__(self, route: Route, *, by_rules: bool) -> None:
        self._route, self._by_rules = route, by_rules

    def refresh(self) -> None: ...

    def by_rules(self, given: RunInput, previous: Way | None) -> Route | None:
        return self._route if self._by_rules else None

    async def by_model(self, given: RunInput, previous: Way | None, model: Model) -> Route:
        return self._route

    def asks(self, own: Model) -> Model | None:
        return None if self._by_rules else own


@dataclass
class Theatre:
    """Plays one agent's runs on a database, as often as wanted, and lets them die."""

    home: Path
    database: Database
    tool: Steps = field(default_factory=Steps)

    def __post_init__(self) -> None:
        journal = Journal(self.database.dialect, EventLog(BlobStore(self.database)))
        self.replica = Replica("r1", self.database, journal, SystemClock(), Lease(endless=True))
        self.database.run_now(lambda s: execute(s, "INSERT INTO nm_replica (id, beat, started_at) VALUES ('r1', 1, 1)"))
        self.runs = 0

    def agent(self, router: Router) -> Agent:
        roster = Roster()
        for name in ("a", "b", "c"):
            about = {"name": Name(en=name, zh=name), "description": name, "prompt": f"You are {name}."}
            roster._profiles[name] = Profile.model_validate({"id": name, **about})
        settings = EngineSettings(home=self.home)
        equipment = Equipment(settings, self.database, Models(), ToolSet([self.tool]), self.replica.clock)
        return Agent(replace(equipment, router=router, roster=roster, keep_lane=keep_lane))

    async def begun(self, words: str) -> RunId:
        self.runs += 1
        run, to = RunId(new_id()), Address(f"chat{self.runs}")
        given = RunInput(to=to, by=Principal(id="ann"), parts=(TextPart(text=words),))
        row = {"id": run, "seq": self.runs, "input": given.model_dump_json()}
        await self.database.run(lambda session: execute(session, _RUN, **row))
        return run

    async def attempt(
        self, run: RunId, agent: Agent, doing: Doing, *, dies_at: int = 0, death: Death = "before"
    ) -> Any:
        """Give the outcome, or `None` when the process died."""
        claim = await self.database.run(lambda session: self.replica.journal.claim(session, run, "r1"))
        assert claim is not None
        loaded = await self.database.read(lambda session: self.replica.journal.load(session, run))
        scope = Mortal(self.replica, claim, loaded, lambda _event: None)
        scope.doing, scope.dies_at, scope.death = doing, dies_at, death

        async def work() -> Any:
            scope.take_root()
            return await agent(scope)

        task = asyncio.create_task(work())
        await asyncio.wait([task])
        scope.release()
        return None if task.cancelled() else task.result()

    async def rows(self, sql: str, **values: Any) -> list[Any]:
        def read(session: Session) -> list[Any]:
            return list(execute(session, sql, **values).all())

        return await self.database.read(read)


@pytest.fixture
def theatre(place: Place) -> Iterator[Theatre]:
    database = Database(place.url, place.home)
    yield Theatre(place.home, database)
    database.close()


async def played(theatre: Theatre, agent: Agent, words: str, wanted: str, death: Death) -> int:
    """Let runs die at their first, second, ... step until one lives; give how many died."""
    for n in range(1, 60):
        run, doing = await theatre.begun(words), Doing()
        theatre.tool.fast, theatre.tool.runs = "a", []
        outcome = await theatre.attempt(run, agent, doing, dies_at=n, death=death)
        is_alive = outcome is not None
        if not is_alive:
            theatre.tool.fast = "b"
            outcome = await theatre.attempt(run, agent, doing)
        assert (outcome.status, outcome.answer) == ("done", wanted), n
        assert doing.repeated() == [], n
        if is_alive:
            return n - 1
    raise AssertionError("it died at every step there may be")


@pytest.mark.parametrize("death", ["before", "after"])
async def test_a_crash_at_any_step_of_the_loop_repeats_nothing_that_is_recorded(theatre: Theatre, death: Death) -> None:
    router = Router(Route(way="direct", by="model", reason="a test"), by_rules=False)
    deaths = await played(theatre, theatre.agent(router), "question", "main0,main1", death)
    # context, route, the way out, two rounds of a question and a call, the answer
    assert deaths == 8


@pytest.mark.parametrize("death", ["before", "after"])
async def test_a_crash_at_any_step_of_lanes_swaps_and_repeats_nothing(theatre: Theatre, death: Death) -> None:
    router = Router(Route(way="agent", by="rules", reason="a test", domains=("a", "b")), by_rules=True)
    deaths = await played(theatre, theatre.agent(router), "question", "a=a0,a1 | b=b0,b1", death)
    # context, the plan, two lanes of a beginning, five steps and an end, the synthesis
    assert deaths == 17
    kept = await theatre.rows("SELECT parent, result FROM nm_run WHERE parent IS NOT NULL")
    assert len(kept) == theatre.runs * 2
    said = Counter(json.loads(row.result)["answer"] for row in kept)
    assert said == {"a0,a1": theatre.runs, "b0,b1": theatre.runs}


async def test_a_crash_between_groups_hands_on_what_was_recorded(theatre: Theatre) -> None:
    router = Router(Route(way="agent", by="rules", reason="a test", domains=("a", "b")), by_rules=True)
    deaths = await played(theatre, theatre.agent(router), "first a, then b", "a=a0,a1 | b=b0,b1", "before")
    assert deaths == 17
