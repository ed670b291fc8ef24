"""A conversation for a model that knows no tool calls: calls and results as words, marked as what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from engine.agent.prompt import prompt
from engine.messages import AssistantMessage, Message, SystemMessage, TextPart, ToolCall, ToolMessage, UserMessage
from engine.models.base import ToolSchema

_FRAME = re.compile(r"[<\uff1c\ufe64\u2039\u3008](?=\W{0,8}tool\W?_?\W?result)", re.IGNORECASE)
"""Whatever a reader may take for the beginning or the end of a frame, also with signs in between that nobody sees."""
_NAME = re.compile(r"[^\w.-]")


def plain(messages: Sequence[Message], stage: str = "", tools: Sequence[ToolSchema] = ()) -> list[Message]:
    """Give the messages, one for one, without calls; the instructions say what `stage` asks for, with these tools."""
    return [_plain(each, stage, tools) for each in messages]


def said(text: str) -> UserMessage:
    """Give words of ours that stand where a person's would."""
    return UserMessage(parts=(TextPart(text=text),))


def _plain(message: Message, stage: str, tools: Sequence[ToolSchema]) -> Message:
    match message:
        case SystemMessage():
            return message.model_copy(update={"text": "\n\n".join([message.text, *_instructions(stage, tools)])})
        case AssistantMessage() if message.calls:
            words = "\n".join(filter(None, [message.text, _calls(message.calls)]))
            return message.model_copy(update={"text": words, "calls": ()})
        case ToolMessage():
            return said(_result(message))
        case _:
            return message


def _instructions(stage: str, tools: Sequence[ToolSchema]) -> list[str]:
    words = [prompt(stage)] if stage else []
    return [*words, "Tools:\n" + "\n".join(map(_tool, tools))] if tools else words


def _tool(tool: ToolSchema) -> str:
    return f"- {tool.name}: {tool.description}\n  args: {json.dumps(tool.parameters, ensure_ascii=False)}"


def _calls(calls: Sequence[ToolCall]) -> str:
    actions = [{"tool": each.name, "args": _args(each.arguments)} for each in calls]
    return json.dumps({"actions": actions}, ensure_ascii=False)


def _args(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _result(message: ToolMessage) -> str:
    """Give a result in a frame that nothing inside of it can close."""
    inside = _FRAME.sub("<\\\\", message.text)
    name = _NAME.sub("_", message.name)[:64]
    return f'<tool_result tool="{name}">\n{inside}\n</tool_result>'
