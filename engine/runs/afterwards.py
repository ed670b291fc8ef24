"""What people do with a run that has ended: judge it, or have it tried again. The old card follows by the ledger."""

from __future__ import annotations

from typing import Literal

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import InboxKey, Principal, RunId, RunInput
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox, Submitted
from engine.runs.ledger import Ledger
from engine.runs.ports import ENDED
from engine.storage.statement import Dialect, execute

Verdict = Literal["satisfied", "revise", "abandon"]
Recorded = Literal["recorded", "running", "unknown"]

_INSERT = """INSERT INTO nm_verdict (run, person, name, verdict, at)
VALUES (:run, :person, :name, :verdict, :at)"""
_NEWER = """SELECT id FROM nm_run WHERE task = :task AND attempt_index > :attempt_index
ORDER BY attempt_index LIMIT 1"""


class Afterwards:
    """All methods work inside the caller's transaction."""

    def __init__(self, dialect: Dialect, inbox: Inbox, events: EventLog, ledger: Ledger) -> None:
        self._dialect = dialect
        self._inbox = inbox
        self._events = events
        self._ledger = ledger

    def verdict(self, session: Session, run: RunId, by: Principal, verdict: Verdict, at_ms: int) -> Recorded:
        """Note what a person thinks of an ended run. Every word is kept, the last one of each person counts."""
        row = execute(session, "SELECT status FROM nm_run WHERE id = :run", run=run).first()
        if row is None:
            return "unknown"
        if row.status not in ENDED:
            return "running"
        execute(session, _INSERT, run=run, person=by.id, name=by.name, verdict=verdict, at=at_ms)
        content = {"verdict": verdict, "by": by.id, "name": by.name}
        self._tell(session, RunEvent(run=run, type="verdict", segment="verdict", content=content, at_ms=at_ms))
        return "recorded"

    def retry(self, session: Session, run: RunId, by: Principal, key: InboxKey, at_ms: int) -> Submitted | None:
        """Submit the next attempt of an ended run's task; `None` when there is no such run or it has not ended.

        A run that was tried again already gives that attempt: its card's buttons are dead.
        """
        sql = f"SELECT status, input, task, attempt_index FROM nm_run WHERE id = :run {self._dialect.for_update}"
        row = execute(session, sql, run=run).first()
        if row is None or row.status not in ENDED:
            return None
        newer = execute(session, _NEWER, task=row.task, attempt_index=row.attempt_index).first()
        if newer is not None:
            return Submitted(RunId(newer.id), duplicate=True, queued_behind=0)
        given = RunInput.model_validate_json(row.input)
        again = {"by": by, "task": row.task, "attempt_index": row.attempt_index + 1}
        submitted = self._inbox.submit(session, given.model_copy(update=again), key, at_ms)
        if not submitted.duplicate:
            content = {"code": "retried", "params": {"run": submitted.run, "by": by.id}, "tone": "info"}
            event = RunEvent(run=run, type="notice", segment="retried", content=content, at_ms=at_ms)
            self._tell(session, event.model_copy(update={"visibility": "hidden"}))
        return submitted

    def _tell(self, session: Session, event: RunEvent) -> None:
        self._events.append(session, [event])
        self._ledger.owe(session, event.run, "refresh", event.at_ms)
