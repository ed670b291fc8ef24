"""The actions of a plan as the to-dos that a person sees."""

from __future__ import annotations

from collections.abc import Sequence

from engine.agent.staged.results import PlannedAction
from engine.agent.state import CallResult, Pass
from engine.events import RunEvent
from engine.tools.cut import cut

TITLE_CHARS = 200


def todos_event(
    work: Pass, at: str, actions: Sequence[PlannedAction], results: Sequence[CallResult], at_ms: int
) -> RunEvent:
    """Give the to-dos of the plan that step `at` gave; those without a result are pending."""
    items = [
        {"id": f"{at}/{place}", "title": cut(action.purpose or action.tool, TITLE_CHARS), "status": status}
        for place, (action, status) in enumerate(zip(actions, _statuses(actions, results), strict=True))
    ]
    is_open = any(item["status"] == "pending" for item in items)
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


def _statuses(actions: Sequence[PlannedAction], results: Sequence[CallResult]) -> list[str]:
    known = ["success" if each.result.success else "fail" for each in results]
    return [*known, *["pending"] * (len(actions) - len(known))]
