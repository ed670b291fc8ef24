"""From what a model wrote to the result it was asked for. Reads only; nothing in a text is ever carried out here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from engine.agent.staged.decoding import Undecodable, decode
from engine.agent.staged.results import EvaluationResult, ExecutionPlan, RepairPlan
from engine.agent.staged.shapes import (
    Fields,
    TwoThings,
    action_fields,
    around,
    evaluation_fields,
    plan_fields,
)
from engine.agent.staged.spans import marked_calls, own_words, spans
from engine.errors import OutputUnreadable

MAX_TEXT_CHARS = 200_000
Result = TypeVar("Result", ExecutionPlan, EvaluationResult, RepairPlan)
Shape = Callable[[Any], Fields | None]
_MOST_PROBLEMS = 5


def read_plan(text: str) -> ExecutionPlan:
    """Give the plan in a model's own words.

    Raises:
        OutputUnreadable: there is none, or more than one; the message tells the model what to mend.
    """
    return _read(text, ExecutionPlan, lambda value: plan_fields(value, "goal"), "goal")


def read_repair(text: str) -> RepairPlan:
    """Give the repair plan in a model's own words.

    Raises:
        OutputUnreadable: there is none, or more than one; the message tells the model what to mend.
    """
    return _read(text, RepairPlan, lambda value: plan_fields(value, "repair_reason"), "repair_reason")


def read_evaluation(text: str) -> EvaluationResult:
    """Give the evaluation in a model's own words.

    Raises:
        OutputUnreadable: there is none, more than one, or one that contradicts itself; the message tells the model.
    """
    result = _read(text, EvaluationResult, evaluation_fields, "")
    if result.completed and result.missing:
        raise OutputUnreadable("completed is true, but missing is not empty: only one of them can hold")
    if result.completed and not result.evidence:
        raise OutputUnreadable("completed is true, but evidence is empty: name what in the results shows it")
    if not result.completed and not result.missing and not result.repair_goal:
        raise OutputUnreadable("completed is false, but missing is empty: name what is missing")
    return result


def _read(text: str, result: type[Result], shape: Shape, head: str) -> Result:
    if len(text) > MAX_TEXT_CHARS:
        raise OutputUnreadable(f"the answer is longer than {MAX_TEXT_CHARS} characters")
    try:
        found, half = _found(text, shape, head)
    except TwoThings as error:
        raise OutputUnreadable(str(error)) from error
    different = [each for place, each in enumerate(found) if each not in found[:place]]
    if len(different) > 1:
        raise OutputUnreadable(
            f"there are {len(different)} different answers in the text; give exactly one JSON object"
        )
    if not different:
        raise OutputUnreadable(half or f"there is no JSON object with {_wanted(result)} in the answer")
    return _validated(different[0], result)


def _found(text: str, shape: Shape, head: str) -> tuple[list[Fields], str]:
    """Give everything of the wanted shape, and why a part that began like it could not be read."""
    whole = _whole(text, shape)
    if whole is not None:
        return [whole], ""
    marked, rest = marked_calls(own_words(text))
    calls = [_marked(each) for each in marked] if head else []
    found: list[Fields] = [around(calls, head)] if calls else []
    half = ""
    for value, problem in _values(rest):
        half = half or problem
        fields = None if problem else shape(value)
        found += [] if fields is None else [fields]
    return found, half


def _whole(text: str, shape: Shape) -> Fields | None:
    """Give the fields when the text is one JSON value and nothing else: then its strings are its own."""
    try:
        value = json.loads(text, strict=False)
        value = decode(text) if isinstance(value, dict | list) else None
    except (ValueError, RecursionError, Undecodable):
        return None
    return shape(value)


def _values(text: str) -> Iterator[tuple[Any, str]]:
    for span in spans(text):
        closed = span.closed
        if closed is None:
            yield None, "the JSON breaks off before its end; give it again, shorter"
            continue
        try:
            yield decode(closed), ""
        except Undecodable as error:
            yield None, f"{error}"


def _marked(content: str) -> Fields:
    """Give the call of one marked block.

    Raises:
        TwoThings: it does not hold exactly one.
    """
    inside = spans(content)
    if len(inside) != 1 or inside[0].open:
        raise TwoThings("a [TOOL_CALL] block must hold exactly one whole JSON object")
    try:
        fields = action_fields(decode(inside[0].text))
    except Undecodable as error:
        raise TwoThings(f"a [TOOL_CALL] block is broken: {error}") from error
    if fields is None:
        raise TwoThings('a [TOOL_CALL] block must hold {"tool": ..., "args": {...}}')
    return fields


def _validated(fields: Fields, result: type[Result]) -> Result:
    fields = {name: value for name, value in fields.items() if name != "v"}
    try:
        return result.model_validate_json(json.dumps(fields), strict=True)
    except ValidationError as error:
        raise OutputUnreadable(f"the answer does not fit: {'; '.join(_problems(error))}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise OutputUnreadable(f"the answer cannot be read ({type(error).__name__})") from error


def _problems(error: ValidationError) -> Iterator[str]:
    """Tell in a model's words what is missing and what does not fit; never the values themselves."""
    for each in error.errors(include_url=False, include_input=False)[:_MOST_PROBLEMS]:
        at = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in each["loc"]).lstrip(".")
        if each["type"] == "missing":
            yield f"{at} is missing"
        else:
            yield f"{at}: {each['msg'][:1].lower()}{each['msg'][1:]}"


def _wanted(result: type[BaseModel]) -> str:
    fields = cast("dict[str, Any]", result.model_fields)
    return ", ".join(repr(name) for name, field in fields.items() if field.is_required())
