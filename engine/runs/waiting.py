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


def in_line(session: Session) -> Mapping[RunId, int]:
    """Give what waits, with its number in line, from 1; 0: its conversation is busy itself."""
    places: dict[RunId, int] = {}
    number = 0
    for row in execute(session, _WAITING, most=MOST):
        number += not row.is_behind
        places[RunId(row.id)] = 0 if row.is_behind else number
    return places
