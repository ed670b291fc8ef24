"""Which tools a model with a small window is told of, and in how many words: a conversation needs the larger part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from engine.models.base import ToolSchema
from engine.models.tokens import tools_size

TOOLS_SHARE = 3
"""Tools take at most one part in so many of what a window holds beside the answer."""


def offered(tools: Sequence[ToolSchema], room: int) -> tuple[ToolSchema, ...]:
    """Give the tools that take at most `room` tokens: all of them, all in few words, or the first ones in few words."""
    if tools_size(tools) <= room:
        return tuple(tools)
    short = [_short(each) for each in tools]
    while short and tools_size(short) > room:
        short.pop()
    return tuple(short)


def _short(tool: ToolSchema) -> ToolSchema:
    """Leave the first sentence, and of the arguments their names and types."""
    first = tool.description.partition(". ")[0]
    return ToolSchema(tool.name, first, cast("dict[str, Any]", _bare(tool.parameters)))


def _bare(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_bare(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    bare: dict[str, Any] = {}
    for name, value in cast("dict[str, Any]", schema).items():
        if name in ("properties", "$defs") and isinstance(value, dict):
            # Here names are the arguments' own: one of them may be called "description".
            bare[name] = {each: _bare(inner) for each, inner in cast("dict[str, Any]", value).items()}
        elif name in ("enum", "const", "required", "default"):
            bare[name] = value
        elif name not in ("description", "title", "examples"):
            bare[name] = _bare(value)
    return bare
