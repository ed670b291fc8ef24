"""Deciding the order of lanes: by the request's words, else by asking a model; recorded as one step."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from engine.agent.context import Equipment
from engine.agent.lanes.plan import LanePlan, by_words, plan_of, read_steps
from engine.agent.lanes.result import AGENT_LIST, agent_list
from engine.agent.prompt import prompt
from engine.agent.state import Pass
from engine.agent.stopping import unless_stopped
from engine.errors import ModelError
from engine.events import RunEvent
from engine.messages import SystemMessage, TextPart, Usage, UserMessage
from engine.models.base import Completed, Model, ModelRequest
from engine.profiles import Profile
from engine.tools.cut import cut

log = logging.getLogger(__name__)
STEP = "lanes"
PATIENCE_S = 10.0
ANSWER_TOKENS = 300
REQUEST_CHARS = 2_000


async def lane_plan(work: Pass, equipment: Equipment, agents: Sequence[Profile]) -> LanePlan:
    """Give the recorded plan, making it when there is none."""
    at_ms = equipment.clock.now_ms()

    async def planned() -> LanePlan:
        return await unless_stopped(work.scope, _planned(work, equipment, agents)) or LanePlan()

    def events(plan: LanePlan) -> list[RunEvent]:
        return _cost(work, plan, equipment, at_ms)

    return await work.scope.step(STEP, planned, result=LanePlan, events=events)


async def _planned(work: Pass, equipment: Equipment, agents: Sequence[Profile]) -> LanePlan:
    words, most = work.scope.input.text, equipment.settings.agent.max_lanes
    steps = by_words(words, agents)
    model = None if equipment.router is None else equipment.router.asks(work.model)
    if len(agents) < 2 or len(steps) > 1 or model is None:
        return plan_of(steps, most=most)
    said, usage = await _asked(work, model, agents)
    read = read_steps(said, [each.id for each in agents])
    if read is None:
        return plan_of(steps, most=most, usage=usage)
    return plan_of(read, most=most, by="model", usage=usage)


async def _asked(work: Pass, model: Model, agents: Sequence[Profile]) -> tuple[str, Usage]:
    """Ask the model; a failure is no plan, and then all work beside each other."""
    words = cut(work.scope.input.text, REQUEST_CHARS).replace("<<<", "< < <").replace(">>>", "> > >")
    request = ModelRequest(
        messages=(
            SystemMessage(text=prompt("lane_plan").replace(AGENT_LIST, agent_list(agents))),
            UserMessage(parts=(TextPart(text=f"<<<\n{words}\n>>>"),)),
        ),
        max_output_tokens=ANSWER_TOKENS,
        temperature=0.0,
    )
    try:
        async with asyncio.timeout(PATIENCE_S), aclosing(model.stream(request)) as stream:
            async for item in stream:
                if isinstance(item, Completed):
                    return item.message.text, item.usage
    except (ModelError, TimeoutError) as error:
        reason = error.code if isinstance(error, ModelError) else "timeout"
        log.warning("lanes_not_ordered", extra={"run": work.scope.id, "model": model.name, "reason": reason})
    return "", Usage()


def _cost(work: Pass, plan: LanePlan, equipment: Equipment, at_ms: int) -> list[RunEvent]:
    if plan.usage == Usage():
        return []
    model = None if equipment.router is None else equipment.router.asks(work.model)
    content: dict[str, Any] = {"model": (model or work.model).name}
    content |= plan.usage.model_dump(include={"input_tokens", "output_tokens", "cost"})
    hidden: dict[str, Any] = {"status": "success", "visibility": "hidden"}
    return [RunEvent(run=work.scope.id, type="usage", content=content, segment=STEP, at_ms=at_ms, **hidden)]
