"""Server-sent events, read cheaply: bytes in, the data of whole events out."""

from __future__ import annotations

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""A longer event without an end is no answer but a fault of the other side."""


class EventTooLong(ValueError):
    """An event has no end."""


class EventReader:
    """Takes pieces of a stream and gives the data of each event that is complete."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: bytes | None = None

    def feed(self, piece: bytes) -> list[bytes]:
        """Take bytes and give finished events' data, in order.

        Raises:
            EventTooLong: an event outgrew `MAX_EVENT_BYTES`.
        """
        lines = (self._rest + piece).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_EVENT_BYTES:
            raise EventTooLong(f"an event is longer than {MAX_EVENT_BYTES} bytes")
        events: list[bytes] = []
        for line in lines:
            if line[:6] == b"data: " and self._data is None:
                self._data = line[6:]  # by far the most frequent line; a trailing CR does no harm to JSON
            else:
                self._line(line, events)
        return events

    def end(self) -> list[bytes]:
        """Give what a stream that ended without a blank line still holds."""
        events: list[bytes] = []
        if self._rest:
            self._line(self._rest, events)
            self._rest = b""
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[bytes]) -> None:
        if line.endswith(b"\r"):
            line = line[:-1]
        if not line:
            if self._data is not None:
                events.append(self._data)
                self._data = None
        elif line.startswith(b"data:"):
            value = line[6:] if line[5:6] == b" " else line[5:]
            self._data = value if self._data is None else self._data + b"\n" + value
