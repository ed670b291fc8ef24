"""The frames of the long connection in our own words, on top of the platform's protobuf message.

Source: lark-oapi 1.7.5 `ws/pb/pbbp2_pb2.py`, `ws/client.py`, read 2026-11-30.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from channels.feishu.loader import load_frame_class

CONTROL = 0
DATA = 1


class WireFrame(Protocol):
    """The part of the protobuf message that we use."""

    SeqID: int
    LogID: int
    service: int
    method: int
    payload: bytes
    headers: Any

    def ParseFromString(self, data: bytes) -> int:
        """Fill from bytes."""
        ...

    def IsInitialized(self) -> bool:
        """Tell whether nothing required is missing."""
        ...

    def SerializeToString(self) -> bytes:
        """Give the bytes."""
        ...


class MalformedFrame(ValueError):
    """The bytes are no frame of the long connection."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it came; `wire` is kept because an answer is the same frame with another payload."""

    method: int
    headers: Mapping[str, str]
    payload: bytes
    wire: WireFrame = field(repr=False, compare=False)

    @property
    def type(self) -> str:
        """Give `ping`, `pong`, `event` or `card`."""
        return self.headers.get("type", "")


def parse_frame(data: bytes) -> Frame:
    """Read a frame.

    Raises:
        MalformedFrame: the bytes cannot be read.
    """
    wire = load_frame_class()()
    try:
        wire.ParseFromString(data)
        if not wire.IsInitialized():
            raise MalformedFrame(f"{len(data)} bytes lack what a frame must have")
        headers = {str(header.key): str(header.value) for header in wire.headers}
        return Frame(wire.method, headers, bytes(wire.payload), wire)
    except MalformedFrame:
        raise
    except Exception as error:  # the protobuf library raises several unrelated types
        raise MalformedFrame(f"{len(data)} bytes are no frame: {type(error).__name__}") from error


def render_ping(service_id: int) -> bytes:
    """Give the control frame that asks the platform for a `pong`."""
    wire = load_frame_class()()
    header = wire.headers.add()
    header.key = "type"
    header.value = "ping"
    wire.service = service_id
    wire.method = CONTROL
    wire.SeqID = 0
    wire.LogID = 0
    return wire.SerializeToString()


def render_answer(frame: Frame, *, code: int, data: Mapping[str, Any] | None, took_ms: int) -> bytes:
    """Give the acknowledgement of a data frame: the frame itself, one header more, and our verdict as payload."""
    wire = frame.wire
    if code == 200:
        header = wire.headers.add()
        header.key = "biz_rt"
        header.value = str(took_ms)
    body: dict[str, Any] = {"code": code}
    if data is not None:
        body["data"] = base64.b64encode(json.dumps(data, ensure_ascii=False).encode()).decode()
    # With the official client's blanks, so that the bytes are the same.
    wire.payload = json.dumps(body, ensure_ascii=False).encode()
    return wire.SerializeToString()
