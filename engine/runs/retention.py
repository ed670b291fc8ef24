"""Forgets what is old enough, in small portions with pauses, so that nobody who waits for an answer notices."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlmodel import Session

from engine.errors import StorageError
from engine.permissions.audit import forget_audit
from engine.permissions.grants import forget_grants
from engine.runs.forgetting import blobs_in, blobs_of_kept_runs, forget_inbox, forget_runs
from engine.runs.ports import TurnQueue
from engine.runs.replica import Replica
from engine.sessions.forgetting import Place, forget_messages, old_messages
from engine.settings import RunSettings
from engine.storage.blobs import BlobStore
from engine.storage.statement import execute
from engine.tools.received import sweep_received

T = TypeVar("T")
log = logging.getLogger(__name__)

FIRST_S = 120.0
"""A process that is started every half an hour cleans up, too. Replicas that start at once do not do so at once."""
EVERY_S = 3600.0
DAY_MS = 86_400_000
BLOB_MARGIN_MS = 7 * DAY_MS
"""A blob is older than the end of the run that wrote it, by as long as that run lasted."""
LOCK_ID = 0x6E6D726574
"""Number of the advisory lock under which one replica at a time forgets (the letters of nmret)."""
LEAST_PAUSE_S = 0.01


class _Busy(Exception):
    """Another replica is at it."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """What is older than this (UTC ms) goes."""

    inbox: int
    runs: int
    messages: int
    received: int
    audit: int

    @classmethod
    def of(cls, settings: RunSettings, now_ms: int) -> _Limits:
        def before(days: float) -> int:
            return now_ms - int(days * DAY_MS)

        # A run that can still be tried again reads what was said before it.
        messages = before(max(settings.messages_keep_days, settings.keep_days))
        return cls(
            before(settings.inbox_keep_days),
            before(settings.keep_days),
            messages,
            before(settings.received_keep_days),
            before(settings.audit_keep_days),
        )


class Retention:
    """Cleans up once an hour. Of several replicas one does so for all; each looks after its own folder."""

    def __init__(self, replica: Replica, queue: TurnQueue, settings: RunSettings) -> None:
        self._replica = replica
        self._database = replica.database
        self._queue = queue
        self._settings = settings
        self._blobs = BlobStore(replica.database)
        self.longest_s = 0.0
        """How long the longest portion has taken, waiting for its turn included."""

    async def run(self) -> None:
        """Clean up for ever."""
        pause_s = FIRST_S * (1 + random.random())
        while True:
            await self._replica.clock.sleep(pause_s)
            pause_s = EVERY_S
            try:
                await self.clean()
            except StorageError as error:
                log.warning("retention_postponed", extra={"code": error.code})
            except Exception:
                log.exception("retention_failed")

    async def clean(self) -> int:
        """Delete what is due and give how many runs went; none where another replica is at it."""
        limits = _Limits.of(self._settings, self._replica.clock.now_ms())
        await self._sweep(limits.received / 1000)
        try:
            return await self._forget(limits)
        except _Busy:
            log.info("retention_left_to_another")
            return 0

    async def _forget(self, limits: _Limits) -> int:
        began_s = time.monotonic()
        while await self._portion(lambda session: forget_inbox(session, limits.inbox)):
            pass
        gone = 0
        while some := await self._portion(lambda session: forget_runs(session, self._database.dialect, limits.runs)):
            gone += some
        place = Place()
        while not place.done:
            place = await self._portion(lambda session, at=place: forget_messages(session, at, limits.messages))
        while await self._portion(lambda session: forget_audit(session, limits.audit)):
            pass
        # As long as its session, which nobody goes on with when its messages are gone.
        while await self._portion(lambda session: forget_grants(session, limits.messages)):
            pass
        blobs = await self._forget_blobs(limits)
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, self._queue.forget, limits.runs) == 2000:
            pass
        if gone:
            self._replica.has_dead.set()
        log.info(
            "retention_done", extra={"runs": gone, "blobs": blobs, "seconds": round(time.monotonic() - began_s, 3)}
        )
        return gone

    async def _portion(self, fn: Callable[[Session], T]) -> T:
        """Forget a portion in a transaction of its own, and leave as much time to others as it took."""

        def alone(session: Session) -> T:
            if not self._database.dialect.is_sqlite:
                mine = execute(session, "SELECT pg_try_advisory_xact_lock(:id)", id=LOCK_ID).scalar_one()
                if not mine:
                    raise _Busy
            return fn(session)

        began_s = time.monotonic()
        value = await self._database.run(alone)
        took_s = time.monotonic() - began_s
        self.longest_s = max(self.longest_s, took_s)
        await self._replica.clock.sleep(max(LEAST_PAUSE_S, took_s))
        return value

    async def _forget_blobs(self, limits: _Limits) -> int:
        """Delete blobs that nothing refers to: what does so is as old, and is gone but for what is still open."""

        def kept(session: Session) -> set[str]:
            said = old_messages(session, limits.messages)
            return blobs_of_kept_runs(session, limits.runs) | blobs_in(said)

        return await self._blobs.forget(limits.messages - BLOB_MARGIN_MS, await self._database.read(kept))

    async def _sweep(self, before_s: float) -> None:
        try:
            gone = await asyncio.to_thread(sweep_received, self._database.folder, before_s)
        except OSError as error:
            log.warning("received_not_swept", extra={"code": error.errno})
        else:
            log.info("received_swept", extra={"gone": gone})
