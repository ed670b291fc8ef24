"""The kick: what waits is claimed at once, instead of at the library's next poll.

This file holds the private names of the library that make it fast: names of its table's columns, and of some functions.
The library builds its claim anew each time, runs what it claimed over three hops between threads and stores the outcome
in a transaction of its own (20 ms of CPU a run, measured). The same claim as text goes through our own writer, where it
shares a commit with the submit it answers; its runs are tasks of ours, and the library's row is deleted in the
transaction that ends the run.

When a column is not there any more, the library's own functions claim and run; when those change too, the failure is
logged once and the queue is polled more often: slower, not wrong.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, Queue
from sqlalchemy import exc
from sqlmodel import Session

from engine.errors import StorageError
from engine.messages import Address, RunId
from engine.runs.ports import Appetite, Prepare, Taken
from engine.storage.database import Database

log = logging.getLogger(__name__)

FALLBACK_POLL_S = 0.2
NEVER_S = 3600.0
AT_ONCE = 8
"""So many runs a claim takes where other replicas want some as well; whoever has less to do comes back sooner."""
AGAIN_S = 1.0
"""Pause after a claim that could not be: the database is away, or this process is slow."""

_HEADS = """SELECT w.workflow_uuid, w.queue_partition_key FROM {table} AS w
WHERE w.queue_name = :queue AND w.status = 'ENQUEUED' AND w.application_version = :version
  AND w.status IN ('ENQUEUED', 'PENDING') AND w.queue_partition_key IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM {table} AS p WHERE p.queue_name = :queue AND p.status = 'PENDING'
    AND p.status IN ('ENQUEUED', 'PENDING') AND p.queue_partition_key IS NOT NULL
    AND p.queue_partition_key = w.queue_partition_key)
  AND NOT EXISTS (SELECT 1 FROM {table} AS e WHERE e.queue_name = :queue AND e.status = 'ENQUEUED'
    AND e.status IN ('ENQUEUED', 'PENDING') AND e.queue_partition_key IS NOT NULL
    AND e.queue_partition_key = w.queue_partition_key AND e.priority < w.priority)
ORDER BY +w.created_at LIMIT :room"""
"""The first run in line of each conversation that has none in work. `priority` is the run's number in its conversation,
so there are no ties. What seems said twice lets SQLite see that the library's partial index holds all it asks for."""
_TAKE = """UPDATE {table} SET status = 'PENDING', owner_xid = :token, executor_id = :replica, application_name = :name,
  started_at_epoch_ms = :now, updated_at = :now, rate_limited = FALSE, recovery_attempts = recovery_attempts + 1
WHERE workflow_uuid IN :ids AND status = 'ENQUEUED' AND queue_name = :queue RETURNING workflow_uuid"""
"""Whoever's update comes first has the run; a head that another replica took meanwhile is no longer ENQUEUED."""
_FINISH = "DELETE FROM {table} WHERE workflow_uuid = :run AND status = 'PENDING' AND owner_xid = :token"
_FORGET_INPUT = "DELETE FROM {table} WHERE workflow_uuid = :run"
_FINISH_BOTH = f"""WITH gone AS ({_FINISH} RETURNING workflow_uuid)
DELETE FROM {{inputs}} WHERE workflow_uuid IN (SELECT workflow_uuid FROM gone)"""
"""Does both in one statement, where the database knows how."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """In whose name runs are claimed."""

    replica: str
    application: str
    version: str
    concurrency: int


@dataclass(frozen=True, slots=True)
class Won:
    """A run that a claim by text took; `taken` is what the claim could prepare in the same transaction."""

    run: RunId
    conversation: Address
    token: str
    taken: Taken | None = None


Begin = Callable[[Won], None]


class Kick:
    """Claims when told to. At most one claim is in flight; wishes that come meanwhile are served by one more.

    Belongs to the loop in which it is made; `now` may be called from any thread.
    """

    def __init__(self, dbos: DBOS, queue: Queue, database: Database, me: Claimant, begin: Begin) -> None:
        self._dbos: Any = dbos
        self._queue = queue
        self._database = database
        self._me = me
        self._begin = begin
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._again = False
        self._by_text = True
        self._ends = False
        self._later: asyncio.TimerHandle | None = None
        self._watching: asyncio.TimerHandle | None = None
        self._count = 0
        self.prepare: Prepare | None = None
        self.appetite: Appetite = lambda in_work: me.concurrency - in_work
        self.broken = False
        embedded = database.dialect.is_sqlite
        table, inputs = (name if embedded else f"dbos.{name}" for name in ("workflow_status", "workflow_input"))
        self._heads = sa.text(_HEADS.format(table=table))
        self._take = sa.text(_TAKE.format(table=table)).bindparams(sa.bindparam("ids", expanding=True))
        self._finish = sa.text((_FINISH if embedded else _FINISH_BOTH).format(table=table, inputs=inputs))
        self._forget_input = sa.text(_FORGET_INPUT.format(table=inputs))

    def now(self) -> None:
        """Ask for a claim; returns at once."""
        if _in(self._loop):
            self._wish()
        else:
            # A loop that has ended claims nothing any more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wish)

    def watch(self, every_s: float) -> None:
        """Look for work again and again; nobody tells us of what other replicas leave."""
        self._wish()
        self._watching = self._loop.call_later(every_s, self.watch, every_s)

    @property
    def claiming(self) -> int:
        """Give the number of the claim that is on its way, 0 for none."""
        return 0 if self._task is None else self._count

    async def stop(self) -> None:
        """End; returns when no claim is in flight any more."""
        self._ends = True
        if self._watching is not None:
            self._watching.cancel()
        if self._task is not None:
            await asyncio.wait([self._task])
        # The library's own polls end too; without this name they go on until it is destroyed, and turns refuse.
        for event in getattr(self._dbos, "background_thread_stop_events", ()):
            event.set()

    def enter(self, run: RunId, conversation: Address) -> Callable[[], None]:
        """Count a run as in work, also for the library's own poll; gives what ends that."""
        return self._dbos._active_workflows_set.add(run, self._queue.name, conversation).release

    def finish(self, session: Session, won: Won) -> None:
        """Take a run that `claim_by_text` won out of the queue; its conversation is free when this commits."""
        connection = session.connection()
        gone = connection.execute(self._finish, {"run": won.run, "token": won.token}).rowcount
        if gone and self._database.dialect.is_sqlite:
            connection.execute(self._forget_input, {"run": won.run})

    def _wish(self) -> None:
        self._again = True
        if self._task is None and not (self._ends or self.broken):
            self._task = self._loop.create_task(self._rounds(), name="kick")

    def _wish_later(self) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = self._loop.call_later(AGAIN_S, self._wish)

    async def _rounds(self) -> None:
        try:
            while self._again and not (self._ends or self.broken):
                self._again = False
                self._count += 1
                await self._round()
        finally:
            self._task = None

    async def _round(self) -> None:
        try:
            await self.claim()
        except (StorageError, exc.DBAPIError, exc.TimeoutError, RuntimeError):
            log.info("kick_failed", exc_info=True)
            self._wish_later()
        except Exception:
            await self._fall_back()

    async def _fall_back(self) -> None:
        self.broken = True
        log.exception("kick_broken", extra={"poll_s": FALLBACK_POLL_S})
        try:
            await in_thread(lambda: self._queue.set_polling_interval_sec(FALLBACK_POLL_S))
        except Exception:
            log.exception("poll_unchanged")

    async def claim(self) -> None:
        """Claim what fits and start it."""
        room = self.appetite(self._dbos._active_workflows_set.count_for_queue(self._queue.name))
        if room <= 0:
            # What is claimed now would lie here until the sweep gives it back.
            return self._wish_later()
        token, most = str(uuid.uuid4()), room if self._database.dialect.is_sqlite else min(room, AT_ONCE)
        if self._by_text:
            try:
                won = await self._database.run(lambda session: self.claim_by_text(session, most, token))
            except (exc.ProgrammingError, exc.OperationalError):
                # No outage, those have another class: the statement is wrong for this table.
                self._by_text = False
                log.exception("claim_by_text_broken")
            else:
                for each in won:
                    self._begin(each)
                self._again = self._again or len(won) >= most
                return
        await in_thread(lambda: self._run_by_library(self.claim_by_library(room, token), token))

    def claim_by_text(self, session: Session, room: int, token: str) -> list[Won]:
        """Do what `claim_by_library` does, with statements that are parsed once, in the caller's transaction."""
        connection = session.connection()
        common = {"queue": self._queue.name}
        heads = connection.execute(self._heads, {**common, "version": self._me.version, "room": room}).all()
        if not heads:
            return []
        taken = {
            **common,
            "ids": [head.workflow_uuid for head in heads],
            "token": token,
            "replica": self._me.replica,
            "name": self._me.application,
            "now": time.time_ns() // 1_000_000,
        }
        ids = set(connection.execute(self._take, taken).scalars())
        prepare = self.prepare or _nothing
        return [
            Won(RunId(head[0]), Address(head[1]), token, prepare(session, RunId(head[0])))
            for head in heads
            if head[0] in ids
        ]

    def claim_by_library(self, room: int, token: str) -> list[str]:
        """Claim with the library's own function. Blocks."""
        return self._dbos._sys_db.start_queued_partitioned_workflows(
            self._queue,
            self._me.replica,
            self._me.version,
            room,
            owner_xid=token,
            is_latest_version=False,  # every run carries our version; spares a query
        )

    def _run_by_library(self, ids: Sequence[str], token: str) -> None:
        from dbos._core import execute_dequeued_workflow  # pyright: ignore[reportPrivateImportUsage]

        for status in self._dbos._sys_db.get_workflow_statuses(ids) if ids else ():
            execute_dequeued_workflow(self._dbos, status, token)


def quieten(dbos: Any) -> None:
    """Let the library not look every second for what never comes: delayed workflows, time limits, its inner queue."""
    try:
        dbos._background_jobs_stop_event.set()
        dbos._registry.get_internal_queue()._polling_interval_sec = NEVER_S
    except AttributeError:
        log.info("library_not_quiet", exc_info=True)


def _nothing(_session: Session, _run: RunId) -> Taken | None:
    return None


def _in(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def in_thread(fn: Callable[[], Any]) -> Any:
    """Run `fn` in a thread of its own: the library's async calls would replace the loop's executor by theirs."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result(value) if error is None else done.set_exception(error)

    def run() -> None:
        try:
            value, error = fn(), None
        except Exception as failure:
            value, error = None, failure
        loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="nm-queue", daemon=True).start()
    return await done
