"""Everything that comes in is one row here, and a message becomes a run in the same transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from engine.messages import Address, InboxKey, RunId, RunInput
from engine.runs.ports import TurnQueue
from engine.storage.ids import new_id
from engine.storage.statement import change, execute

_ARRIVE = """INSERT INTO nm_inbox (channel, account, kind, key, conv, route, reason, body, at)
VALUES (:channel, :account, :kind, :key, :conv, :route, :reason, :body, :at) ON CONFLICT DO NOTHING"""
_PLACE = """UPDATE nm_inbox SET seq = :seq, run = :run
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""
_WHOSE = """SELECT run, conv FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key"""
_NEXT = """INSERT INTO nm_conv (conv, seq) VALUES (:conv, 1)
ON CONFLICT (conv) DO UPDATE SET seq = nm_conv.seq + 1 RETURNING seq"""
_BEHIND = """SELECT count(*) FROM nm_run
WHERE conv = :conv AND status IN ('queued', 'running') AND id <> :run"""
_RUN = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task, attempt_index)
VALUES (:id, :conv, :seq, 'queued', :at, :input, :task, :attempt_index)"""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of an inbound. `queued_behind` counts the runs of the conversation that come before it."""

    run: RunId
    duplicate: bool
    queued_behind: int


class Inbox:
    """Stores inbounds once. All methods work inside the caller's transaction."""

    def __init__(self, queue: TurnQueue) -> None:
        self._queue = queue

    def submit(self, session: Session, given: RunInput, key: InboxKey, at_ms: int) -> Submitted:
        """Store a message, make its run and put it in line; a redelivery gives the first one's run."""
        if not _arrive(session, key, {"conv": given.to, "route": "turn", "reason": "", "body": "{}", "at": at_ms}):
            first = execute(session, _WHOSE, **key.model_dump()).one()
            return Submitted(RunId(first.run or ""), True, self._behind(session, given.to, first.run or ""))
        run = RunId(new_id())
        seq = int(execute(session, _NEXT, conv=given.to).scalar_one())
        execute(
            session,
            _RUN,
            id=run,
            conv=given.to,
            seq=seq,
            at=at_ms,
            input=given.model_dump_json(),
            task=given.task or run,
            attempt_index=given.attempt_index,
        )
        execute(session, _PLACE, seq=seq, run=run, **key.model_dump())
        self._queue.enqueue(session, run, given.to, seq)
        return Submitted(run, False, self._behind(session, given.to, run))

    def ignore(
        self, session: Session, key: InboxKey, conversation: Address, reason: str, body: dict[str, Any], at_ms: int
    ) -> bool:
        """Store an inbound that starts nothing; gives whether it is new."""
        row = {"conv": conversation, "route": "ignored", "reason": reason, "body": json.dumps(body), "at": at_ms}
        return _arrive(session, key, row)

    @staticmethod
    def _behind(session: Session, conv: str, run: str) -> int:
        return int(execute(session, _BEHIND, conv=conv, run=run).scalar_one())


def _arrive(session: Session, key: InboxKey, row: dict[str, object]) -> bool:
    return change(session, _ARRIVE, **key.model_dump(), **row) == 1
