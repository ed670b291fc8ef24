"""Runs of a conversation that are told to stop all at once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from engine.messages import Address, InboxKey, Principal, RunId, RunInput
from engine.ports import Control
from engine.runs.controls import control_of, put
from engine.runs.inbox import Inbox, Noted
from engine.storage.statement import Dialect, execute

_OPEN = "SELECT id, status, input FROM nm_run WHERE conv = :conv AND status IN ('queued', 'running') ORDER BY seq"

_IS_WAITING = "SELECT 1 FROM nm_run WHERE id = :run AND status = 'queued'"


class Clearing:
    """Stops what a person has asked for; what others asked for is stopped for an admin. In the caller's transaction."""

    def __init__(self, dialect: Dialect, inbox: Inbox) -> None:
        self._dialect = dialect
        self._inbox = inbox

    def take(
        self,
        session: Session,
        key: InboxKey,
        by: Principal,
        conversation: Address,
        *,
        at_ms: int,
        also: Sequence[RunId] = (),
    ) -> list[RunId] | None:
        """Stop what waits, also of `also`, once for each `key`: a repeat gives `None`. What works goes on."""
        if not self._inbox.note(session, key, Noted(conversation, "command", "queue"), at_ms):
            return None
        here = self.stop(session, key, by, conversation, at_ms=at_ms, waiting_only=True)
        return here + self._stop_waiting(session, control_of(key, "stop", by), sorted(set(also) - set(here)), at_ms)

    def _stop_waiting(self, session: Session, control: Control, runs: Sequence[RunId], at_ms: int) -> list[RunId]:
        waiting = [run for run in runs if execute(session, _IS_WAITING, run=run).first() is not None]
        return [run for run in waiting if put(session, self._dialect, run, control, at_ms) == "accepted"]

    def stop(
        self,
        session: Session,
        key: InboxKey,
        by: Principal,
        conversation: Address,
        *,
        at_ms: int,
        waiting_only: bool = False,
    ) -> list[RunId]:
        """Tell them to stop and give those that were told, in their order, which is the one in which steps lock."""
        control = control_of(key, "stop", by)
        rows = execute(session, _OPEN, conv=conversation).all()
        told = [row for row in rows if row.status == "queued" or not waiting_only]
        mine = [RunId(row.id) for row in told if by.may_act_for(RunInput.model_validate_json(row.input).by)]
        return [run for run in mine if put(session, self._dialect, run, control, at_ms) == "accepted"]
