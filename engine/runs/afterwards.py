"""What people do with a run that has ended: judge it, have it revised or tried again. Its card follows by the ledger.

Only the newest attempt of a task can be judged or followed by another one: the buttons of older ones are dead.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId, RunInput, TextPart
from engine.ports import Press, Pressed
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox
from engine.runs.ledger import Ledger
from engine.runs.ports import ENDED
from engine.storage.ids import new_id
from engine.storage.statement import execute

AFTERWARDS = frozenset({"retry", "satisfied", "revise", "abandon"})
"""What can be done only with a run that has ended."""

_INSERT = """INSERT INTO nm_verdict (run, person, name, verdict, at)
VALUES (:run, :person, :name, :verdict, :at)"""
_NEWER = """SELECT id FROM nm_run WHERE task = :task AND attempt_index > :attempt_index
ORDER BY attempt_index DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class Judged:
    """The run that was pressed, as its locked row says."""

    id: RunId
    status: str
    input: RunInput
    task: str
    attempt_index: int


class Afterwards:
    """All methods work inside the caller's transaction, which holds the run's row."""

    def __init__(self, inbox: Inbox, events: EventLog, ledger: Ledger) -> None:
        self._inbox = inbox
        self._events = events
        self._ledger = ledger

    def carry_out(self, session: Session, run: Judged, press: Press, at_ms: int) -> Pressed:
        """Note what a person thinks of an ended run, and begin the next attempt where they ask for one."""
        if run.status not in ENDED:
            return Pressed(code="running")
        newer = execute(session, _NEWER, task=run.task, attempt_index=run.attempt_index).scalar()
        if newer is not None:
            return Pressed(code="newer", run=RunId(newer))
        if press.do == "retry":
            return Pressed(code="retrying", run=self._again(session, run, press, at_ms))
        self._judge(session, press, at_ms)
        if press.do == "revise":
            return Pressed(code="revising", run=self._again(session, run, press, at_ms))
        return Pressed(code="verdict")

    def _judge(self, session: Session, press: Press, at_ms: int) -> None:
        """Keep every word; the last one of each person counts."""
        by = press.by
        execute(session, _INSERT, run=press.run, person=by.id, name=by.name, verdict=press.do, at=at_ms)
        content = {"verdict": press.do, "by": by.id, "name": by.name}
        self._tell(session, RunEvent(run=press.run, type="verdict", segment="verdict", content=content, at_ms=at_ms))

    def _again(self, session: Session, run: Judged, press: Press, at_ms: int) -> RunId:
        """Put the next attempt in line: the same question, or words of its own where it is a revision."""
        given = {"by": press.by, "task": run.task, "attempt_index": run.attempt_index + 1}
        code = "retried"
        if press.do == "revise":
            code = "revised"
            given |= {"parts": (TextPart(text=press.words),), "sent_at_ms": press.sent_at_ms}
        again = RunId(new_id())
        self._inbox.line_up(session, again, run.input.model_copy(update=given), at_ms)
        content = {"code": code, "params": {"run": again, "by": press.by.id}, "tone": "info"}
        event = RunEvent(run=run.id, type="notice", segment=code, content=content, at_ms=at_ms)
        self._tell(session, event.model_copy(update={"visibility": "hidden"}))
        return again

    def _tell(self, session: Session, event: RunEvent) -> None:
        self._events.append(session, [event])
        self._ledger.owe(session, event.run, "refresh", event.at_ms)
