"""Our messages and tools in the chat-completions form that OpenAI-compatible endpoints and litellm take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, assert_never, cast

from engine.messages import (
    AssistantMessage,
    EnclosedPart,
    FilePart,
    Message,
    Part,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from engine.models.base import ModelRequest, ToolSchema
from engine.models.speakers import Speakers

REASONING_FIELD = "reasoning_field"
"""Key in `AssistantMessage.provider_details`: under which name this provider sent reasoning and wants it back."""


def render_request(request: ModelRequest, model: str) -> dict[str, Any]:
    """Give the body of a streamed request, without limits on output."""
    body: dict[str, Any] = {
        "model": model,
        "messages": render_messages(request.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def render_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Give the messages one by one, in order; where several people speak, each one's words begin with a name."""
    speakers = Speakers(messages)
    return [_message(message, speakers) for message in messages]


def object_text(arguments: str) -> str:
    """Give arguments as the text of a JSON object: strict providers refuse a history with anything else."""
    try:
        value: Any = json.loads(arguments) if arguments.strip() else {}
        if isinstance(value, str):
            value = json.loads(value)
    except ValueError:
        value = arguments
    if value is None:
        return "{}"
    if not isinstance(value, dict):
        value = {"unreadable": arguments}
    return json.dumps(cast("dict[str, Any]", value), ensure_ascii=False)


def _message(message: Message, speakers: Speakers) -> dict[str, Any]:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            words = "\n".join(_part(part) for part in message.parts)
            return {"role": "user", "content": speakers.prefix(message) + words}
        case AssistantMessage():
            return _assistant(message)
        case ToolMessage():
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case _:
            assert_never(message)


def _part(part: Part) -> str:
    match part:
        case TextPart():
            return part.text
        case FilePart():
            return f"[attached file: {part.name} ({part.mime})]"
        case EnclosedPart():
            return f"[{part.label}]"


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    body: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.calls:
        body["tool_calls"] = [_call(call) for call in message.calls]
    field = message.provider_details.get(REASONING_FIELD)
    if message.reasoning and isinstance(field, str):
        body[field] = message.reasoning
    return body


def _call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": object_text(call.arguments)},
    }


def _tool(tool: ToolSchema) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
