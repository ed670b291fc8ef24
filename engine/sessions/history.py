"""Making a piece of history valid for a strict provider: every call has its result, no result lacks its call."""

from __future__ import annotations

from collections.abc import Sequence

from engine.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

INTERRUPTED = "interrupted: this call was cut off before it gave a result; it may or may not have had an effect"


def bounded(messages: Sequence[Message], limit: int) -> list[Message]:
    """Keep the last `limit` messages, beginning with a person's words where there are any."""
    kept = list(messages[-limit:])
    first = next((index for index, message in enumerate(kept) if isinstance(message, UserMessage)), None)
    return kept if first is None else kept[first:]


def valid(messages: Sequence[Message]) -> list[Message]:
    """Give the messages in an order a strict provider accepts.

    Results follow their call in the order of the calls; a missing one is filled with `INTERRUPTED`; one without its
    call is left out; so is a blank assistant message.
    """
    out: list[Message] = []
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            continue
        if isinstance(message, AssistantMessage):
            if not message.is_blank:
                out.append(message)
                out += _results(message.calls, messages[index + 1 :])
            continue
        out.append(message)
    return out


def _results(calls: Sequence[ToolCall], later: Sequence[Message]) -> list[Message]:
    # Providers may number calls anew in each answer ("call_0"): only results before the next answer belong here.
    found: dict[str, ToolMessage] = {}
    for message in later:
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolMessage):
            found.setdefault(message.call_id, message)
    return [found.get(call.id) or ToolMessage(call_id=call.id, name=call.name, text=INTERRUPTED) for call in calls]
