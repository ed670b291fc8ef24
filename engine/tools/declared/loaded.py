"""What a folder of tool files holds: the tools, and why others are none."""

from __future__ import annotations

from dataclasses import dataclass

from engine.tools.base import Tool


@dataclass(frozen=True, slots=True)
class Mistake:
    """`file` is a name in the folder."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a folder holds. `off` are the names of tools that are told not to be there."""

    tools: tuple[Tool, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    off: tuple[str, ...] = ()
