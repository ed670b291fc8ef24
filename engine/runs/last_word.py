"""How a run ends: the answer and its ledger row in one transaction, then the proof, then the end."""

from __future__ import annotations

import logging

from sqlmodel import Session

from engine.events import RunEvent
from engine.ports import Delivered, Outcome, Owed, Surface
from engine.runs.journal import Entry, FenceBroken, pending
from engine.runs.ledger import Ledger
from engine.runs.ports import FINAL
from engine.runs.replica import Replica
from engine.runs.scope import Scope

log = logging.getLogger(__name__)


class _StopStored(Exception):
    """A stop was stored that the run has not seen; the transaction is rolled back."""


class LastWord:
    """Records outcomes and ends of runs in work."""

    def __init__(self, replica: Replica, surface: Surface, ledger: Ledger) -> None:
        self._replica = replica
        self._surface = surface
        self._ledger = ledger

    async def record(self, scope: Scope, outcome: Outcome | None) -> Outcome:
        """Record the outcome, its events and the promise to show it; an outcome recorded earlier stands."""
        known = scope.loaded.steps.get(FINAL)
        if known is not None:
            return Outcome.model_validate_json(known)
        assert outcome is not None
        if outcome.status == "done" and scope.pending("stop"):
            outcome = _stopped(outcome)
        try:
            await self._record(scope, outcome)
        except _StopStored:
            outcome = _stopped(outcome)
            await self._record(scope, outcome)
        return outcome

    async def _record(self, scope: Scope, outcome: Outcome) -> None:
        now_ms = self._replica.clock.now_ms()

        def also(session: Session) -> None:
            self._ledger.promise(session, scope.id, now_ms)
            if outcome.status == "done" and any(each.kind == "stop" for each in pending(session, scope.id)):
                raise _StopStored

        taken = scope.pending("stop")
        await scope.record(Entry(FINAL, outcome.model_dump_json(), self._events(scope, outcome), taken), also)

    async def end(self, scope: Scope, outcome: Outcome, result: Delivered | Owed) -> None:
        """End the run and settle its ledger row; wakes the deliveries queue when something is owed."""
        state = result.state or self._surface.state(scope.id)
        now_ms = self._replica.clock.now_ms()

        def write(session: Session) -> tuple[list[str], bool]:
            journal = self._replica.journal
            left = journal.end(session, scope.fence, outcome.status, outcome.model_dump_json(), state)
            self._ledger.settle(session, scope.id, result, now_ms)
            self._replica.finish(session, scope.id)
            return left, self._ledger.owes(session, scope.id)

        async def end() -> tuple[list[str], bool]:
            try:
                return await self._replica.database.run(write)
            except FenceBroken:
                if await self._replica.database.read(lambda s: self._replica.journal.has_ended(s, scope.fence)):
                    return [], True
                raise

        left, owes = await scope.fenced(end)
        extra = {"run": scope.id, "status": outcome.status, "delivered": isinstance(result, Delivered)}
        log.info("run_ended", extra=extra | {"controls_left": len(left)})
        self._replica.watcher.run_ended(outcome.status)
        if isinstance(result, Owed) and result.permanent:
            self._replica.letter_died(scope.id, result.reason)
        if owes:
            self._replica.owed.set()

    def _events(self, scope: Scope, outcome: Outcome) -> list[RunEvent]:
        elapsed_ms = max(0, self._replica.clock.now_ms() - scope.claim.started_at_ms)
        events = [
            RunEvent(
                run=scope.id,
                type="done",
                status="success" if outcome.status == "done" else "fail",
                content={"status": outcome.status, "elapsed_ms": elapsed_ms},
            )
        ]
        if outcome.error is not None:
            content = {"code": outcome.error, "params": outcome.params}
            events.insert(0, RunEvent(run=scope.id, type="error", status="fail", content=content))
        return [scope.stamped(event, FINAL) for event in events]


def _stopped(outcome: Outcome) -> Outcome:
    """Give the outcome of a run that came to its end when it was being stopped: who pressed was told that it stops."""
    return outcome.model_copy(update={"status": "stopped"})
