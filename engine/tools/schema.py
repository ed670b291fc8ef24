"""A small JSON Schema check: what tool parameters use, no more.

Understood: `type` (one or several), `required`, `properties`, `additionalProperties: false`, `items`, `enum`,
`minimum`, `maximum`. Other keywords are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

Schema = dict[str, Any]

_IS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "null": lambda value: value is None,
}


def problems(value: Any, schema: Schema, at: str = "arguments") -> list[str]:
    """Tell in words a model understands where `value` does not fit `schema`; empty when it fits."""
    wrong = _wrong_type(value, schema, at)
    if wrong:
        return [wrong]
    found: list[str] = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at} must be one of {schema['enum']!r}")
    if isinstance(value, dict):
        found += _in_object(cast("dict[str, Any]", value), schema, at)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(cast("list[Any]", value)):
            found += problems(item, schema["items"], f"{at}[{index}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found += _in_range(value, schema, at)
    return found


def _wrong_type(value: Any, schema: Schema, at: str) -> str:
    wanted = schema.get("type")
    if wanted is None:
        return ""
    types: list[str] = [wanted] if isinstance(wanted, str) else list(wanted)
    if any(_IS[name](value) for name in types if name in _IS):
        return ""
    return f"{at} must be {' or '.join(types)}, not {_name(value)}"


def _in_object(value: dict[str, Any], schema: Schema, at: str) -> list[str]:
    known: dict[str, Schema] = schema.get("properties", {})
    found = [f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value]
    for name, item in value.items():
        if name in known:
            found += problems(item, known[name], f"{at}.{name}")
        elif schema.get("additionalProperties") is False:
            found.append(f"{at}.{name} is unknown; known are {sorted(known)!r}")
    return found


def _in_range(value: float, schema: Schema, at: str) -> list[str]:
    found: list[str] = []
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{at} must be at least {schema['minimum']}")
    if "maximum" in schema and value > schema["maximum"]:
        found.append(f"{at} must be at most {schema['maximum']}")
    return found


def _name(value: Any) -> str:
    return next((name for name, test in _IS.items() if test(value)), type(value).__name__)
