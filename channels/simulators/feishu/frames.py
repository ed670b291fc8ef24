"""The long connection's frames, in the protobuf wire format, written by hand.

Source: Feishu's long connection speaks `pbbp2.Frame` (proto2), read in the vendor's client in 2026-02: fields 1 SeqID,
2 LogID, 3 service, 4 method, 5 headers {1 key, 2 value}, 6 payload_encoding, 7 payload_type, 8 payload, 9 LogIDNew.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CONTROL = 0
DATA = 1

_VARINT = 0
_BYTES = 2
_MAX_SHIFT = 63


class FrameError(Exception):
    """These bytes are no frame."""


@dataclass
class Frame:
    """One frame; `method` is CONTROL or DATA."""

    seq_id: int = 0
    log_id: int = 0
    service: int = 0
    method: int = CONTROL
    headers: dict[str, str] = field(default_factory=dict[str, str])
    payload_encoding: str = ""
    payload_type: str = ""
    payload: bytes = b""
    log_id_new: str = ""


def encode(frame: Frame) -> bytes:
    """Give the frame's bytes; empty optional fields are left out."""
    out = bytearray()
    for number, value in enumerate((frame.seq_id, frame.log_id, frame.service, frame.method), start=1):
        out += _varint(number << 3 | _VARINT) + _varint(value & 0xFFFFFFFFFFFFFFFF)
    for key, value in frame.headers.items():
        out += _chunk(5, _chunk(1, key.encode()) + _chunk(2, value.encode()))
    for number, text in ((6, frame.payload_encoding), (7, frame.payload_type)):
        out += _chunk(number, text.encode()) if text else b""
    out += _chunk(8, frame.payload) if frame.payload else b""
    out += _chunk(9, frame.log_id_new.encode()) if frame.log_id_new else b""
    return bytes(out)


def decode(data: bytes) -> Frame:
    """Read a frame.

    Raises:
        FrameError: cut off, wrong wire type, or a required field is missing.
    """
    frame = Frame()
    seen: set[int] = set()
    for number, value in _fields(data):
        seen.add(number)
        try:
            _set(frame, number, value)
        except UnicodeDecodeError as error:
            raise FrameError(f"field {number} is not text") from error
    if not {1, 2, 3, 4} <= seen:
        raise FrameError("SeqID, LogID, service and method are required")
    return frame


def _set(frame: Frame, number: int, value: int | bytes) -> None:
    if isinstance(value, int):
        names = {1: "seq_id", 2: "log_id", 3: "service", 4: "method"}
        if number in names:
            setattr(frame, names[number], value)
    elif number == 5:
        pair = {key: part for key, part in _fields(value) if isinstance(part, bytes)}
        frame.headers[pair.get(1, b"").decode()] = pair.get(2, b"").decode()
    elif number == 8:
        frame.payload = value
    elif number in (6, 7, 9):
        setattr(frame, {6: "payload_encoding", 7: "payload_type", 9: "log_id_new"}[number], value.decode())


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        value, at = _read_varint(data, at)
        if kind == _VARINT:
            found.append((number, value))
        elif kind == _BYTES and at + value <= len(data):
            found.append((number, data[at : at + value]))
            at += value
        else:
            raise FrameError(f"field {number} has wire type {kind} or is cut off")
    return found


def _chunk(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift <= _MAX_SHIFT:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise FrameError("a number is cut off")
