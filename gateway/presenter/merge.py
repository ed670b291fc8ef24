"""Merges a run's events into the records a reader sees.

Same type in a row: text concatenates; objects deep-merge while `in_progress` and are replaced on `success` / `fail`.
`segment` and `call` say more exactly which record is meant; `card` isolates a lane.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from engine.events import EventStatus, EventType, RunEvent

_FINAL: tuple[EventStatus, ...] = ("success", "fail")


@dataclass(slots=True)
class Record:
    """What one or more events merged into."""

    type: EventType
    segment: str
    executor: str
    status: EventStatus | None = None
    chunks: list[str] = field(default_factory=list[str])
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    folded: bool = False
    order: int = 0
    """Place among the records of the run; never reused, so that ids made from it stay."""

    @property
    def text(self) -> str:
        """Give the concatenated text; joins once, however often it is asked."""
        if len(self.chunks) > 1:
            self.chunks[:] = ["".join(self.chunks)]
        return self.chunks[0] if self.chunks else ""


@dataclass(slots=True)
class LaneRecord:
    """One lane (a to-do of a task); `records` holds no further lanes."""

    card: str
    executor: str
    order: int
    title: str = ""
    told: EventStatus | None = None
    """What was said of the lane as a whole."""
    newest: EventStatus | None = None
    """Of the last thing that was done in it."""
    records: Records = field(default_factory=list["Record | LaneRecord"])

    @property
    def status(self) -> EventStatus | None:
        """Give how far the lane is: one step that is done does not end it, if anybody told of the whole."""
        return self.told or self.newest


Records = list[Record | LaneRecord]


class Merger:
    """Takes events in order; gives records in the order they first appeared."""

    def __init__(self) -> None:
        self._records: Records = []
        self._lanes: dict[str, LaneRecord] = {}
        self._order = 0

    def __iter__(self) -> Iterator[Record | LaneRecord]:
        return iter(self._records)

    def add(self, event: RunEvent) -> None:
        """Merge one event."""
        if event.card is None:
            self._merge(self._records, event)
            return
        lane = self._lanes.get(event.card)
        if lane is None:
            lane = LaneRecord(event.card, event.executor, self._next())
            self._lanes[event.card] = lane
            self._records.append(lane)
        if event.type == "task":
            _head_lane(lane, event)
            return
        lane.newest = event.status or lane.newest
        self._merge(lane.records, event)

    def _next(self) -> int:
        self._order += 1
        return self._order

    def _merge(self, records: Records, event: RunEvent) -> None:
        record = _target(records, event)
        if event.opr == "withdraw" or event.visibility in ("hidden", "superseded"):
            if record is not None:
                records.remove(record)
            return
        if record is None:
            record = Record(event.type, event.segment, event.executor, order=self._next())
            records.append(record)
        _apply(record, event)


def _head_lane(lane: LaneRecord, event: RunEvent) -> None:
    """Take what an event tells of the lane as a whole: its title and its state."""
    lane.told = event.status or lane.told
    told = event.content if isinstance(event.content, str) else str(event.content.get("title") or "")
    lane.title = told or lane.title


def _target(records: Records, event: RunEvent) -> Record | None:
    """Find the record an event belongs to: by call, by segment, else the last one if it is of the same type."""
    if event.opr == "add":
        return None
    if not event.segment:
        last = records[-1] if records else None
        if isinstance(last, Record) and (last.type, last.executor) == (event.type, event.executor):
            return last
        return None
    for record in reversed(records):
        if isinstance(record, Record) and (record.type, record.segment) == (event.type, event.segment):
            return record
    return None


def _apply(record: Record, event: RunEvent) -> None:
    # A finished segment is told whole; so is one that starts again.
    whole = event.opr == "replace" or (event.status in _FINAL and bool(event.segment))
    record.status = event.status or record.status
    record.folded = event.visibility == "folded"
    if isinstance(event.content, str):
        if whole:
            record.chunks = [event.content]
        elif event.content:
            record.chunks.append(event.content)
    elif event.status in _FINAL or whole:
        record.data = dict(event.content)
    else:
        record.data = _deep_merge(record.data, event.content)


def _deep_merge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        before = merged.get(key)
        if isinstance(before, dict) and isinstance(value, dict):
            merged[key] = _deep_merge(cast("dict[str, Any]", before), cast("dict[str, Any]", value))
        else:
            merged[key] = value
    return merged
