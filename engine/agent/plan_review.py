"""PlanReview: what every call must pass before it runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from engine.agent.state import Rejected, Reviewed
from engine.errors import ToolRetry
from engine.messages import ToolCall
from engine.permissions import Ruling
from engine.tools.arguments import parse_arguments
from engine.tools.base import Tool
from engine.tools.registry import ToolSet

Judge = Callable[[Tool, dict[str, Any]], Ruling]
"""Says whether this very call is allowed, must be asked about, or is denied."""


Doubt = Callable[[Tool, dict[str, Any]], str]
"""Says why this very call would make no sense here; empty when it does."""


def review(call: ToolCall, tools: ToolSet, judge: Judge, doubt: Doubt = lambda _tool, _args: "") -> Reviewed | Rejected:
    """Check that the tool exists, the arguments fit, the call makes sense and is not denied."""
    tool = tools.get(call.name)
    if tool is None:
        names = ", ".join(tools.names) or "none"
        return Rejected(call, f"there is no tool {call.name!r}; there are: {names}", "tool_not_found")
    try:
        args = parse_arguments(call.arguments, tool.parameters, tool=tool.name)
    except ToolRetry as error:
        return Rejected(call, str(error), "tool_args_invalid")
    if doubtful := doubt(tool, args):
        return Rejected(call, f"not run: {doubtful}", "call_refused")
    ruling = judge(tool, args)
    if ruling.verdict == "deny":
        reason = ruling.reason or f"the rule {ruling.basis!r} denies it"
        told = f"not allowed: {reason}. Do not try another way; go on without it"
        return Rejected(call, told, "permission_denied", ruling.basis)
    return Reviewed(call, tool, args, ruling)


def call_hash(tool: str, args: dict[str, Any]) -> str:
    """Name a call by its tool and arguments: what a person approved is exactly this and nothing else."""
    canonical = json.dumps({"args": args, "tool": tool}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
