"""A run before people: puts the surface up beside the work, and takes it down with a proof."""

from __future__ import annotations

import asyncio
import logging

from sqlmodel import Session

from engine.events import RunEvent
from engine.failpoints import failpoint
from engine.ports import Contents, Delivered, Opening, Outcome, Owed, Surface
from engine.runs.replica import Replica
from engine.runs.scope import Scope
from engine.runs.surface_journal import SurfaceJournal
from engine.storage.blobs import BlobStore

log = logging.getLogger(__name__)

SUSPEND_S = 5.0
SLACK_S = 5.0
"""How much longer than promised a surface may take before it is taken for hung."""


class Showing:
    """Calls the surface for runs in work. An exception of the surface is logged and never ends a run.

    `final_try_s` is how long a turn tries to show its answer before the deliveries queue takes over.
    """

    def __init__(self, replica: Replica, surface: Surface, final_try_s: float) -> None:
        self._replica = replica
        self._surface = surface
        self._final_try_s = final_try_s
        self._blobs = BlobStore(replica.database)

    def show(self, event: RunEvent) -> None:
        """Show an event; never raises."""
        try:
            self._surface.show(event)
        except Exception:
            log.exception("surface_show_failed", extra={"run": event.run, "type": event.type})

    def open(self, scope: Scope) -> asyncio.Task[None]:
        """Begin to put the run's card up; the work does not wait for it."""
        scope.shown = True
        return asyncio.create_task(self._open(scope), name=f"open-{scope.id}")

    async def close(self, scope: Scope, opened: asyncio.Task[None], outcome: Outcome) -> Delivered | Owed:
        """Write the last word and prove it, within the time a turn has for it."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._final_try_s
        await asyncio.wait([opened], timeout=self._final_try_s)
        if not opened.done():
            await self.finished(opened)
            # What it half opened is the queue's from now on, and finds it by its steps.
            state = self._surface.state(scope.id)
            self._surface.abandon(scope.id)
            return Owed(reason="open_timed_out", state=state)
        left_s = max(1.0, end - loop.time())
        try:
            async with asyncio.timeout(left_s + SLACK_S):
                result = await self._surface.close(scope.id, outcome, within_s=left_s)
        except TimeoutError:
            result = Owed(reason="close_timed_out")
        except Exception:
            log.exception("surface_close_failed", extra={"run": scope.id})
            result = Owed(reason="surface_failed")
        if isinstance(result, Delivered):
            failpoint("after_final")
        return result

    async def suspend(self, scope: Scope, *, resumes: bool) -> Delivered | None:
        """Leave the card quiet; gives the proof that a person can see it, if there is one."""
        failpoint("during_drain")
        if not scope.shown:
            return None
        try:
            await self.keep_state(scope)
            async with asyncio.timeout(SUSPEND_S):
                result = await self._surface.suspend(scope.id, resumes=resumes)
        except TimeoutError:
            log.warning("surface_suspend_timed_out", extra={"run": scope.id})
            return None
        except Exception:
            log.exception("surface_suspend_failed", extra={"run": scope.id})
            return None
        return result if isinstance(result, Delivered) else None

    def abandon(self, scope: Scope) -> None:
        """Let go of the card without a write."""
        if scope.shown:
            self._surface.abandon(scope.id)

    async def finished(self, opened: asyncio.Task[None]) -> None:
        """Make sure that opening has ended."""
        if not opened.done():
            opened.cancel()
            await asyncio.wait([opened], timeout=SLACK_S)

    async def keep_state(self, scope: Scope) -> None:
        """Store what finds the card again."""
        state = self._surface.state(scope.id)
        if state is None:
            return
        database, journal = self._replica.database, self._replica.journal

        def write(session: Session) -> None:
            journal.keep_surface(session, scope.fence, state)

        await scope.fenced(lambda: database.single(write))

    async def _open(self, scope: Scope) -> None:
        journal = SurfaceJournal(scope.loaded.steps, scope.write_guard, scope.record)
        try:
            await self._surface.open(opening(scope, self._blobs), journal)
        except Exception:
            log.exception("surface_open_failed", extra={"run": scope.id})
        try:
            await self.keep_state(scope)
        except Exception:
            # The end of the run stores it once more.
            log.exception("surface_state_unkept", extra={"run": scope.id})


def opening(scope: Scope, contents: Contents) -> Opening:
    """Give what a surface needs to put this attempt up."""
    claim = scope.claim
    return Opening(
        run=claim.run,
        to=claim.input.to,
        attempt=claim.attempt,
        input=claim.input,
        history=tuple(scope.loaded.events),
        known=claim.surface,
        contents=contents,
    )
