"""JSON values with the types the checker wants."""

from __future__ import annotations

import json
from typing import Any, TypeAlias, cast

Json: TypeAlias = dict[str, Any]


def as_object(value: object) -> Json | None:
    """Give the value if it is a JSON object."""
    return cast("Json", value) if isinstance(value, dict) else None


def as_objects(value: object) -> list[Json]:
    """Give the objects of a JSON array; anything else is left out."""
    return (
        [item for item in cast("list[Json]", value) if as_object(item) is not None] if isinstance(value, list) else []
    )


def parse_object(text: object) -> Json | None:
    """Read a JSON object from text; None if it is none."""
    if not isinstance(text, (str, bytes)):
        return None
    try:
        return as_object(json.loads(text))
    except ValueError:
        return None


def dumps(value: object) -> str:
    """Write JSON as the platform measures it: UTF-8, no blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
