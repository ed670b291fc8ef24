"""What people do with a run that has ended: judge it, have it revised or tried again. Its card follows by the ledger.

Only the newest attempt of a task can be judged or followed by another one: the buttons of older ones are dead.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId, RunInput, TextPart
from engine.pressed import Press, PressAction, Pressed, PressedCode
from engine.runs.eventlog import EventLog
from engine.runs.inbox import Inbox
from engine.runs.ledger import Ledger
from engine.runs.ports import ENDED, FINAL
from engine.storage.ids import new_id
from engine.storage.statement import execute

AFTERWARDS = frozenset({"retry", "satisfied", "revise", "abandon"})
"""What can be done only with a run that has ended."""
BEGINS_A_RUN = frozenset({"retry", "revise"})

_DONE: dict[PressAction, PressedCode] = {
    "retry": "retrying",
    "revise": "revising",
    "satisfied": "verdict",
    "abandon": "verdict",
}
_INSERT = """INSERT INTO nm_verdict (run, person, name, verdict, at)
VALUES (:run, :person, :name, :verdict, :at)"""
_FINAL = "SELECT 1 FROM nm_step WHERE run = :run AND path = :path"
_NEWER = """SELECT id FROM nm_run WHERE task = :task AND attempt_index > 1 AND attempt_index > :attempt_index
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
        if not has_ended(session, run.id, run.status):
            return Pressed(code="running")
        newer = execute(session, _NEWER, task=run.task, attempt_index=run.attempt_index).scalar()
        if newer is not None:
            return Pressed(code="newer", run=RunId(newer))
        seq = None
        if press.do in BEGINS_A_RUN:
            arrival = self._inbox.admission.arrive(session, self._asked(run, press))
            if arrival.overload is not None:
                return Pressed(code=arrival.overload.reason)
            seq = arrival.seq
        told: list[RunEvent] = []
        if press.do != "retry":
            told.append(self._judge(session, press, at_ms))
        again = None
        if seq is not None:
            again = RunId(new_id())
            self._inbox.put(session, again, self._asked(run, press), seq, at_ms)
            told.append(_followed(press, again, at_ms))
        self._events.append(session, told)
        self._ledger.owe(session, run.id, "refresh", at_ms)
        return Pressed(code=_DONE[press.do], run=again)

    def _judge(self, session: Session, press: Press, at_ms: int) -> RunEvent:
        """Keep every word; the last one of each person counts."""
        by = press.by
        execute(session, _INSERT, run=press.run, person=by.id, name=by.name, verdict=press.do, at=at_ms)
        content = {"verdict": press.do, "by": by.id, "name": by.name}
        return RunEvent(run=press.run, type="verdict", segment="verdict", content=content, at_ms=at_ms)

    @staticmethod
    def _asked(run: Judged, press: Press) -> RunInput:
        """Give what the next attempt is asked: the same question, or words of its own where it is a revision."""
        given = {"by": press.by, "task": run.task, "attempt_index": run.attempt_index + 1}
        if press.do == "revise":
            given |= {"parts": (TextPart(text=press.words),), "sent_at_ms": press.sent_at_ms}
        return run.input.model_copy(update=given)


def has_ended(session: Session, run: RunId, status: str) -> bool:
    """Tell whether the outcome of a run is recorded: its card shows the end before the run is over.

    What changes on the card since is owed, and the ledger shows one row of a run after another: the end first.
    """
    return status in ENDED or execute(session, _FINAL, run=run, path=FINAL).first() is not None


def _followed(press: Press, again: RunId, at_ms: int) -> RunEvent:
    """Tell the old card that another attempt has taken its place."""
    code = "retried" if press.do == "retry" else "revised"
    content = {"code": code, "params": {"run": again, "by": press.by.id}, "tone": "info"}
    return RunEvent(run=press.run, type="notice", visibility="hidden", segment=code, content=content, at_ms=at_ms)
