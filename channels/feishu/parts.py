"""Joins events that the platform sends in several frames."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from channels.clock import Clock
from channels.feishu.frames import Frame, MalformedFrame

_KEEP_S = 5.0
"""Parts are kept this long after the last one came. Source: lark-oapi 1.7.5 `ws/client.py`, read 2026-11-30."""
_MOST_EVENTS = 64
_MOST_PARTS = 256
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class _Pieces:
    total: int
    seen_s: float
    parts: dict[int, bytes] = field(default_factory=dict[int, bytes])


class PartJoiner:
    """Gives the whole payload with its last missing part; bounded in number, size and time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._events: OrderedDict[str, _Pieces] = OrderedDict()

    def add(self, frame: Frame) -> bytes | None:
        """Take a data frame in; `None` while parts are missing.

        Raises:
            MalformedFrame: its part numbers make no sense, or the whole is too large.
        """
        total, number = _numbers(frame)
        if total <= 1:
            return frame.payload
        now_s = self._clock.steady_s()
        self._drop_old(now_s)
        key = frame.headers.get("message_id", "")
        pieces = self._events.get(key)
        if pieces is None or pieces.total != total:
            self._make_room()
            pieces = self._events[key] = _Pieces(total, now_s)
        pieces.seen_s = now_s
        pieces.parts[number] = frame.payload
        if sum(map(len, pieces.parts.values())) > _MOST_BYTES:
            del self._events[key]
            raise MalformedFrame(f"event in parts is larger than {_MOST_BYTES} bytes")
        if len(pieces.parts) < total:
            return None
        del self._events[key]
        return b"".join(pieces.parts[index] for index in range(total))

    def _drop_old(self, now_s: float) -> None:
        for key in [key for key, pieces in self._events.items() if now_s - pieces.seen_s > _KEEP_S]:
            del self._events[key]

    def _make_room(self) -> None:
        """Let the oldest go for a new one; it is not acked, so the platform sends it again."""
        while len(self._events) >= _MOST_EVENTS:
            self._events.popitem(last=False)


def _numbers(frame: Frame) -> tuple[int, int]:
    """Give how many parts there are and which this one is."""
    try:
        total, number = int(frame.headers.get("sum", "1")), int(frame.headers.get("seq", "0"))
    except ValueError as error:
        raise MalformedFrame("part numbers are not numbers") from error
    if total > 1 and (not 0 <= number < total or total > _MOST_PARTS or "message_id" not in frame.headers):
        raise MalformedFrame(f"part {number} of {total}")
    return total, number
