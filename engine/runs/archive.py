"""The runs of a database for whoever only visits it: reads, and a few words to them, beside those who work on it."""

from __future__ import annotations

from collections.abc import Callable

from engine.messages import CODE_CHARS, RunId
from engine.ports import Control
from engine.runs.controls import Heard, put
from engine.runs.dossier import Dossier, dossier
from engine.runs.eventlog import EventLog
from engine.runs.ledger import Ledger
from engine.runs.records import Recorded, RunFilter, recorded
from engine.runs.resending import Retried, retry_delivery
from engine.runs.view import RunView, by_code, view
from engine.storage.blobs import BlobStore
from engine.storage.database import Database

OPERATOR = "operator"
"""Who says something to a run by the command line."""


class Archive:
    """Takes no lock and no part: what it writes are rows, which the working processes find. `now_ms` gives the time.

    All methods raise `StorageError` while the database is away.
    """

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms
        self._ledger = Ledger(database.dialect)
        self._events = EventLog(BlobStore(database))

    async def list(self, which: RunFilter) -> list[Recorded]:
        """Give the newest runs of a kind, the newest first."""
        now_ms = self._now_ms()
        return await self._database.read(lambda session: recorded(session, which, now_ms))

    async def find(self, written: str) -> RunView | None:
        """Give the run that somebody names by its id or its code."""
        id_ = RunId(written.strip().upper())
        read = by_code if len(id_) == CODE_CHARS else view
        return await self._database.read(lambda session: read(session, id_))

    async def show(self, run: RunId) -> Dossier | None:
        """Give all that is stored of a run."""
        now_ms = self._now_ms()
        return await self._database.read(lambda session: dossier(session, self._events, run, now_ms))

    async def retry_delivery(self, run: RunId) -> Retried:
        """Owe again what was given up of a run; what may have arrived goes as a further message."""
        now_ms = self._now_ms()
        return await self._database.run(
            lambda session: retry_delivery(session, self._database.dialect, self._ledger, run, now_ms)
        )

    async def stop(self, run: RunId) -> Heard:
        """Tell a run to stop, as its button does; a second time changes nothing."""
        now_ms = self._now_ms()
        control = Control(id=f"{OPERATOR}:{run}", kind="stop", by=OPERATOR, body={"name": ""})
        return await self._database.run(lambda session: put(session, self._database.dialect, run, control, now_ms))
