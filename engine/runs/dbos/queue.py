"""The kick: the queue's own claim, called at once instead of at the next poll.

This file holds the private names of the library that make it fast. When one of them changes, the first kick fails, is
logged once, and the queue is polled more often: slower, not wrong.
"""

from __future__ import annotations

import logging
import threading
import uuid
from typing import Any

from dbos import DBOS, Queue
from sqlalchemy import exc

log = logging.getLogger(__name__)

POLL_S = 1.0
FALLBACK_POLL_S = 0.2


class Kick:
    """A thread that claims when told to. At most one claim is in flight; wishes that come meanwhile need one more."""

    def __init__(self, dbos: DBOS, queue: Queue, replica: str, version: str, concurrency: int) -> None:
        self._dbos: Any = dbos
        self._queue = queue
        self._replica = replica
        self._version = version
        self._concurrency = concurrency
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

        room = self._concurrency - self._dbos._active_workflows_set.count_for_queue(self._queue.name)
        if room <= 0:
            return
        database, token = self._dbos._sys_db, str(uuid.uuid4())
        ids = database.start_queued_partitioned_workflows(
            self._queue,
            self._replica,
            self._version,
            room,
            owner_xid=token,
            is_latest_version=False,  # every run carries our version; spares a query
        )
        for status in database.get_workflow_statuses(ids) if ids else ():
            execute_dequeued_workflow(self._dbos, status, token)
