"""One lane: a domain agent working on the run's request with its own prompt, tools and model."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from sqlmodel import Session

from engine.agent.context import Equipment, LaneRow, instructions
from engine.agent.judging import has_read_foreign
from engine.agent.lanes.plan import PlannedLane
from engine.agent.lanes.result import LaneResult, handed_on
from engine.agent.lanes.scope import LaneScope
from engine.agent.state import Lane, Pass, Staging
from engine.agent.window import Window
from engine.errors import StorageError
from engine.events import EventStatus, RunEvent
from engine.messages import Message, SystemMessage, TextPart, UserMessage, Value
from engine.ports import Outcome
from engine.profiles import Profile
from engine.tools.registry import ToolSet

log = logging.getLogger(__name__)
Through = Callable[[Equipment, Pass], Awaitable[Outcome]]
"""The loop: works a pass through with this equipment."""


class Begun(Value):
    """What a lane records first; it holds for the lane's whole life."""

    v: int = 1
    at_ms: int
    model: str | None = None
    is_staged: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lane works: the run's pass before any lane, and what it works with."""

    work: Pass
    equipment: Equipment
    through: Through
    before: Sequence[Message]
    """The conversation up to the person's words, which are the last of it."""


async def run_lane(place: Place, lane: PlannedLane, title: str, earlier: Sequence[LaneResult]) -> LaneResult:
    """Give how the lane ended, working where that is not recorded yet. Whatever goes wrong in it is its result."""
    scope = LaneScope(place.work.scope, lane.id, lane.agent)
    if scope.recorded("end"):
        return await _end(place, scope, lane, LaneResult(lane=lane.id, agent=lane.agent, status="failed"), 0)
    begun = await _begin(place, scope, lane, title)
    result = await _worked(place, scope, lane, begun, earlier)
    return await _end(place, scope, lane, result, begun.at_ms)


async def _begin(place: Place, scope: LaneScope, lane: PlannedLane, title: str) -> Begun:
    equipment, profile = place.equipment, _profile(place, lane)

    async def begin() -> Begun:
        known = profile is not None and profile.model in equipment.settings.models
        name = profile.model if profile is not None and known else place.work.model.name
        facts = await equipment.models.get(name).facts()
        is_staged = not facts.reliable_tools and len(_tools(place.work, profile)) > 0
        return Begun(at_ms=equipment.clock.now_ms(), model=name, is_staged=is_staged)

    return await scope.step("begin", begin, result=Begun, events=lambda _: [_mark(place, "in_progress", title)])


async def _worked(
    place: Place, scope: LaneScope, lane: PlannedLane, begun: Begun, earlier: Sequence[LaneResult]
) -> LaneResult:
    failed = LaneResult(lane=lane.id, agent=lane.agent, status="failed", error="internal")
    profile = _profile(place, lane)
    if profile is None:
        return failed.model_copy(update={"error": "agent_gone"})
    try:
        work = await _pass(place, scope, profile, begun, earlier)
        own = _equipment(place, profile)
        outcome = await place.through(own, work)
    except StorageError:
        # An outage never ends anything: the whole run is given back and goes on later.
        raise
    except Exception:
        log.exception("lane_failed_unexpectedly", extra={"run": place.work.scope.id, "lane": lane.id})
        return failed
    status = "failed" if outcome.status == "interrupted" else outcome.status
    return LaneResult(
        lane=lane.id,
        agent=lane.agent,
        status=status,
        answer=outcome.answer,
        error=outcome.error,
        has_read_foreign=has_read_foreign(work, own),
    )


async def _pass(place: Place, scope: LaneScope, profile: Profile, begun: Begun, earlier: Sequence[LaneResult]) -> Pass:
    """Give the lane's first state: what the main agent would read, under the lane's own instructions."""
    model = place.equipment.models.get(begun.model)
    facts = await model.facts()
    *before, words = place.before
    before = [SystemMessage(text=instructions(place.work.begun_at_ms, profile.prompt)), *before[1:]]
    told = handed_on(earlier)
    said: list[Message] = [UserMessage(parts=(TextPart(text=told),)), words] if told else [words]
    tools = _tools(place.work, profile)
    return Pass(
        scope=scope,
        session=place.work.session,
        model=model,
        messages=[*before, *said],
        window=Window(facts.context_tokens, len(before)),
        tools=tools.schemas(),
        toolset=tools,
        workspace=place.work.workspace,
        private=place.work.private,
        pictures=place.work.pictures if facts.images else {},
        staging=Staging() if begun.is_staged else None,
        begun_at_ms=begun.at_ms,
        questions=place.work.questions,
        lane=Lane(place.work.scope.id, scope.place),
        has_heard=place.work.has_heard or any(each.has_read_foreign for each in earlier),
    )


async def _end(place: Place, scope: LaneScope, lane: PlannedLane, result: LaneResult, begun_at_ms: int) -> LaneResult:
    """Record the end, with the lane's own row, in one transaction."""
    at_ms, keep = place.equipment.clock.now_ms(), place.equipment.keep_lane

    async def ended() -> LaneResult:
        return result

    def also(session: Session, value: LaneResult) -> None:
        if keep is not None:
            outcome = Outcome(status=value.status, answer=value.answer, error=value.error)
            keep(session, LaneRow(scope.id, place.work.scope.id, lane.id, scope.input, outcome, begun_at_ms, at_ms))

    def events(value: LaneResult) -> list[RunEvent]:
        return [scope.told(_mark(place, "success" if value.status == "done" else "fail"))]

    return await place.work.scope.step(scope.path("end"), ended, result=LaneResult, events=events, also=also)


def _mark(place: Place, status: EventStatus, title: str = "") -> RunEvent:
    """Give the event that tells how far a lane is as a whole, and at its beginning what it is called."""
    run, at_ms = place.work.scope.id, place.equipment.clock.now_ms()
    return RunEvent(run=run, type="task", content={"title": title}, status=status, segment="lane", at_ms=at_ms)


def _profile(place: Place, lane: PlannedLane) -> Profile | None:
    return None if place.equipment.roster is None else place.equipment.roster.get(lane.agent)


def _equipment(place: Place, profile: Profile) -> Equipment:
    return replace(place.equipment, tools=_tools(place.work, profile), role=profile.role, router=None)


def _tools(work: Pass, profile: Profile | None) -> ToolSet:
    """Give what the run began with, as far as the agent may use it."""
    if profile is None or profile.tools is None:
        return work.toolset
    return ToolSet(tool for tool in work.toolset if tool.name in profile.tools)
