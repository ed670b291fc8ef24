"""From a plain value to the fields of a result: names and forms that models use instead of the asked ones.

A value that says two things at once is refused. Nothing is guessed: what is missing stays missing, and is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from engine.agent.staged.decoding import Undecodable, decode

Fields = dict[str, Any]
_ARGS = ("args", "arguments", "params", "parameters", "input")
_TOOL = ("tool", "name", "tool_name")
_ACTIONS = ("actions", "next_actions", "tool_calls")
_WRAPPERS = ("plan", "execution_plan", "evaluation", "evaluation_result", "repair", "repair_plan", "result")
PLAN_KEYS = frozenset({"goal", "assumptions", "success_criteria", "repair_reason", *_ACTIONS})
EVALUATION_KEYS = frozenset({"completed", "evidence", "missing", "repair_goal"})


class TwoThings(Exception):
    """The value says two different things; the message names them for the model."""


def plan_fields(value: Any, head: str) -> Fields | None:
    """Give the fields of a plan whose first field is `head`; `None` when the value is none at all.

    Raises:
        TwoThings: it holds two answers.
    """
    if isinstance(value, list):
        return _of_list(cast("list[Any]", value), head)
    given = _unwrapped(value)
    if given is None:
        return None
    if not PLAN_KEYS & given.keys():
        action = _action(given)
        return None if action is None else _around([action], head)
    return _of_plan(given, head)


def evaluation_fields(value: Any) -> Fields | None:
    """Give the fields of an evaluation; `None` when the value is none at all."""
    given = _unwrapped(value)
    if given is None or not EVALUATION_KEYS & given.keys():
        return None
    fields = dict(given)
    for name in ("evidence", "missing"):
        fields[name] = _texts(given.get(name))
    if str(given.get("completed")).lower() in ("true", "false"):
        fields["completed"] = str(given["completed"]).lower() == "true"
    fields["repair_goal"] = given.get("repair_goal") or None
    return fields


def around(actions: Sequence[Fields], head: str) -> Fields:
    """Give a plan around bare calls: what they are for is its goal."""
    return _around(list(actions), head)


def action_fields(value: Any) -> Fields | None:
    """Give the fields of one call; `None` when the value is none.

    Raises:
        TwoThings: it names two tools or two sets of arguments.
    """
    return _action(cast("Fields", value)) if isinstance(value, dict) else None


def _of_list(items: list[Any], head: str) -> Fields | None:
    if len(items) == 1 and isinstance(items[0], dict) and PLAN_KEYS & cast("Fields", items[0]).keys():
        return plan_fields(items[0], head)
    actions = [action_fields(each) for each in items]
    if not actions or not any(actions):
        return None
    if not all(actions):
        raise TwoThings("the list holds calls and other things; give one object")
    return _around([each for each in actions if each is not None], head)


def _of_plan(given: Fields, head: str) -> Fields:
    fields = dict(given)
    is_old = "actions" not in given
    listed = _one_of(given, _ACTIONS, "lists of actions")
    if isinstance(listed, dict):
        fields["actions"] = [_action(listed) or listed]
    elif isinstance(listed, list):
        fields["actions"] = [_action(each) or each for each in cast("list[Any]", listed)]
    elif listed is not None:
        fields["actions"] = listed
    for name in ("assumptions", "success_criteria"):
        fields[name] = _texts(given.get(name))
    if is_old and isinstance(fields.get("actions"), list) and not fields.get(head):
        fields[head] = _purpose(cast("list[Any]", fields["actions"]))
    return fields


def _around(actions: list[Fields], head: str) -> Fields:
    return {head: _purpose(actions), "actions": actions}


def _purpose(actions: Sequence[Any]) -> str:
    """Give a goal for a form that has none: what its calls are for, or their names."""
    named = [cast("Fields", each) for each in actions if isinstance(each, dict)]
    words = [str(each.get("purpose") or each.get("tool") or "") for each in named]
    return "; ".join(filter(None, words)) or "answer"


def _action(given: Any) -> Fields | None:
    if not isinstance(given, dict):
        return None
    fields = cast("Fields", given)
    inner = fields.get("function")
    if isinstance(inner, dict):
        fields = {**fields, **cast("Fields", inner)}
    tool = _one_of(fields, _TOOL, "names of a tool")
    if tool is None or not any(name in fields for name in (*_ARGS, "tool", "tool_name")):
        return None
    purpose = fields.get("purpose")
    return {
        "tool": tool,
        "args": _args(_one_of(fields, _ARGS, "sets of arguments")),
        "purpose": "" if purpose is None else purpose,
        "expected_output": _texts(fields.get("expected_output")),
    }


def _args(value: Any) -> Any:
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            return decode(value) if value.strip() else {}
        except Undecodable:
            return value
    return value


def _one_of(given: Mapping[str, Any], names: Sequence[str], what: str) -> Any:
    """Give the one value that stands under these names; the same under several is one.

    Raises:
        TwoThings: they differ.
    """
    values = [given[name] for name in names if given.get(name) is not None]
    if any(value != values[0] for value in values[1:]):
        raise TwoThings(f"there are two different {what}; give one")
    return values[0] if values else None


def _texts(value: Any) -> Any:
    """Give a list of texts for one text, nothing, or an object whose names say it; else what it is."""
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return list(cast("Fields", value))
    return [value] if isinstance(value, str) else value


def _unwrapped(value: Any) -> Fields | None:
    """Give the object, or the one inside it that carries the result."""
    if not isinstance(value, dict):
        return None
    given = cast("Fields", value)
    inner = [given[name] for name in _WRAPPERS if isinstance(given.get(name), dict)]
    is_bare = not (PLAN_KEYS | EVALUATION_KEYS) & given.keys()
    return cast("Fields", inner[0]) if is_bare and len(inner) == 1 and len(given) == 1 else given
