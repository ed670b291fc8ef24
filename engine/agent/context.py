"""What a pass begins with: the session, its history, the instructions, the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeVar

from sqlmodel import Session

from engine.agent.enclosures import Opener
from engine.agent.outgoing import Outbox
from engine.agent.prompt import prompt
from engine.agent.route import Route, Way
from engine.agent.routing import Router, asked_way, previous_way, route_events, way_at_once
from engine.agent.state import Pass, Staging
from engine.agent.window import Window
from engine.events import RunEvent
from engine.messages import Message, RunId, RunInput, SessionId, SystemMessage, UserMessage, Value
from engine.models.base import Model
from engine.permissions import Approvals, Policy, Request, Role, Ruling
from engine.ports import Clock, Outcome, RunScope
from engine.profiles import Roster
from engine.sessions.attempts import append_question, question_of
from engine.sessions.branch import Branch, branch_of, grow
from engine.sessions.store import begin_session, current_session, history, last_place, new_session_id, session_of
from engine.settings import EngineSettings
from engine.storage.config import chosen
from engine.tools.declared.folder import ToolFolder
from engine.tools.quota import UNLIMITED, Quota
from engine.tools.registry import ToolSet
from engine.tools.workspace import workspace_for

T = TypeVar("T")

ALLOWS_WHAT_TOOLS_ALLOW = Policy(roles={"main": Role()})
"""What a tool declares (`asks`, its workspace) is the only rule."""


@dataclass(frozen=True, slots=True)
class LaneRow:
    """What is kept of a lane that has ended, beside the run it belongs to; times in UTC milliseconds."""

    run: RunId
    parent: RunId
    lane: str
    input: RunInput
    outcome: Outcome
    begun_at_ms: int
    ended_at_ms: int


KeepLane = Callable[[Session, LaneRow], None]


class Database(Protocol):
    """Runs `fn` in one transaction on a thread of its own."""

    async def run(self, fn: Callable[[Session], T]) -> T:
        """Give what `fn` gives; its writes are committed, or rolled back when it raises."""
        ...

    async def read(self, fn: Callable[[Session], T]) -> T:
        """Give what `fn` gives, which only reads."""
        ...


class Rules(Protocol):
    """What calls may do: a `Policy`, or one that follows its files."""

    @property
    def approvals(self) -> Approvals:
        """Give how people may answer questions."""
        ...

    def judge(self, request: Request) -> Ruling:
        """Give what the rules say of a call, as they are now."""
        ...


class Models(Protocol):
    """Gives models by their name in the settings; `None`, or a name that is gone, gives the default."""

    def get(self, name: str | None = None) -> Model:
        """Give the model; safe to call often."""
        ...

    async def aclose(self) -> None:
        """Release all connections."""
        ...


@dataclass(frozen=True, slots=True)
class Equipment:
    """What an agent works with."""

    settings: EngineSettings
    database: Database
    models: Models
    tools: ToolSet
    clock: Clock
    opener: Opener | None = None
    """Opens what came with messages; without one a model only reads what it is called."""
    outbox: Outbox | None = None
    """Keeps what tools made for the person; without one no file goes out."""
    policy: Rules = ALLOWS_WHAT_TOOLS_ALLOW
    quota: Quota = UNLIMITED
    """What a conversation's workspace may hold."""
    role: str = "main"
    """The agent's position; one of the policy's roles."""
    router: Router | None = None
    """Says which way requests go; without one every run is worked on with tools."""
    roster: Roster | None = None
    """The agents; without one there is the main one alone."""
    keep_lane: KeepLane | None = None
    """Puts down that a lane has ended; without it lanes leave no row of their own."""
    folder: ToolFolder | None = None
    """The operator's tools, looked at whenever a run begins; it changes `tools`."""


class Begun(Value):
    """What the `context` step records. History is what lay at places up to `upto` then."""

    v: int = 1
    session: SessionId
    upto: int = 0
    model: str | None = None
    at_ms: int = 0
    branch: Branch | None = None
    """Where the session begins in another one, whose messages up to there are its first."""
    is_staged: bool = False
    """The model is asked for plans, because its tool calls cannot be relied on; holds for the whole run."""
    route: Route | None = None
    """The way, where nobody was asked: here it costs no write of its own. Else a model says it in the step `route`."""
    previous: Way | None = None
    """The way of the session's last run."""


async def begin(scope: RunScope, equipment: Equipment) -> Pass:
    """Find the session, store the person's words in it and give the pass's first state."""
    settings = equipment.settings
    workspace = await asyncio.to_thread(_look_around, scope, equipment)
    tools = ToolSet(equipment.tools)
    words = await _words(scope, equipment, workspace)
    begun = await _begin_step(scope, equipment, words)
    model = equipment.models.get(begun.model)
    earlier, facts = await asyncio.gather(
        _earlier(begun, equipment),
        model.facts(),
    )
    route = begun.route
    if route is None and equipment.router is not None:
        route = await asked_way(scope, equipment.router, begun.previous, model, equipment.clock)
    before: list[Message] = [SystemMessage(text=instructions(begun.at_ms, _own(equipment))), *earlier]
    messages = [*before, words]
    return Pass(
        scope=scope,
        session=begun.session,
        model=model,
        messages=messages,
        window=Window(facts.context_tokens, len(before)),
        tools=tools.schemas(),
        toolset=tools,
        workspace=workspace,
        pictures=await equipment.opener.pictures(messages) if facts.images and equipment.opener else {},
        private=(settings.home, *settings.private),
        staging=Staging() if begun.is_staged else None,
        route=route,
        is_direct=route is not None and route.way == "direct" and not begun.is_staged,
        begun_at_ms=begun.at_ms,
    )


def _look_around(scope: RunScope, equipment: Equipment) -> Path:
    """Give the workspace; agents and tools whose files changed are read meanwhile. Blocks."""
    if equipment.router is not None:
        equipment.router.refresh()
    if equipment.folder is not None:
        equipment.folder.look()
    return workspace_for(equipment.settings.home, scope.input.to, equipment.settings.workspace)


async def _earlier(begun: Begun, equipment: Equipment) -> list[Message]:
    if not begun.upto:
        return []
    limit = equipment.settings.sessions.history_messages
    return await equipment.database.read(lambda session: history(session, begun.session, upto=begun.upto, limit=limit))


def instructions(at_ms: int, own: str = "") -> str:
    """Give the system text of a run that began at `at_ms`; `own` is what the operator tells this agent."""
    day = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%A, %Y-%m-%d")
    told = f"\n\n{own.strip()}" if own.strip() else ""
    return f"{prompt('system')}\nToday is {day} (UTC).{told}"


def _own(equipment: Equipment) -> str:
    return "" if equipment.roster is None else equipment.roster.main.prompt


async def _begin_step(scope: RunScope, equipment: Equipment, words: UserMessage) -> Begun:
    now_ms = equipment.clock.now_ms()

    async def look() -> Begun:
        begun = await equipment.database.read(lambda session: _look(session, scope, equipment, now_ms))
        model, router = equipment.models.get(begun.model), equipment.router
        facts = await model.facts()
        route = None if router is None else await way_at_once(router, scope.input, begun.previous, model)
        is_staged = not facts.reliable_tools and len(equipment.tools) > 0
        return begun.model_copy(update={"is_staged": is_staged, "route": route})

    def events(begun: Begun) -> list[RunEvent]:
        if begun.route is None or equipment.router is None:
            return []
        has_domains, model = equipment.router.has_domains, equipment.models.get(begun.model).name
        return route_events(scope, begun.route, model, has_domains=has_domains, at_ms=begun.at_ms)

    def also(session: Session, begun: Begun) -> None:
        begin_session(session, scope.input.to, id=begun.session, now_ms=begun.at_ms)
        if begun.branch is not None:
            most = equipment.settings.sessions.history_messages
            grow(session, begun.branch, into=begun.session, most=most)
        question = question_of(scope.id, scope.input)
        append_question(session, begun.session, words, run=scope.id, question=question, now_ms=begun.at_ms)

    return await scope.step("context", look, result=Begun, events=events, also=also)


def _look(session: Session, scope: RunScope, equipment: Equipment, now_ms: int) -> Begun:
    idle = equipment.settings.sessions.idle_hours
    # A further attempt belongs where the first one is, also when the conversation has started over since.
    row = session_of(session, scope.input.task) if scope.input.task is not None else None
    row = row or current_session(session, scope.input.to, now_ms=now_ms, idle_hours=idle)
    model = chosen(session, "model", scope.input.to)
    if row is None:
        branch = branch_of(session, scope.input.to, scope.input.follows)
        upto = 0 if branch is None else branch.upto
        return Begun(session=new_session_id(now_ms), upto=upto, model=model, at_ms=now_ms, branch=branch)
    known = SessionId(row.id)
    upto = last_place(session, known)
    previous = None if equipment.router is None else previous_way(session, known, upto)
    return Begun(session=known, upto=upto, model=row.model or model, at_ms=now_ms, previous=previous)


async def _words(scope: RunScope, equipment: Equipment, workspace: Path) -> UserMessage:
    """Give what the person said, with what came with it."""
    parts = scope.input.parts
    if equipment.opener is not None:
        parts = await equipment.opener.open_all(scope, workspace)
    return UserMessage(parts=parts, name=scope.input.by.name, by=scope.input.by.id)
