"""Frames of the long connection: JSON text both ways.

Source: developerpedia "stream/protocol", read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from channels.readable import Json, dump, object_in, read_object, text_in

MESSAGES = "/v1.0/im/bot/messages/get"
PRESSES = "/v1.0/card/instances/callback"


class MalformedFrame(ValueError):
    """What came is no frame."""


@dataclass(frozen=True, slots=True)
class Frame:
    """`kind` is SYSTEM, EVENT or CALLBACK; `data` is JSON text."""

    kind: str
    topic: str
    message_id: str
    """New with every push, also of the same message."""
    data: str


def parse_frame(text: str) -> Frame:
    """Read a frame.

    Raises:
        MalformedFrame: it is none.
    """
    try:
        value = read_object(text)
    except ValueError as error:
        raise MalformedFrame(str(error)) from error
    headers = object_in(value, "headers")
    data = value.get("data")
    return Frame(
        kind=text_in(value, "type"),
        topic=text_in(headers, "topic"),
        message_id=text_in(headers, "messageId"),
        data=data if isinstance(data, str) else dump(data if data is not None else {}),
    )


def render_ack(frame: Frame, data: str | Mapping[str, object], *, code: int = 200) -> str:
    """Give the acknowledgement of a frame; `data` is JSON text or what becomes it."""
    message = {200: "OK", 404: "unknown topic"}.get(code, "not stored")
    answer: Json = {
        "code": code,
        "message": message,
        "headers": {"contentType": "application/json", "messageId": frame.message_id},
        "data": data if isinstance(data, str) else dump(data),
    }
    return dump(answer)


def subscriptions() -> list[Json]:
    """Give what we want to be told. A topic that is not named here is never delivered, presses included."""
    return [{"type": "CALLBACK", "topic": topic} for topic in (MESSAGES, PRESSES)]
