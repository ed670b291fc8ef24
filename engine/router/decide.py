"""The router: rules first, a model where they cannot say, and the way that can do everything where nobody can."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from engine.agent.route import Route, Way
from engine.errors import ModelError
from engine.messages import RunInput
from engine.models.base import Model
from engine.router.asking import Answer, ask_model
from engine.router.request import Request, request_of
from engine.router.rules import decide_by_rules
from engine.router.specialists import Directory

log = logging.getLogger(__name__)
LEAST_CONFIDENCE = 0.6
"""A model that is less sure is not followed: a tool too many costs a moment, one too few costs the answer."""
PATIENCE_S = 10.0
"""So long a model may take to decide, both tries together; the person waits meanwhile."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a router knows beside the request. Made once and kept until skills or domain agents change."""

    skills: Directory = field(default_factory=Directory)
    domains: Directory = field(default_factory=Directory)
    instructions: str = ""
    """The operator's own prompt for the model, with `{agentList}`; empty: the built-in one."""
    patience_s: float = PATIENCE_S
    least_confidence: float = LEAST_CONFIDENCE


async def decide(
    given: RunInput, surroundings: Surroundings, *, model: Model | None = None, previous: Way | None = None
) -> Route:
    """Give the way of a run's input; without a model what the rules cannot say goes to the agent.

    `previous` is the way of the conversation's last run. Never raises for anything that a person wrote or a model
    answered. To be called inside the journaled step `route`: a model need not say the same twice.
    """
    request = request_of(given, previous)
    route = decide_by_rules(request, surroundings.skills, surroundings.domains)
    if route is None:
        route = await _by_model(request, surroundings, model)
    log.info("routed", extra={"way": route.way, "by": route.by})
    return route


async def _by_model(request: Request, surroundings: Surroundings, model: Model | None) -> Route:
    if model is None:
        return _default("no rule speaks clearly, and there is no model to ask")
    try:
        async with asyncio.timeout(surroundings.patience_s):
            answer = await ask_model(request, model, surroundings.domains.specialists, surroundings.instructions)
    except ModelError as error:
        log.warning("router_model_failed", extra={"model": model.name, "reason": error.code})
        return _default(f"the model failed: {error.code}")
    except TimeoutError:
        log.warning("router_model_failed", extra={"model": model.name, "reason": "timeout"})
        return _default(f"the model did not decide within {surroundings.patience_s:g} s")
    return _said(answer, surroundings.least_confidence)


def _said(answer: Answer, least_confidence: float) -> Route:
    verdict = answer.verdict
    if verdict is None:
        return _default("the model twice gave something else").model_copy(update={"usage": answer.usage})
    sure = verdict.confidence >= least_confidence
    way: Way = verdict.way if sure else "agent"
    # Whom a domain agent should answer is work for an agent, also where general knowledge would do.
    way = "agent" if verdict.domains and way == "direct" else way
    reason = f"the model says {verdict.way}" + ("" if sure else ", but is not sure")
    return Route(
        way=way,
        by="model" if sure else "default",
        reason=reason,
        intent=verdict.intent,
        domains=tuple(verdict.domains) if sure else (),
        confidence=verdict.confidence,
        usage=answer.usage,
    )


def _default(reason: str) -> Route:
    return Route(way="agent", by="default", reason=reason, confidence=0.0)
