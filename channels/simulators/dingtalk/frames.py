"""The stream's frames: JSON text whose `data` is JSON in a string.

Source: open-dingtalk developerpedia, "Stream protocol", read 2026-08.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Literal

from channels.simulators.dingtalk.world import CORP
from channels.simulators.jsons import Json, as_object, dumps, parse_object

FrameType = Literal["SYSTEM", "EVENT", "CALLBACK"]
ROBOT = "/v1.0/im/bot/messages/get"
CARD = "/v1.0/card/instances/callback"
EVENTS = "*"


@dataclass
class Frame:
    """One push; `more` goes into the headers (the facts of an EVENT)."""

    type: FrameType
    topic: str
    data: Json
    more: dict[str, str] = field(default_factory=dict[str, str])
    message_id: str = field(default_factory=lambda: uuid.uuid4().hex)

    def encode(self, connection_id: str, app_id: str, now_ms: int) -> str:
        """Write the frame as the server sends it."""
        headers = {
            "appId": app_id,
            "connectionId": connection_id,
            "contentType": "application/json",
            "messageId": self.message_id,
            "time": str(now_ms),
            "topic": self.topic,
            **self.more,
        }
        return dumps({"specVersion": "1.0", "type": self.type, "headers": headers, "data": dumps(self.data)})


@dataclass
class Ack:
    """What a client answered; `data` is None when it was no JSON object."""

    message_id: str
    code: int
    data: Json | None

    @property
    def response(self) -> Json | None:
        """The answer inside `{"response": ...}`, itself an object or JSON in a string."""
        value = (self.data or {}).get("response")
        return as_object(value) or parse_object(value)


def parse_ack(text: str) -> Ack | None:
    """Read a client's frame; None when it acknowledges nothing."""
    body = parse_object(text)
    headers = as_object((body or {}).get("headers"))
    if body is None or headers is None or not headers.get("messageId"):
        return None
    code = body.get("code")
    data = body.get("data")
    found = as_object(data) or parse_object(data)
    return Ack(str(headers["messageId"]), code if isinstance(code, int) else 500, found)


def event_headers(app_id: str, event_type: str, event_id: str, born_ms: int) -> dict[str, str]:
    """Give the headers that only EVENT frames have."""
    facts = {"eventType": event_type, "eventId": event_id, "eventBornTime": str(born_ms)}
    return {**facts, "eventCorpId": CORP, "eventUnifiedAppId": app_id}
