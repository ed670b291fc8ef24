"""The queue that owns what a turn could not prove: owed answers, and cards that change after the end."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass

from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import RunId, RunInput
from engine.ports import Delivered, Opening, Outcome, Owed, Surface, Unchanged
from engine.runs.journal import Entry, FenceBroken
from engine.runs.ledger import MOST_UNRETURNED, POISON, DeadLetters, Due, Ledger
from engine.runs.patience import persist
from engine.runs.ports import Fence
from engine.runs.replica import Replica
from engine.runs.surface_journal import SurfaceJournal
from engine.storage.blobs import BlobStore
from engine.storage.statement import execute

log = logging.getLogger(__name__)

AT_ONCE = 8
LOOK_AGAIN_S = 5.0
TRY_S = 45.0
"""A try that takes longer is taken for hung; shorter than the time a row is held."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """All that one try needs."""

    due: Due
    opening: Opening
    outcome: Outcome
    steps: dict[str, str]
    is_moot: bool = False
    """Somebody asked for the answer once more, and the first one came meanwhile."""


class Deliveries:
    """Tries rows of the ledger one after another for each run, several runs at once, with growing pauses."""

    def __init__(self, replica: Replica, surface: Surface, ledger: Ledger) -> None:
        self._replica = replica
        self._surface = surface
        self._ledger = ledger
        self._blobs = BlobStore(replica.database)
        self.dead = DeadLetters()
        """What was given up, as it was counted last."""
        self._task: asyncio.Task[None] | None = None
        self._tries: set[asyncio.Task[None]] = set()
        self._suspect: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to deliver."""
        self._replica.has_dead.set()
        self._task = asyncio.create_task(self._run(), name="deliveries")

    async def stop(self, grace_s: float) -> None:
        """Take up nothing more; tries in flight get `grace_s`, what is cut stays owed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._tries:
            await asyncio.wait(self._tries, timeout=grace_s)
        for task in tuple(self._tries):
            task.cancel()
        if self._tries:
            await asyncio.wait(self._tries)

    def hand_over(self, session: Session) -> None:
        """Leave what was cut to the next process, within the caller's transaction; after `stop`."""
        self._ledger.hand_over(session, self._replica.id, self._replica.clock.now_ms())

    async def _run(self) -> None:
        while True:
            self._replica.owed.clear()
            try:
                pause_s = await self._round()
                await self._count_dead()
            except StorageError:
                pause_s = 1.0
            except Exception:
                log.exception("deliveries_failed")
                pause_s = LOOK_AGAIN_S
            await self._rest(pause_s)

    async def _round(self) -> float:
        """Begin all that is due and give how long to rest."""
        while len(self._tries) < AT_ONCE and self._suspect not in self._tries:
            due = await self._next()
            if due is None:
                return await self._pause_s()
            self._begin(due)
        return LOOK_AGAIN_S

    async def _count_dead(self) -> None:
        """Count what was given up, where that may have changed."""
        if self._replica.has_dead.is_set():
            self._replica.has_dead.clear()
            self.dead = await self._replica.database.read(self._ledger.dead_letters)
            self._replica.watcher.dead_letters(self.dead.count)

    async def _next(self) -> Due | None:
        await self._replica.lease.guard()
        now_ms, suspects = self._replica.clock.now_ms(), not self._tries

        def take(session: Session) -> Due | None:
            return self._ledger.take(session, self._replica.id, now_ms, suspects=suspects)

        return await self._replica.database.run(take)

    def _pack(self, session: Session, due: Due) -> Parcel:
        row = execute(session, "SELECT input, surface, result FROM nm_run WHERE id = :run", run=due.run).one()
        loaded = self._replica.journal.load(session, due.run)
        given = RunInput.model_validate_json(row.input)
        opening = Opening(
            run=due.run,
            to=given.to,
            attempt=due.attempt,
            input=given,
            history=tuple(loaded.events),
            known=None if row.surface is None else json.loads(row.surface),
            seen=self._ledger.was_delivered(session, due.run),
            contents=self._blobs,
            again=due.id if due.kind == "again" else None,
        )
        is_moot = due.kind == "again" and self._ledger.came_meanwhile(session, due)
        return Parcel(due, opening, Outcome.model_validate_json(row.result), loaded.steps, is_moot)

    def _begin(self, due: Due) -> None:
        task = asyncio.create_task(self._try(due), name=f"deliver-{due.run}")
        self._tries.add(task)
        if due.is_suspect:
            self._suspect = task
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tries.discard(task)
        self._replica.owed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("delivery_broken", exc_info=error)

    async def _try(self, due: Due) -> None:
        result = await self._result(due)
        state = None if isinstance(result, Unchanged) else result.state or self._surface.state(due.run)
        now_ms = self._replica.clock.now_ms()

        def write(session: Session) -> bool:
            if state is not None:
                self._replica.journal.keep_surface(session, self._fence(due), state)
            return self._ledger.close(session, due, result, now_ms)

        try:
            kept = await persist(lambda: self._replica.database.run(write), self._replica.lease)
        except FenceBroken:
            kept = False
        extra = {"run": due.run, "kind": due.kind, "tries": due.tries, "kept": kept}
        log.info("delivery_tried", extra=extra | {"result": type(result).__name__.lower()})
        if kept and due.kind != "refresh" and isinstance(result, Owed) and due.is_dead(result, now_ms):
            self._replica.letter_died(due.run, result.reason)
        if kept and isinstance(result, Delivered):
            self._replica.has_dead.set()

    async def _result(self, due: Due) -> Delivered | Owed | Unchanged:
        if due.unreturned >= MOST_UNRETURNED:
            return Owed(reason=POISON, permanent=True)
        try:
            async with asyncio.timeout(TRY_S):
                parcel = await self._replica.database.read(lambda session: self._pack(session, due))
                if parcel.is_moot:
                    return Unchanged(reason="came_meanwhile")
                return await self._surface.deliver(parcel.opening, parcel.outcome, self._journal(parcel))
        except TimeoutError:
            return Owed(reason="deliver_timed_out")
        except Exception:
            log.exception("deliver_failed", extra={"run": due.run})
            return Owed(reason="surface_failed")

    def _journal(self, parcel: Parcel) -> SurfaceJournal:
        journal, database = self._replica.journal, self._replica.database
        fence = self._fence(parcel.due)

        async def record(entry: Entry) -> None:
            await persist(lambda: database.single(lambda s: journal.record(s, fence, entry)), self._replica.lease)

        return SurfaceJournal(parcel.steps, self._replica.lease.guard, record)

    def _fence(self, due: Due) -> Fence:
        return Fence(RunId(due.run), self._replica.id, due.attempt, ended=True)

    async def _pause_s(self) -> float:
        suspects = not self._tries
        rows = await self._replica.database.read(lambda s: self._ledger.open_rows(s, suspects=suspects))
        self._replica.watcher.deliveries(rows.pending, rows.oldest_ms)
        if rows.due_ms is None:
            return LOOK_AGAIN_S
        return min(LOOK_AGAIN_S, max(0.05, (rows.due_ms - self._replica.clock.now_ms()) / 1000))

    async def _rest(self, pause_s: float) -> None:
        tasks = [
            asyncio.ensure_future(self._replica.owed.wait()),
            asyncio.ensure_future(self._replica.clock.sleep(pause_s)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
