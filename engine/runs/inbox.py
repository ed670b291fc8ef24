"""Everything that comes in is one row here, and a message becomes a run in the same transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import Address, InboxKey, RunId, RunInput
from engine.runs.admission import Admission, Overload, person_of
from engine.runs.answers import Answers
from engine.runs.busy import Busy, Spoken
from engine.runs.ports import TurnQueue
from engine.runs.rewording import corrected
from engine.storage.ids import new_id
from engine.storage.statement import change, execute

_ARRIVE = """INSERT INTO nm_inbox (channel, account, kind, key, conv, route, reason, run, body, at)
VALUES (:channel, :account, :kind, :key, :conv, :route, :reason, :run, :body, :at) ON CONFLICT DO NOTHING"""
_WHOSE = """SELECT run FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""
_BODY = """SELECT body FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""
_BEHIND = """SELECT count(*) FROM nm_run
WHERE conv = :conv AND status IN ('queued', 'running') AND seq < (SELECT seq FROM nm_run WHERE id = :run)"""
_RUN = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task, attempt_index, person)
VALUES (:id, :conv, :seq, 'queued', :at, :input, :task, :attempt_index, :person)"""
_REFUSE = """UPDATE nm_inbox SET route = 'ignored', reason = :reason, run = NULL
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""


Route = Literal["turn", "control", "verdict", "command", "held", "ignored"]


@dataclass(frozen=True, slots=True)
class Noted:
    """An inbox row. `run` is what a turn began, or what a press was about; `body` is JSON text."""

    conversation: Address
    route: Route
    reason: str = ""
    run: RunId | None = None
    body: str = "{}"


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of an inbound. `queued_behind` counts the runs of the conversation that come before it.

    `spoke` is what it did to the first of these, where it did not merely wait. With an `overload` there is no run, and
    there will be none: the message is stored as ignored, with that reason.
    """

    run: RunId
    duplicate: bool
    queued_behind: int
    spoke: Spoken | None = None
    overload: Overload | None = None


class Inbox:
    """Stores inbounds once. All methods work inside the caller's transaction."""

    def __init__(self, queue: TurnQueue, busy: Busy, admission: Admission, answers: Answers) -> None:
        self._queue = queue
        self._answers = answers
        self.admission = admission
        self._busy = busy

    def submit(self, session: Session, given: RunInput, key: InboxKey, at_ms: int) -> Submitted:
        """Store a message, make its run and put it in line; a redelivery gives the first one's run.

        What is beyond a limit is stored as ignored and makes none; what answers a waiting run is said to that run.
        """
        run = RunId(new_id())
        if not self.note(session, key, Noted(given.to, "turn", run=run), at_ms):
            first = RunId(execute(session, _WHOSE, **key.model_dump()).scalar() or "")
            return Submitted(first, True, self.behind(session, given.place_in_line, first))
        given = corrected(session, key, given)
        arrival = self.admission.arrive(session, given)
        behind = arrival.behind
        if behind and (waiting := self._answers.by_message(session, given, key, at_ms)) is not None:
            # Whatever is open: who is asked may answer.
            return Submitted(waiting, False, 0, Spoken(waiting, "answer"))
        if arrival.overload is not None:
            self.refuse(session, key, arrival.overload)
            return Submitted(RunId(""), False, behind, overload=arrival.overload)
        self.put(session, run, given, arrival.seq, at_ms)
        return Submitted(run, False, behind, self._busy.meet(session, given, run, at_ms) if behind else None)

    def refuse(self, session: Session, key: InboxKey, overload: Overload) -> None:
        """Note that a message that was stored becomes nothing, and why."""
        change(session, _REFUSE, reason=overload.reason, **key.model_dump())

    def line_up(self, session: Session, run: RunId, given: RunInput, at_ms: int) -> None:
        """Make a run and put it in line, whatever is open; its inbound is noted by the caller."""
        self.put(session, run, given, self.admission.number(session, given), at_ms)

    def put(self, session: Session, run: RunId, given: RunInput, seq: int, at_ms: int) -> None:
        """Make a run that was let in with this number."""
        execute(
            session,
            _RUN,
            id=run,
            conv=given.place_in_line,
            seq=seq,
            at=at_ms,
            input=given.model_dump_json(),
            task=given.task or run,
            attempt_index=given.attempt_index,
            person=None if given.line else person_of(given),
        )
        self._queue.enqueue(session, run, given.place_in_line, seq)

    def note(self, session: Session, key: InboxKey, noted: Noted, at_ms: int) -> bool:
        """Store an inbound and what became of it; gives whether it is new."""
        row = {"conv": noted.conversation, "route": noted.route, "reason": noted.reason}
        values = {**row, "run": noted.run, "body": noted.body, "at": at_ms}
        return change(session, _ARRIVE, **key.model_dump(), **values) == 1

    def body(self, session: Session, key: InboxKey) -> str | None:
        """Give what was stored with an inbound, `None` when it is new."""
        return execute(session, _BODY, **key.model_dump()).scalar()

    @staticmethod
    def run_of(session: Session, key: InboxKey) -> RunId | None:
        """Give the run that an inbound started or spoke to; `None` when it did neither."""
        run = execute(session, _WHOSE, **key.model_dump()).scalar()
        return None if run is None else RunId(run)

    @staticmethod
    def begun_by(session: Session, key: InboxKey) -> RunId | None:
        """Give the run that an inbound started; `None` when it started none, or merely said something to one."""
        run = execute(session, f"{_WHOSE} AND route NOT IN ('control', 'verdict')", **key.model_dump()).scalar()
        return None if run is None else RunId(run)

    @staticmethod
    def behind(session: Session, conv: str, run: str) -> int:
        """Count the runs of a line that are open and come before a run."""
        return int(execute(session, _BEHIND, conv=conv, run=run).scalar_one())
