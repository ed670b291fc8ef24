"""What waits although nothing of its conversation is before it: everything is busy. In the order of the claims."""

from __future__ import annotations

from collections.abc import Mapping

from sqlmodel import Session

from engine.messages import RunId
from engine.storage.statement import execute

MOST = 5_000
"""So many are counted; who is behind them is told nothing."""
_WAITING = """SELECT r.id, EXISTS (SELECT 1 FROM nm_run AS e
  WHERE e.conv = r.conv AND e.status IN ('queued', 'running') AND e.seq < r.seq) AS is_behind
FROM nm_run AS r WHERE r.status IN ('queued', 'running') AND r.status = 'queued'
ORDER BY r.created_at, r.id LIMIT :most"""
"""By the index of what is open, which knows only both states together."""


_ROOM = """SELECT :each * (SELECT count(*) FROM nm_replica)
- (SELECT count(*) FROM nm_run WHERE status IN ('queued', 'running') AND status = 'running' AND excused = 0)"""
"""How many more runs all replicas together would take in hand. Who rests, for a person or its turn, takes no room."""


def in_line(session: Session, *, concurrency: int) -> Mapping[RunId, int]:
    """Give what waits, with its number in line, from 1; 0: for its own conversation, or for nothing but a moment.

    `concurrency` is what each replica works on at once. While they have room, a replica that died or starts is all
    that is waited for, and "I am busy" would be a lie.
    """
    has_room = int(execute(session, _ROOM, each=concurrency).scalar_one()) > 0
    places: dict[RunId, int] = {}
    number = 0
    for row in execute(session, _WAITING, most=MOST):
        number += not row.is_behind
        places[RunId(row.id)] = 0 if row.is_behind or has_room else number
    return places
