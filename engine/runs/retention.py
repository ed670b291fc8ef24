"""Forgets what is old enough: ended runs with all that belongs to them, inbox rows after the longest redelivery."""

from __future__ import annotations

import asyncio
import logging

from sqlmodel import Session

from engine.errors import StorageError
from engine.runs.ports import ENDED, TurnQueue
from engine.runs.replica import Replica
from engine.settings import RunSettings
from engine.storage.blobs import BlobStore
from engine.storage.statement import change, execute
from engine.tools.received import sweep_received

log = logging.getLogger(__name__)

EVERY_S = 3600.0
AT_ONCE = 200
DAY_MS = 86_400_000
BLOB_MARGIN_MS = 7 * DAY_MS
"""A blob is older than the end of the run that wrote it, by as long as that run lasted."""
_PARTS = ("nm_step", "nm_control", "nm_event", "nm_verdict", "nm_delivery")
INBOX_AT_ONCE = 2000
_FORGET_INBOX = """DELETE FROM nm_inbox WHERE (channel, account, kind, key) IN (
SELECT channel, account, kind, key FROM nm_inbox WHERE at < :before AND route <> 'held' LIMIT :most)"""
"""What is held has not been answered yet."""


class Retention:
    """Cleans up once an hour, in small transactions, so that nothing waits for it."""

    def __init__(self, replica: Replica, queue: TurnQueue, settings: RunSettings) -> None:
        self._replica = replica
        self._queue = queue
        self._settings = settings
        self._blobs = BlobStore(replica.database)

    async def run(self) -> None:
        """Clean up for ever."""
        while True:
            await self._replica.clock.sleep(EVERY_S)
            try:
                await self.clean()
            except StorageError as error:
                log.warning("retention_postponed", extra={"code": error.code})
            except Exception:
                log.exception("retention_failed")

    async def clean(self) -> int:
        """Delete what is due and give how many runs went."""
        now_ms, database = self._replica.clock.now_ms(), self._replica.database
        inbox_before = now_ms - int(self._settings.inbox_keep_days * DAY_MS)
        runs_before = now_ms - int(self._settings.keep_days * DAY_MS)
        old = {"before": inbox_before, "most": INBOX_AT_ONCE}
        while await database.run(lambda s: change(s, _FORGET_INBOX, **old)) == INBOX_AT_ONCE:
            pass
        gone = 0
        while (some := await database.run(lambda s: _forget_runs(s, runs_before))) > 0:
            gone += some
        await self._blobs.forget(runs_before - BLOB_MARGIN_MS)
        await self._sweep(now_ms / 1000 - self._settings.received_keep_days * DAY_MS / 1000)
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, self._queue.forget, runs_before) == 2000:
            pass
        return gone

    async def _sweep(self, before_s: float) -> None:
        home = self._replica.database.folder
        try:
            gone = await asyncio.to_thread(sweep_received, home, before_s)
        except OSError as error:
            log.warning("received_not_swept", extra={"code": error.errno})
        else:
            log.info("received_swept", extra={"gone": gone})


def _forget_runs(session: Session, before_ms: int) -> int:
    ended = ", ".join(f"'{status}'" for status in ENDED)
    # An answer that is owed is never forgotten, however short the time is that ended runs are kept.
    owed = "SELECT 1 FROM nm_delivery AS d WHERE d.run = nm_run.id AND d.status IN ('owed', 'trying')"
    sql = f"""SELECT id FROM nm_run WHERE ended_at < :before AND status IN ({ended})
AND NOT EXISTS ({owed}) LIMIT {AT_ONCE}"""
    runs = [row.id for row in execute(session, sql, before=before_ms)]
    for run in runs:
        for table in _PARTS:
            execute(session, f"DELETE FROM {table} WHERE run = :run", run=run)
        execute(session, "DELETE FROM nm_run WHERE id = :run", run=run)
    return len(runs)
