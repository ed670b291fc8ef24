"""Runs as an operator finds them: listed by what they are and what became of their answers. Only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlmodel import Session

from engine.messages import RunId
from engine.ports import Json, RunStatus
from engine.runs.ledger import TRYING, Kind
from engine.runs.view import COLUMNS, RunView, view_of
from engine.storage.statement import execute

DeliveryState = Literal["pending", "attempting", "delivered", "failed", "unchanged"]
"""`pending`: owed, tried when it is due; `attempting`: tried now; `failed`: given up, a dead letter; `unchanged`: a
change after the end that cannot be shown, of an answer that is visible."""

_STATES: dict[str, DeliveryState] = {
    "owed": "pending",
    "trying": "attempting",
    "delivered": "delivered",
    "dead": "failed",
    "unchanged": "unchanged",
}
_WHERE: dict[str, str] = {
    "state": "status = :state",
    "since_ms": "created_at >= :since_ms",
    "conversation": "(conv = :conversation OR substr(conv, 1, :length) IN (:threads, :lines))",
    "dead": "id IN (SELECT run FROM nm_delivery WHERE status = 'dead')",
    "open": "(status IN ('queued', 'running') OR id IN (SELECT run FROM nm_delivery WHERE status = 'owed'))",
}
_DELIVERIES = """SELECT id, run, kind, status, tries, due_at, reason, receipt, created_at, done_at FROM nm_delivery"""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs: all that is set must hold. `conversation` is an address, with what lies below it (threads)."""

    state: RunStatus | None = None
    conversation: str = ""
    since_ms: int | None = None
    dead: bool = False
    """Something of it was given up."""
    open: bool = False
    """It has not ended, or something of it is owed."""
    most: int = 50

    @property
    def where(self) -> str:
        """Give the condition; lanes are no runs of their own here."""
        wanted = (clause for name, clause in _WHERE.items() if getattr(self, name) not in (None, "", False))
        return " AND ".join(["parent IS NULL", *wanted])

    @property
    def values(self) -> Mapping[str, object]:
        """Give what fills the condition in."""
        given: dict[str, object] = {"most": self.most}
        if self.state is not None:
            given["state"] = self.state
        if self.since_ms is not None:
            given["since_ms"] = self.since_ms
        if self.conversation:
            below = {"threads": f"{self.conversation}:", "lines": f"{self.conversation}#"}
            given |= {"conversation": self.conversation, "length": len(self.conversation) + 1, **below}
        return given


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """A row of the ledger. `reason`: why the last try did not show it; `receipt`: the platform's proof. UTC ms."""

    id: int
    kind: Kind
    state: DeliveryState
    tries: int
    reason: str
    receipt: Json | None
    created_at_ms: int
    due_at_ms: int
    done_at_ms: int | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with what became of its answer."""

    run: RunView
    deliveries: Sequence[DeliveryView] = field(default_factory=tuple[DeliveryView, ...])


def recorded(session: Session, which: RunFilter, now_ms: int) -> list[Recorded]:
    """Give the newest runs of a kind, the newest first."""
    chosen = f"{COLUMNS} WHERE {which.where} ORDER BY id DESC LIMIT :most"
    runs = [view_of(row) for row in execute(session, chosen, **which.values)]
    ids = f"SELECT id FROM (SELECT id FROM nm_run WHERE {which.where} ORDER BY id DESC LIMIT :most) AS chosen"
    found: dict[str, list[DeliveryView]] = {}
    for row in execute(session, f"{_DELIVERIES} WHERE run IN ({ids}) ORDER BY id", **which.values):
        found.setdefault(row.run, []).append(_delivery(row, now_ms))
    return [Recorded(run, tuple(found.get(run.id, ()))) for run in runs]


def deliveries_of(session: Session, run: RunId, now_ms: int) -> list[DeliveryView]:
    """Give what became of the answer of a run, and of later changes to it, oldest first."""
    rows = execute(session, f"{_DELIVERIES} WHERE run = :run ORDER BY id", run=run)
    return [_delivery(row, now_ms) for row in rows]


def _delivery(row: Any, now_ms: int) -> DeliveryView:
    is_marked = row.status == "owed" and row.reason.startswith(TRYING)
    return DeliveryView(
        id=int(row.id),
        kind=row.kind,
        state="attempting" if is_marked and row.due_at > now_ms else _STATES[row.status],
        tries=int(row.tries),
        reason="" if is_marked else row.reason,
        receipt=None if row.receipt is None else json.loads(row.receipt),
        created_at_ms=int(row.created_at),
        due_at_ms=int(row.due_at),
        done_at_ms=row.done_at,
    )
