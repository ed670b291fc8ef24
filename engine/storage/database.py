"""The one database object: synchronous SQLModel sessions on our own threads, for SQLite and Postgres.

A Session never leaves the function given to `run` or `read`, so everything that function does is one transaction.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlmodel import Session

from engine.errors import SettingsInvalid, StorageError
from engine.storage.statement import POSTGRES, SQLITE, Dialect

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE_NAME = "niuma.db"
_READERS = 3
_POSTGRES_THREADS = 8
_PASSING = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError)


@dataclass(frozen=True, slots=True)
class Health:
    """How the last access went. `code` is `"ok"`, `"locked"`, `"full"`, `"read_only"` or `"away"`."""

    ok: bool = True
    code: str = "ok"
    reason: str = ""


class Database:
    """Opens lazily, heals by itself: a failed access raises `StorageError`, the next one tries afresh.

    `folder` holds the file of the embedded database. `busy_ms` is how long a write waits for a lock of another process
    before it gives up.
    """

    def __init__(self, url: str, folder: Path, *, busy_ms: int = 5000) -> None:
        self.folder = folder
        self.dialect: Dialect = _dialect(url)
        self.engine = _sqlite(folder / FILE_NAME, busy_ms) if self.dialect.is_sqlite else _postgres(url)
        self._single = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        writers = 1 if self.dialect.is_sqlite else _POSTGRES_THREADS
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="nm-write")
        self._readers = ThreadPoolExecutor(_READERS, "nm-read") if self.dialect.is_sqlite else self._writers
        self._health = Health()
        self._health_lock = threading.Lock()

    async def run(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` in one transaction: committed when it returns, rolled back when it raises.

        On SQLite writes happen one after another in the order of the calls. A cancelled caller does not stop a
        transaction that has begun.

        Raises:
            StorageError: the database is locked, full or away; nothing was written as far as we know.
        """
        return await asyncio.get_running_loop().run_in_executor(self._writers, self.run_now, fn)

    async def single(self, fn: Callable[[Session], T]) -> T:
        """Run `fn`, which executes exactly one statement; on Postgres it commits by itself in one round trip.

        Raises:
            StorageError: as for `run`.
        """
        if self.dialect.is_sqlite:
            return await self.run(fn)
        return await asyncio.get_running_loop().run_in_executor(self._writers, self._access, fn, self._single, False)

    async def read(self, fn: Callable[[Session], T]) -> T:
        """Run `fn`, which only reads.

        Raises:
            StorageError: as for `run`.
        """
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, fn)

    def run_now(self, fn: Callable[[Session], T]) -> T:
        """Do what `run` does in the calling thread; never in the event loop's."""
        return self._access(fn, self.engine, self.dialect.is_sqlite)

    def read_now(self, fn: Callable[[Session], T]) -> T:
        """Do what `read` does in the calling thread; never in the event loop's."""
        return self._access(fn, self.engine, False)

    def health(self) -> Health:
        """Tell how the last access went."""
        with self._health_lock:
            return self._health

    def close(self) -> None:
        """Wait for what is running and let go of all connections."""
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self.engine.dispose()

    def _access(self, fn: Callable[[Session], T], engine: sa.Engine, immediate: bool) -> T:
        try:
            with Session(engine, expire_on_commit=False) as session:
                if immediate:
                    session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                value = fn(session)
                session.commit()
        except _PASSING as error:
            if _is_bug(error):
                raise
            raise self._failed(error) from error
        self._note(Health())
        return value

    def _failed(self, error: exc.SQLAlchemyError) -> StorageError:
        health = _explain(error)
        self._note(health)
        return StorageError(health.reason, code=f"storage_{health.code}", hint="It is tried again by itself.")

    def _note(self, health: Health) -> None:
        with self._health_lock:
            before, self._health = self._health, health
        if before.code != health.code:
            log.log(
                logging.INFO if health.ok else logging.ERROR,
                "database_health",
                extra={"code": health.code, "reason": health.reason},
            )


def _dialect(url: str) -> Dialect:
    if url == "sqlite":
        return SQLITE
    if url.startswith(("postgresql://", "postgres://")):
        return POSTGRES
    raise SettingsInvalid(f"database.url {url.partition(':')[0]!r} is neither sqlite nor postgresql://")


def _sqlite(path: Path, busy_ms: int) -> sa.Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Pool for our 4 threads, the heartbeat and the queue library's own threads.
    engine = sa.create_engine(f"sqlite:///{path}", pool_size=20, max_overflow=20)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.isolation_level = "IMMEDIATE"
        connection.execute(f"PRAGMA busy_timeout={busy_ms}")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    return engine


def _postgres(url: str) -> sa.Engine:
    address = sa.make_url(url.replace("postgres://", "postgresql://", 1)).set(drivername="postgresql+psycopg")
    return sa.create_engine(
        address,
        pool_size=20,
        max_overflow=20,
        pool_pre_ping=True,
        # A process frozen inside a transaction must not block the others' claims for longer than this.
        connect_args={"options": "-c idle_in_transaction_session_timeout=2000", "connect_timeout": 5},
    )


def _is_bug(error: exc.SQLAlchemyError) -> bool:
    """Tell a wrong statement (SQLite gives it the same class) from a database that cannot serve us now."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR


def _explain(error: exc.SQLAlchemyError) -> Health:
    reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    words = reason.lower()
    if "locked" in words or "busy" in words:
        return Health(False, "locked", reason)
    if "full" in words or "no space" in words:
        return Health(False, "full", reason)
    if "readonly" in words or "read-only" in words:
        return Health(False, "read_only", reason)
    return Health(False, "away", reason)
