"""Asking the rules about a call: who asks, in which position the agent is, and what the run has read so far."""

from __future__ import annotations

from typing import Any

from engine.agent.context import Equipment
from engine.agent.shell_review import command_refusal
from engine.agent.state import Pass
from engine.messages import EnclosedPart, FilePart, TextPart, ToolMessage, UserMessage
from engine.permissions import Request, Ruling
from engine.tools.base import Tool


def judge(work: Pass, equipment: Equipment, tool: Tool, args: dict[str, Any]) -> Ruling:
    """Give what the rules say of a call of this run, as they are now."""
    given = work.scope.input
    return equipment.policy.judge(
        Request(
            tool=tool.name,
            effect=tool.effect,
            usual="ask" if tool.asks else "allow",
            touches=tool.touches(args),
            person=given.by.id,
            rank=given.by.rank,
            agent=given.agent,
            role=equipment.role,
            conversation=given.to,
            read_foreign=has_read_foreign(work, equipment),
        )
    )


def doubt(work: Pass, tool: Tool, args: dict[str, Any]) -> str:
    """Give why a call of this run makes no sense; empty when it does."""
    command = tool.touches(args).command
    if not command:
        return ""
    asked = "\n".join(part.text for part in work.scope.input.parts if isinstance(part, TextPart))
    return command_refusal(command, asked=asked, is_first=work.round == 0)


def has_read_foreign(work: Pass, equipment: Equipment) -> bool:
    """Tell whether strangers' words are before the model, from this run, its lanes or an earlier one of the session."""
    if work.has_heard:
        return True
    if any(isinstance(part, EnclosedPart) for part in work.scope.input.parts):
        return True
    for message in work.messages:
        if isinstance(message, ToolMessage):
            tool = work.toolset.get(message.name) or equipment.tools.get(message.name)
            if tool is None or tool.is_foreign:
                return True
        elif isinstance(message, UserMessage) and any(isinstance(part, FilePart) for part in message.parts):
            return True
    return False
