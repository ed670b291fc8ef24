"""What `permissions.toml` and `roles.toml` say: read strictly, every mistake told with the nearest right word."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from engine.errors import SettingsInvalid
from engine.permissions.approvals import Approvals
from engine.permissions.roles import Role
from engine.permissions.rule import Rule
from engine.permissions.verdict import Verdict

M = TypeVar("M", bound=BaseModel)
_TABLES = ("rules", "approvals", "usual")
_VERDICTS: tuple[Verdict, ...] = ("allow", "ask", "deny")
_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Book:
    """One `permissions.toml`."""

    rules: tuple[Rule, ...] = ()
    approvals: Approvals = field(default_factory=Approvals)
    usual: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])


def parse_permissions(text: str, source: str) -> Book:
    """Read a `permissions.toml`; `source` names it in errors.

    Raises:
        SettingsInvalid: it is not TOML, or holds a word that means nothing.
    """
    tree = _tree(text, source)
    for key in tree:
        if key not in _TABLES:
            raise _unknown(source, "", key, _TABLES)
    approvals = _model(Approvals, tree.get("approvals", {}), source, "approvals")
    return Book(tuple(_rules(tree.get("rules", []), source)), approvals, dict(_usual(tree.get("usual", {}), source)))


def parse_roles(text: str, source: str) -> dict[str, Role]:
    """Read a `roles.toml`: one table for each role. Raises like `parse_permissions`."""
    roles: dict[str, Role] = {}
    for name, table in _tree(text, source).items():
        if not isinstance(table, dict):
            raise _unknown(source, "", name, tuple(Role.model_fields), "a role is a table: [name]")
        if not _NAME.fullmatch(name):
            raise _mistake(source, name, "is no name: lower-case letters and digits, parts joined by single '_'")
        roles[name] = _model(Role, table, source, name)
    return roles


def _rules(value: Any, source: str) -> Iterator[Rule]:
    if not isinstance(value, list):
        raise _mistake(source, "rules", "is a list of tables: write [[rules]]")
    known: set[str] = set()
    for at, table in enumerate(cast("list[Any]", value), 1):
        named = cast("dict[str, Any]", table).get("id") if isinstance(table, dict) else None
        rule = _model(Rule, table, source, f"rules.{named or at}", empty_lists=False)
        if rule.id in known:
            raise _mistake(source, f"rules.{rule.id}", "is there twice")
        if rule.each_time and rule.verdict != "ask":
            raise _mistake(source, f"rules.{rule.id}.each_time", 'goes with verdict = "ask" only')
        known.add(rule.id)
        yield rule


def _usual(value: Any, source: str) -> Iterator[tuple[str, Verdict]]:
    if not isinstance(value, dict):
        raise _mistake(source, "usual", 'is a table: tool = "ask"')
    for tool, verdict in cast("dict[str, Any]", value).items():
        if verdict not in _VERDICTS:
            raise _unknown(source, f"usual.{tool}", str(verdict), _VERDICTS)
        yield tool, verdict


def _model(model: type[M], value: Any, source: str, where: str, *, empty_lists: bool = True) -> M:
    if not isinstance(value, dict):
        raise _mistake(source, where, "is a table, not one value")
    table = cast("dict[str, Any]", value)
    for key, item in table.items():
        if key not in model.model_fields:
            raise _unknown(source, where, key, tuple(model.model_fields))
        if item == [] and not empty_lists:
            # Left out, a list matches everything: an empty one surely means the opposite.
            raise _mistake(source, f"{where}.{key}", "is an empty list; name something, or leave it out for everything")
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise _invalid(error, source, where) from None


def _invalid(error: ValidationError, source: str, where: str) -> SettingsInvalid:
    first = error.errors(include_url=False)[0]
    place = ".".join([where, *(str(part) for part in first["loc"])])
    if first["type"] == "literal_error":
        choices = tuple(re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", ""))))
        return _unknown(source, place, str(first.get("input")), choices)
    if first["type"] == "tuple_type":
        return _mistake(source, place, 'is a list: ["…"]')
    return _mistake(source, place, first["msg"][:1].lower() + first["msg"][1:])


def _tree(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _mistake(source, "", f"is not TOML: {error}") from None


def _unknown(source: str, where: str, word: str, known: tuple[str, ...], else_: str = "") -> SettingsInvalid:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    fix = f"did you mean {near[0]!r}?" if near else else_ or f"there are: {', '.join(known)}"
    return _mistake(source, where, f"{word!r} means nothing; {fix}")


def _mistake(source: str, where: str, what: str) -> SettingsInvalid:
    return SettingsInvalid(f"{source}: {f'{where}: ' if where else ''}{what}", code="rules_invalid")
