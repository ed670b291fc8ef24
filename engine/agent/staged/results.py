"""What the stages give where a model writes plans instead of calling tools. Add-only: new fields have defaults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from engine.messages import Value

MAX_ACTIONS = 20
"""Of one plan; more is no plan that a person could follow on a card."""


class PlannedAction(Value):
    """One tool call of a plan. `expected_output` names fields that its result must have in `parsed`."""

    tool: str = Field(min_length=1, max_length=200)
    args: dict[str, Any] = Field(default_factory=dict[str, Any])
    purpose: str = ""
    expected_output: tuple[str, ...] = ()


class ExecutionPlan(Value):
    """What a model means to do. No actions: it can answer at once."""

    v: int = 1
    goal: str = Field(min_length=1)
    assumptions: tuple[str, ...] = ()
    actions: tuple[PlannedAction, ...] = Field(max_length=MAX_ACTIONS)
    success_criteria: tuple[str, ...] = ()


class EvaluationResult(Value):
    """Whether the goal is reached, and what shows it or is missing."""

    v: int = 1
    completed: bool
    evidence: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    repair_goal: str | None = None


class RepairPlan(Value):
    """What is to be done about what is missing. No actions: nothing can be done about it."""

    v: int = 1
    repair_reason: str = Field(min_length=1)
    actions: tuple[PlannedAction, ...] = Field(max_length=MAX_ACTIONS)


Staged = ExecutionPlan | EvaluationResult | RepairPlan


def render(value: Staged) -> str:
    """Give the JSON text that a model would write for it; the reader reads it back the same."""
    return json.dumps(value.model_dump(mode="json", exclude={"v"}), ensure_ascii=False)


def told(plan: ExecutionPlan | RepairPlan) -> str:
    """Give a plan in lines that a person can read."""
    head = plan.goal if isinstance(plan, ExecutionPlan) else plan.repair_reason
    return "\n".join([head, *_lines(plan)])


def _lines(plan: ExecutionPlan | RepairPlan) -> Iterator[str]:
    if isinstance(plan, ExecutionPlan):
        yield from (f"~ {each}" for each in plan.assumptions)
    for place, action in enumerate(plan.actions, 1):
        yield f"{place}. {action.tool}: {action.purpose}" if action.purpose else f"{place}. {action.tool}"
    if isinstance(plan, ExecutionPlan):
        yield from (f"= {each}" for each in plan.success_criteria)
