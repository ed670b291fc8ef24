"""Everything that comes in is one row here, and a message becomes a run in the same transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import Address, InboxKey, RunId, RunInput
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
_NEXT = """INSERT INTO nm_conv (conv, seq) VALUES (:conv, 1)
ON CONFLICT (conv) DO UPDATE SET seq = nm_conv.seq + 1 RETURNING seq"""
_BEHIND = """SELECT count(*) FROM nm_run
WHERE conv = :conv AND status IN ('queued', 'running') AND seq < (SELECT seq FROM nm_run WHERE id = :run)"""
_RUN = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task, attempt_index)
VALUES (:id, :conv, :seq, 'queued', :at, :input, :task, :attempt_index)"""


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

    `spoke` is what it did to the first of these, where it did not merely wait.
    """

    run: RunId
    duplicate: bool
    queued_behind: int
    spoke: Spoken | None = None


class Inbox:
    """Stores inbounds once. All methods work inside the caller's transaction."""

    def __init__(self, queue: TurnQueue, busy: Busy) -> None:
        self._queue = queue
        self._busy = busy

    def submit(self, session: Session, given: RunInput, key: InboxKey, at_ms: int) -> Submitted:
        """Store a message, make its run and put it in line; a redelivery gives the first one's run."""
        run = RunId(new_id())
        if not self.note(session, key, Noted(given.to, "turn", run=run), at_ms):
            first = RunId(execute(session, _WHOSE, **key.model_dump()).scalar() or "")
            return Submitted(first, True, self._behind(session, given.place_in_line, first))
        given = corrected(session, key, given)
        self.line_up(session, run, given, at_ms)
        behind = self._behind(session, given.place_in_line, run)
        return Submitted(run, False, behind, self._busy.meet(session, given, run, at_ms) if behind else None)

    def line_up(self, session: Session, run: RunId, given: RunInput, at_ms: int) -> None:
        """Make a run and put it in line; its inbound is noted by the caller."""
        seq = int(execute(session, _NEXT, conv=given.place_in_line).scalar_one())
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
    def _behind(session: Session, conv: str, run: str) -> int:
        return int(execute(session, _BEHIND, conv=conv, run=run).scalar_one())
