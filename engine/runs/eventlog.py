"""The stored events of a run. They are written in the transaction of the step they belong to."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from typing import Any, get_args

from sqlmodel import Session

from engine.events import MAX_BODY_BYTES, EventType, RunEvent
from engine.messages import RunId
from engine.storage.blobs import BlobStore
from engine.storage.statement import execute

log = logging.getLogger(__name__)

KNOWN: frozenset[str] = frozenset(get_args(EventType))
_INSERT = """INSERT INTO nm_event (run, segment, n, type, visibility, body, blob, at)
VALUES (:run, :segment, :n, :type, :visibility, :body, :blob, :at)"""
_NEXT = "SELECT coalesce(max(n) + 1, 0) FROM nm_event WHERE run = :run AND segment = :segment"
_LOAD = "SELECT type, body, blob FROM nm_event WHERE run = :run ORDER BY id"
_LOAD_TYPE = "SELECT type, body, blob FROM nm_event WHERE run = :run AND type = :type ORDER BY id"


class EventLog:
    """Stores events and gives them back in order. A body over 64 KiB lies in the blob store."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    def append(self, session: Session, events: Sequence[RunEvent]) -> list[RunEvent]:
        """Store events and give them with their place in the segment filled in."""
        places: dict[str, int] = {}
        stored: list[RunEvent] = []
        for event in events:
            n = places.get(event.segment)
            if n is None:
                n = int(execute(session, _NEXT, run=event.run, segment=event.segment).scalar_one())
            places[event.segment] = n + 1
            stored.append(event.model_copy(update={"n": n}))
            self._insert(session, stored[-1])
        return stored

    def load(self, session: Session, run: RunId) -> list[RunEvent]:
        """Give all events of a run in the order in which they were stored."""
        return self._read(session, execute(session, _LOAD, run=run).all())

    def of_type(self, session: Session, run: RunId, type: EventType) -> list[RunEvent]:
        """Give a run's events of one type in order."""
        return self._read(session, execute(session, _LOAD_TYPE, run=run, type=type).all())

    def _read(self, session: Session, rows: Sequence[Any]) -> list[RunEvent]:
        """Read what this version knows; a kind of event that a newer one told stays for that one to show."""
        if strange := {row.type for row in rows} - KNOWN:
            log.warning("events_of_a_newer_version", extra={"types": sorted(strange)})
        known = (row for row in rows if row.type in KNOWN)
        bodies = (row.body if row.blob is None else self._blobs.read_in(session, row.blob) for row in known)
        return [RunEvent.model_validate_json(body) for body in bodies]

    def _insert(self, session: Session, event: RunEvent) -> None:
        body, blob = _body(event), None
        if len(body.encode()) > MAX_BODY_BYTES:
            body, blob = "", self._blobs.write_in(session, body.encode())
        execute(
            session,
            _INSERT,
            run=event.run,
            segment=event.segment,
            n=event.n,
            type=event.type,
            visibility=event.visibility,
            body=body,
            blob=blob,
            at=event.at_ms,
        )


def _body(event: RunEvent) -> str:
    """Give JSON without what every reader fills in by itself; the version always stands there."""
    return json.dumps({"v": event.v, **event.model_dump(mode="json", exclude_defaults=True)}, ensure_ascii=False)
