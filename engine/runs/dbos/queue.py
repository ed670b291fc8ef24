"""The kick: the queue's own claim, called at once instead of at the next poll.

This file holds the private names of the library that make it fast: names of its table's columns, and of two functions.
The library builds its claim anew each time (8 ms of CPU, measured); the same claim as text takes a third. When a column
is not there any more, the library's own function claims; when that one changes too, the failure is logged once and the
queue is polled more often: slower, not wrong.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from dbos import DBOS, Queue
from sqlalchemy import exc

log = logging.getLogger(__name__)

POLL_S = 1.0
FALLBACK_POLL_S = 0.2

_HEADS = """SELECT w.workflow_uuid FROM {table} AS w
WHERE w.queue_name = :queue AND w.status = 'ENQUEUED' AND w.application_version = :version
  AND w.queue_partition_key IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM {table} AS p WHERE p.queue_name = :queue AND p.status = 'PENDING'
    AND p.queue_partition_key = w.queue_partition_key)
  AND NOT EXISTS (SELECT 1 FROM {table} AS e WHERE e.queue_name = :queue AND e.status = 'ENQUEUED'
    AND e.queue_partition_key = w.queue_partition_key AND e.priority < w.priority)
ORDER BY w.created_at LIMIT :room"""
"""The first run in line of each conversation that has none in work. `priority` is the run's number in its conversation,
so there are no ties."""
_TAKE = """UPDATE {table} SET status = 'PENDING', owner_xid = :token, executor_id = :replica, application_name = :name,
  started_at_epoch_ms = :now, updated_at = :now, rate_limited = FALSE, recovery_attempts = recovery_attempts + 1
WHERE workflow_uuid IN :ids AND status = 'ENQUEUED' AND queue_name = :queue RETURNING workflow_uuid"""
"""Whoever's update comes first has the run; a head that another replica took meanwhile is no longer ENQUEUED."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """In whose name runs are claimed."""

    replica: str
    application: str
    version: str
    concurrency: int


class Kick:
    """A thread that claims when told to. At most one claim is in flight; wishes that come meanwhile need one more."""

    def __init__(self, dbos: DBOS, queue: Queue, engine: sa.Engine, me: Claimant) -> None:
        self._dbos: Any = dbos
        self._queue = queue
        self._me = me
        self._engine = engine
        table = "workflow_status" if engine.dialect.name == "sqlite" else "dbos.workflow_status"
        self._heads = sa.text(_HEADS.format(table=table))
        self._take = sa.text(_TAKE.format(table=table)).bindparams(sa.bindparam("ids", expanding=True))
        self._by_text = True
        self._wanted = threading.Event()
        self._ends = False
        self._thread = threading.Thread(target=self._run, name="nm-kick", daemon=True)
        self.broken = False

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def now(self) -> None:
        """Ask for a claim; returns at once."""
        self._wanted.set()

    def stop(self) -> None:
        """End; returns when no claim is in flight any more."""
        self._ends = True
        self._wanted.set()
        self._thread.join()
        # The library's own polls end too; without this name they go on until it is destroyed, and turns refuse.
        for event in getattr(self._dbos, "background_thread_stop_events", ()):
            event.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._ends or self.broken:
                return
            try:
                self.claim()
            except (exc.DBAPIError, exc.TimeoutError, RuntimeError):
                # The database is away, or the loop ends: the poll comes again by itself.
                log.info("kick_failed", exc_info=True)
            except Exception:
                self._fall_back()

    def _fall_back(self) -> None:
        self.broken = True
        log.exception("kick_broken", extra={"poll_s": FALLBACK_POLL_S})
        try:
            self._queue.set_polling_interval_sec(FALLBACK_POLL_S)
        except Exception:
            log.exception("poll_unchanged")

    def claim(self) -> None:
        """Claim what fits and start it."""
        from dbos._core import execute_dequeued_workflow  # pyright: ignore[reportPrivateImportUsage]

        room = self._me.concurrency - self._dbos._active_workflows_set.count_for_queue(self._queue.name)
        if room <= 0:
            return
        token = str(uuid.uuid4())
        ids = self._claim_ids(room, token)
        for status in self._dbos._sys_db.get_workflow_statuses(ids) if ids else ():
            execute_dequeued_workflow(self._dbos, status, token)

    def _claim_ids(self, room: int, token: str) -> list[str]:
        if self._by_text:
            try:
                return self.claim_by_text(room, token)
            except (exc.ProgrammingError, exc.OperationalError) as error:
                if isinstance(error, exc.OperationalError) and "no such" not in str(error):
                    raise
                self._by_text = False
                log.exception("claim_by_text_broken")
        return self.claim_by_library(room, token)

    def claim_by_text(self, room: int, token: str) -> list[str]:
        """Do what `claim_by_library` does, with statements that are parsed once."""
        now = time.time_ns() // 1_000_000
        common = {"queue": self._queue.name}
        with self._engine.begin() as connection:
            wanted = {**common, "version": self._me.version, "room": room}
            heads = list(connection.execute(self._heads, wanted).scalars())
            if not heads:
                return []
            taken = {
                **common,
                "ids": heads,
                "token": token,
                "replica": self._me.replica,
                "name": self._me.application,
                "now": now,
            }
            won = set(connection.execute(self._take, taken).scalars())
        return [head for head in heads if head in won]

    def claim_by_library(self, room: int, token: str) -> list[str]:
        """Claim with the library's own function."""
        return self._dbos._sys_db.start_queued_partitioned_workflows(
            self._queue,
            self._me.replica,
            self._me.version,
            room,
            owner_xid=token,
            is_latest_version=False,  # every run carries our version; spares a query
        )
