"""Which way a run goes: said by rules while it begins, else by a model in a step of its own; told in the trace."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

from sqlmodel import Session

from engine.agent.route import Route, Way
from engine.agent.stopping import unless_stopped
from engine.events import RunEvent
from engine.messages import RunInput, SessionId, Usage
from engine.models.base import Model, ToolSchema
from engine.ports import Clock, RunScope
from engine.storage.statement import execute

STEP = "route"
WORK_WITH_TOOLS = ToolSchema(
    "work_with_tools",
    "Call this, and write nothing, when the answer needs anything outside this conversation: files, folders, code, "
    "commands, systems, the web, facts that change. Your other tools are given to you then. Never answer that you "
    "cannot look something up: call this instead.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
"""All that a model is offered that answers at once: the way out when the answer needs work after all."""
GIVEN = "Your tools are here now. Go on with the question."

_LAST = f"""SELECT path, result FROM nm_step WHERE path IN ('{STEP}', 'context') AND run =
(SELECT run FROM nm_message WHERE session = :session AND n <= :upto ORDER BY n DESC LIMIT 1)"""
_BEGAN = ("model/0", "plan/0")
"""Steps that a run which began without a route has recorded first."""


class Router(Protocol):
    """Says which way requests go."""

    def refresh(self) -> None:
        """Look whether skills or domain agents have changed. Reads files: not to be called on the event loop."""
        ...

    def by_rules(self, given: RunInput, previous: Way | None) -> Route | None:
        """Give the way where rules see one, at once; `None` where a model has to be asked."""
        ...

    async def by_model(self, given: RunInput, previous: Way | None, model: Model) -> Route:
        """Ask a model (the run's own, or the one that is set for this); never raises for what it answers."""
        ...

    def asks(self, own: Model) -> Model | None:
        """Give the model that sorts requests and orders lanes; `None` where there is none to ask."""
        ...

    @property
    def has_domains(self) -> bool:
        """Tell whether there are domain agents: then it is said when none of them fits."""
        ...


def previous_way(session: Session, known: SessionId, upto: int) -> Way | None:
    """Give the way of the session's last run; `None` at its beginning, or where none was recorded."""
    steps = {row.path: json.loads(row.result) for row in execute(session, _LAST, session=known, upto=upto)}
    found = steps.get(STEP) or steps.get("context", {}).get("route")
    return Route.model_validate(found).way if found else None


async def way_at_once(router: Router, given: RunInput, previous: Way | None, model: Model) -> Route | None:
    """Give the way where nobody is asked, by the rules or because there is no model for it; else `None`."""
    route = router.by_rules(given, previous)
    if route is None and router.asks(model) is None:
        route = await router.by_model(given, previous, model)
    return route


async def asked_way(scope: RunScope, router: Router, previous: Way | None, model: Model, clock: Clock) -> Route | None:
    """Give the way a model says, recorded as a step; `None` for a run that an older version began without one."""
    if not scope.recorded(STEP) and any(map(scope.recorded, _BEGAN)):
        return None

    async def ask() -> Route:
        route = await unless_stopped(scope, router.by_model(scope.input, previous, model))
        return route or Route(way="agent", by="default", reason="stopped", confidence=0.0)

    def events(route: Route) -> Sequence[RunEvent]:
        told = router.asks(model) or model
        return route_events(scope, route, told.name, has_domains=router.has_domains, at_ms=clock.now_ms())

    return await scope.step(STEP, ask, result=Route, events=events)


def route_events(scope: RunScope, route: Route, model: str, *, has_domains: bool, at_ms: int) -> list[RunEvent]:
    """Give what is told of a route: the trace gets all, a reader only what changes what they may expect."""
    base: dict[str, Any] = {"run": scope.id, "at_ms": at_ms, "status": "success"}
    told = route.model_dump(include={"way", "by", "reason", "intent", "domains", "confidence"}, mode="json")
    events = [_notice("routed", told, base | {"segment": STEP, "visibility": "hidden"})]
    code = _said(route, has_domains=has_domains)
    if code:
        events.append(_notice(code, {}, base | {"segment": f"{STEP}/note"}))
    if route.usage != Usage():
        spent = route.usage.model_dump(include={"input_tokens", "output_tokens", "cost"})
        content = {"model": model, **spent}
        events.append(RunEvent(type="usage", content=content, segment=STEP, visibility="hidden", **base))
    return events


def _said(route: Route, *, has_domains: bool) -> str:
    if route.domains:
        return ""
    if route.way == "team":
        return "team_as_one"
    return "general_agent" if has_domains and route.way == "agent" else ""


def _notice(code: str, params: dict[str, Any], base: dict[str, Any]) -> RunEvent:
    return RunEvent(type="notice", content={"code": code, "params": params, "tone": "info"}, **base)
