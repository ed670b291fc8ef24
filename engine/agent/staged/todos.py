"""The actions of a plan as the to-dos that a person sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.agent.staged.results import PlannedAction
from engine.agent.staged.rules import faults
from engine.agent.state import CallResult, Pass
from engine.events import RunEvent
from engine.tools.cut import cut

TITLE_CHARS = 200


def todos_event(
    work: Pass, at: str, actions: Sequence[PlannedAction], results: Sequence[CallResult], at_ms: int
) -> RunEvent:
    """Give the to-dos of the plan that step `at` gave; those without a result are pending."""
    states: dict[int, dict[str, Any]] = {
        place: {"status": "success"} if code is None else {"status": "fail", "code": code}
        for place, code in enumerate(faults(actions, results))
    }
    return _event(work, at, actions, states, at_ms)


def show_todo(work: Pass, place: int, status: str, at_ms: int) -> None:
    """Show how far one action of the plan is, while the round goes on; nothing where there is no plan."""
    staging = work.staging
    if staging is None or place >= len(staging.actions):
        return
    staging.shown[place] = {"status": status}
    work.scope.show(_event(work, staging.at, staging.actions, staging.shown, at_ms))


def _event(
    work: Pass, at: str, actions: Sequence[PlannedAction], states: Mapping[int, dict[str, Any]], at_ms: int
) -> RunEvent:
    items = [
        {
            "id": f"{at}/{place}",
            "title": cut(action.purpose or action.tool, TITLE_CHARS),
            **states.get(place, {"status": "pending"}),
        }
        for place, action in enumerate(actions)
    ]
    is_open = any(item["status"] in ("pending", "in_progress") for item in items)
    return RunEvent(
        run=work.scope.id,
        type="todos",
        content={"items": items},
        status="in_progress" if is_open else "success",
        segment=at,
        opr="replace",
        visibility="folded",
        at_ms=at_ms,
    )
