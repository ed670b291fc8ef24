"""PlanReview: what every call must pass before it runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from engine.agent.state import Rejected, Reviewed
from engine.errors import PlanRejected, ToolRetry
from engine.messages import Principal, ToolCall
from engine.tools.arguments import parse_arguments
from engine.tools.base import Tool
from engine.tools.registry import ToolSet

Allow = Callable[[Tool, dict[str, Any], Principal], None]
"""Raises `PlanRejected` when this person's run may not make this call."""


def allow_all(_tool: Tool, _args: dict[str, Any], _by: Principal) -> None:
    """Refuse nothing: what a tool declares (`asks`, its workspace) is the only rule."""


def review(call: ToolCall, tools: ToolSet, by: Principal, allow: Allow) -> Reviewed | Rejected:
    """Check that the tool exists, the arguments fit and the call is allowed."""
    tool = tools.get(call.name)
    if tool is None:
        names = ", ".join(tools.names) or "none"
        return Rejected(call, f"there is no tool {call.name!r}; there are: {names}", "tool_not_found")
    try:
        args = parse_arguments(call.arguments, tool.parameters, tool=tool.name)
    except ToolRetry as error:
        return Rejected(call, str(error), "tool_args_invalid")
    try:
        allow(tool, args, by)
    except PlanRejected as error:
        return Rejected(call, str(error), "permission_denied")
    return Reviewed(call, tool, args)


def call_hash(tool: str, args: dict[str, Any]) -> str:
    """Name a call by its tool and arguments: what a person approved is exactly this and nothing else."""
    canonical = json.dumps({"args": args, "tool": tool}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
