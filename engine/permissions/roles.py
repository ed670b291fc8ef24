"""Positions of agents: which tools each may use at all. One table of `roles.toml` for each."""

from __future__ import annotations

from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict

from engine.permissions.request import Request
from engine.permissions.verdict import Ruling


class Role(BaseModel):
    """What an agent in this position may use, by name or with `*`. `not_tools` is stronger than `tools`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    description: str = ""
    tools: tuple[str, ...] = ("*",)
    not_tools: tuple[str, ...] = ()
    skills: tuple[str, ...] = ("*",)
    mcp: tuple[str, ...] = ("*",)

    def may_use(self, tool: str) -> bool:
        """Tell whether the position comes with this tool."""
        return _any(tool, self.tools) and not _any(tool, self.not_tools)

    def ruling(self, request: Request) -> Ruling | None:
        """Deny what the position does not come with; say nothing of the rest."""
        if self.may_use(request.tool):
            return None
        reason = f"an agent in the role {request.role!r} has no tool {request.tool!r}"
        return Ruling("deny", f"role:{request.role}", reason)


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
