"""The ledger of final answers: a row exists before the last word is written, and ends with the platform's receipt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import RunId
from engine.ports import Delivered, Owed
from engine.storage.statement import Dialect, change, execute

Kind = Literal["final", "refresh"]
MAX_TRIES = 40
"""Tries of the queue before a row is a dead letter; with the back-off below about two and a half hours."""
LONGEST_WAIT_MS = 300_000
HELD_MS = 60_000
"""How long a row that somebody tries is left alone by others."""

_NEXT = """status = 'owed' AND NOT EXISTS (
  SELECT 1 FROM nm_delivery AS e WHERE e.run = d.run AND e.status IN ('owed', 'trying') AND e.id < d.id)"""
"""One row of a run after another, oldest first."""


@dataclass(frozen=True, slots=True)
class Due:
    """A row taken for one try. `attempt` is new and outranks everything written for the run before."""

    id: int
    run: RunId
    kind: Kind
    tries: int
    attempt: int


class Ledger:
    """The rows of `nm_delivery`. All methods work inside the caller's transaction."""

    def __init__(self, dialect: Dialect) -> None:
        self._take = f"""SELECT id, run, kind FROM nm_delivery AS d WHERE {_NEXT} AND due_at <= :now
ORDER BY due_at, id LIMIT 1 {dialect.skip_locked}"""

    def promise(self, session: Session, run: RunId, at_ms: int) -> None:
        """Note that the turn of `run` tries to show its final answer."""
        self._insert(session, run, "final", "trying", at_ms)

    def owe(self, session: Session, run: RunId, kind: Kind, at_ms: int) -> None:
        """Hand something to the queue."""
        self._insert(session, run, kind, "owed", at_ms)

    def settle(self, session: Session, run: RunId, result: Delivered | Owed, at_ms: int) -> None:
        """Note how the turn's own try went."""
        sql = """UPDATE nm_delivery SET status = :status, reason = :reason, receipt = :receipt, due_at = :due_at,
done_at = :done_at WHERE run = :run AND kind = 'final' AND status = 'trying'"""
        execute(session, sql, run=run, **_outcome(result, 0, at_ms))

    def take(self, session: Session, owner: str, at_ms: int) -> Due | None:
        """Take the next row that is due, with a new attempt number for its run."""
        row = execute(session, self._take, now=at_ms).first()
        if row is None:
            return None
        hold = "UPDATE nm_delivery SET tries = tries + 1, due_at = :due_at WHERE id = :id RETURNING tries"
        tries = execute(session, hold, id=row.id, due_at=at_ms + HELD_MS).scalar_one()
        fence = "UPDATE nm_run SET attempt = attempt + 1, owner = :owner WHERE id = :run RETURNING attempt"
        attempt = execute(session, fence, run=row.run, owner=owner).scalar_one()
        return Due(row.id, RunId(row.run), row.kind, int(tries), int(attempt))

    def close(self, session: Session, due: Due, result: Delivered | Owed, at_ms: int) -> bool:
        """Note how a try went; false when another owner took the row meanwhile."""
        sql = """UPDATE nm_delivery SET status = :status, reason = :reason, receipt = :receipt, due_at = :due_at,
done_at = :done_at WHERE id = :id AND tries = :tries AND status = 'owed'"""
        return change(session, sql, id=due.id, tries=due.tries, **_outcome(result, due.tries, at_ms)) == 1

    def was_delivered(self, session: Session, run: RunId) -> bool:
        """Tell whether the final answer of `run` was proven to be visible."""
        sql = "SELECT 1 FROM nm_delivery WHERE run = :run AND kind = 'final' AND status = 'delivered' LIMIT 1"
        return execute(session, sql, run=run).first() is not None

    def next_due_ms(self, session: Session) -> int | None:
        """Give when the next row is due, in UTC milliseconds."""
        return execute(session, f"SELECT min(due_at) FROM nm_delivery AS d WHERE {_NEXT}").scalar()

    def release(self, session: Session, at_ms: int) -> None:
        """Make rows due that a process held when it died; only where no other process can hold any."""
        execute(session, "UPDATE nm_delivery SET due_at = :at WHERE status = 'owed' AND due_at > :at", at=at_ms)

    @staticmethod
    def _insert(session: Session, run: RunId, kind: Kind, status: str, at_ms: int) -> None:
        sql = """INSERT INTO nm_delivery (run, kind, status, due_at, created_at)
VALUES (:run, :kind, :status, :at, :at)"""
        execute(session, sql, run=run, kind=kind, status=status, at=at_ms)


def wait_ms(tries: int) -> int:
    """Give the pause after so many tries: 1 s doubling to five minutes."""
    return min(1000 * 2 ** min(tries, 20), LONGEST_WAIT_MS)


def _outcome(result: Delivered | Owed, tries: int, at_ms: int) -> dict[str, object]:
    if isinstance(result, Delivered):
        receipt = json.dumps(result.receipt)
        return {"status": "delivered", "reason": "", "receipt": receipt, "due_at": at_ms, "done_at": at_ms}
    dead = result.permanent or tries >= MAX_TRIES
    return {
        "status": "dead" if dead else "owed",
        "reason": result.reason,
        "receipt": None,
        "due_at": at_ms + wait_ms(tries),
        "done_at": at_ms if dead else None,
    }
