"""One turn, from the claim to the freed conversation. The body lets no ordinary exception out."""

from __future__ import annotations

import asyncio
import logging
from itertools import count

from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import RunId
from engine.ports import Outcome, Owed
from engine.runs.journal import Loaded
from engine.runs.last_word import LastWord
from engine.runs.patience import persist
from engine.runs.ports import FINAL, Claim, Excused, Taken
from engine.runs.quarantine import LIMIT, SUSPECT_FROM, Slot
from engine.runs.replica import Replica
from engine.runs.scope import Scope
from engine.runs.showing import Showing
from engine.runs.work import Worker

log = logging.getLogger(__name__)

INTERRUPTED = Outcome(status="interrupted", error="interrupted")
"""How a run ends that was cut where `runs.resume` is off."""


class Turn:
    """Does turns; one object serves all of a replica's runs."""

    def __init__(
        self, replica: Replica, showing: Showing, last_word: LastWord, worker: Worker, *, resume: bool
    ) -> None:
        self._replica = replica
        self._showing = showing
        self._last_word = last_word
        self._worker = worker
        self._resume = resume

    def take(self, session: Session, run: RunId) -> Taken | None:
        """Claim a run within the transaction that takes it out of the queue; `None` leaves it to `run`."""
        replica = self._replica
        return replica.journal.take(session, run, replica.id) if replica.may_claim() else None

    async def run(self, run: RunId, taken: Taken | None = None) -> None:
        """Do one turn. Returns when the run has ended, here or before.

        Raises:
            asyncio.CancelledError: the run goes on elsewhere or later.
        """
        try:
            if self._replica.draining.is_set() or (taken is None and not self._replica.may_claim()):
                raise asyncio.CancelledError
            if taken is not None:
                claim, loaded = self._replica.journal.read(run, taken)
                self._tell(claim)
            else:
                claim, loaded = await self._claim(run)
            if claim is not None:
                await self._attempt(claim, loaded)
        except Exception as error:
            # No failure of the work: the run stays in the queue, and the poison rule bounds the repeats.
            log.exception("turn_broken", extra={"run": run})
            raise asyncio.CancelledError from error

    async def _claim(self, run: RunId) -> tuple[Claim | None, Loaded | None]:
        """Claim a run, and load what a first attempt needs on the same way to the database."""
        replica = self._replica
        database, journal, lease = replica.database, replica.journal, replica.lease
        tries = count()

        def claim_and_load(session: Session, again: bool) -> tuple[Claim | None, Loaded | None]:
            claim = journal.claim(session, run, replica.id, again=again)
            is_first = claim is not None and claim.attempt == 1
            return claim, journal.load_first(session, run) if is_first else None

        async def take() -> tuple[Claim | None, Loaded | None]:
            again = next(tries) > 0
            return await database.single(lambda s: claim_and_load(s, again))

        claim, loaded = await persist(take, lease)
        if claim is not None:
            self._tell(claim)
        elif await persist(lambda: database.read(lambda s: journal.refused(s, run)), lease) == "lost":
            raise asyncio.CancelledError
        return claim, loaded

    @staticmethod
    def _tell(claim: Claim) -> None:
        log.info("run_claimed", extra={"run": claim.run, "attempt": claim.attempt, "stuck": claim.stuck})

    async def _load(self, claim: Claim) -> Loaded:
        replica = self._replica
        # What cannot even be read has to end too.
        read = replica.journal.load_final if claim.stuck >= LIMIT else replica.journal.load
        return await persist(lambda: replica.database.read(lambda s: read(s, claim.run)), replica.lease)

    async def _attempt(self, claim: Claim, loaded: Loaded | None) -> None:
        replica = self._replica
        scope = Scope(replica, claim, loaded or await self._load(claim), self._showing.show)
        scope.take_root()
        replica.active[claim.run] = scope
        scope.wake()
        try:
            await self._judged(scope)
        except asyncio.CancelledError:
            if not await self._let_go(scope):
                raise
        except Exception as error:
            # The next attempt opens the card anew, and only one may write to it.
            self._showing.abandon(scope)
            if isinstance(error, StorageError):
                # An outage is no fault of the run; this waits until it is over.
                await scope.excuse.write(Excused.YES)
            raise
        finally:
            if replica.active.get(claim.run) is scope:
                del replica.active[claim.run]
            scope.release()
            replica.note_end(claim.run)

    async def _judged(self, scope: Scope) -> None:
        """Run as usual, as a suspect, or not at all, by how often the run was claimed for nothing."""
        if scope.claim.stuck >= LIMIT:
            log.error("run_poisoned", extra={"run": scope.id, "attempt": scope.attempt})
            outcome = Outcome(status="failed", error="poison", params={"attempts": scope.attempt})
            # The card itself may be what kills: the queue shows it, and counts its tries before it tries.
            await self._last_word.end(scope, await self._last_word.record(scope, outcome), Owed(reason="poison"))
            return
        if scope.claim.stuck >= SUSPECT_FROM:
            await scope.excuse.write(Excused.HELD)
            scope.slot = await self._slot(scope)
            await scope.excuse.write(Excused.NO)
        interrupted = None if self._resume or scope.attempt == 1 else INTERRUPTED
        await self._live(scope, interrupted)

    async def _slot(self, scope: Scope) -> Slot | None:
        """Wait for the place of the one suspect; who is stopped meanwhile needs none, since nothing is worked on."""
        entering = asyncio.ensure_future(self._replica.quarantine.enter(scope.claim.stuck))
        waits = [entering, asyncio.ensure_future(scope.stopped())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return entering.result() if entering.done() else None
        except asyncio.CancelledError:
            entering.add_done_callback(_left)
            raise
        finally:
            for wait in waits:
                wait.cancel()

    async def _live(self, scope: Scope, outcome: Outcome | None) -> None:
        opened = self._showing.open(scope)
        try:
            if outcome is None and FINAL not in scope.loaded.steps:
                outcome = await self._worker.run(scope)
            scope.closed = True
            outcome = await self._last_word.record(scope, outcome)
            result = await self._showing.close(scope, opened, outcome)
            await self._last_word.end(scope, outcome, result)
        finally:
            await self._showing.finished(opened)

    async def _let_go(self, scope: Scope) -> bool:
        """Let go of a run that is cut here; gives whether it has ended thereby."""
        scope.closed = True
        has_final = FINAL in scope.loaded.steps
        if scope.lost or not self._replica.draining.is_set():
            self._showing.abandon(scope)
            return False
        shown = await self._showing.suspend(scope, resumes=self._resume) if not has_final else None
        if self._resume:
            return False
        outcome = None if has_final else INTERRUPTED
        result = shown or Owed(reason="interrupted")
        await self._last_word.end(scope, await self._last_word.record(scope, outcome), result)
        return True


def _left(entering: asyncio.Future[Slot]) -> None:
    """Leave the slot that was given at the very moment when its run was cut: nobody else would."""
    if not entering.cancelled() and entering.exception() is None:
        entering.result().leave()
