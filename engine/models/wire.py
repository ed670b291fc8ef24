"""Our messages and tools in the chat-completions form that OpenAI-compatible endpoints and litellm take."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
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
from engine.models.naming import as_name
from engine.models.speakers import Speakers
from engine.models.surrogates import mended

MAX_FILE_NAME_CHARS = 80
REASONING_FIELD = "reasoning_field"
"""Key in `AssistantMessage.provider_details`: under which name this provider sent reasoning and wants it back."""


def render_request(request: ModelRequest, model: str) -> dict[str, Any]:
    """Give the body of a streamed request, without limits on output."""
    body: dict[str, Any] = {
        "model": model,
        "messages": render_messages(request.messages, request.pictures),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None:
        body["temperature"] = request.temperature
    return body


def render_messages(messages: Sequence[Message], pictures: Mapping[str, bytes] | None = None) -> list[dict[str, Any]]:
    """Give the messages one by one, in order; where several people speak, each one's words begin with a name.

    `pictures` are contents of pictures by blob; a picture without contents is only named.
    """
    speakers = Speakers(messages)
    return [_message(message, speakers, pictures or {}) for message in messages]


def object_text(arguments: str) -> str:
    """Give arguments as the text of a JSON object: strict providers refuse a history with anything else."""
    try:
        value: Any = json.loads(arguments) if arguments.strip() else {}
        if isinstance(value, str):
            value = json.loads(value)
    except (ValueError, RecursionError):
        value = arguments
    if value is None:
        return "{}"
    if not isinstance(value, dict):
        value = {"unreadable": arguments}
    # Half a character can hide in an escape; no request takes it.
    return mended(json.dumps(cast("dict[str, Any]", value), ensure_ascii=False))


def _message(message: Message, speakers: Speakers, pictures: Mapping[str, bytes]) -> dict[str, Any]:
    match message:
        case SystemMessage():
            return {"role": "system", "content": message.text}
        case UserMessage():
            return {"role": "user", "content": _user_content(message, speakers.prefix(message), pictures)}
        case AssistantMessage():
            return _assistant(message)
        case ToolMessage():
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case _:
            assert_never(message)


def _user_content(message: UserMessage, prefix: str, pictures: Mapping[str, bytes]) -> str | list[dict[str, Any]]:
    """Give plain text, the form that every endpoint takes, or a list where there are pictures to see."""
    seen = [part for part in message.parts if isinstance(part, FilePart) and part.blob in pictures]
    words = prefix + "\n".join(_part(part) for part in message.parts if part not in seen)
    if not seen:
        return words
    return [{"type": "text", "text": words}, *(_picture(part, pictures[part.blob]) for part in seen)]


def _picture(part: FilePart, content: bytes) -> dict[str, Any]:
    data = base64.b64encode(content).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{part.mime};base64,{data}"}}


def _part(part: Part) -> str:
    match part:
        case TextPart():
            return part.text
        case FilePart() if part.mime.startswith("image/"):
            return f"[attached picture: {_name(part.name)} ({_name(part.mime)}), which you are not shown]"
        case FilePart():
            return f"[attached file: {_name(part.name)} ({_name(part.mime)})]"
        case EnclosedPart():
            return f"[{_name(part.label)}]"


def _name(given: str) -> str:
    return as_name(given, MAX_FILE_NAME_CHARS)


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
