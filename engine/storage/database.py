"""The one database object: synchronous SQLModel sessions on our own threads, for SQLite and Postgres.

A Session never leaves the function given to `run` or `read`, so everything that function does is one transaction.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlmodel import Session

from engine.errors import SettingsInvalid, StorageError
from engine.storage import ping, turnstile
from engine.storage.group import Job
from engine.storage.place import GONE, Place
from engine.storage.statement import POSTGRES, SQLITE, Dialect
from engine.storage.writer import Writer

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE_NAME = "niuma.db"
_READERS = 3
_POSTGRES_THREADS = 8
FULL_IS_TOLD_S = 3.0
"""On a full disk small writes still pass now and then; it is told this long after the last one that failed."""
_WRITES_FAIL = frozenset({"full", "read_only"})
_PASSING = (exc.OperationalError, exc.InterfaceError, exc.InternalError, exc.TimeoutError)


@dataclass(frozen=True, slots=True)
class Health:
    """How the last access went. `code` is `"ok"`, `"locked"`, `"full"`, `"read_only"`, `"gone"` or `"away"`."""

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
        self._writer = Writer(self.engine, self._settled) if self.dialect.is_sqlite else None
        threads = _READERS if self.dialect.is_sqlite else _POSTGRES_THREADS
        self._threads = ThreadPoolExecutor(threads, "nm-read" if self.dialect.is_sqlite else "nm-access")
        self._health = Health()
        self._told_until_s = 0.0
        self._health_lock = threading.Lock()

    async def run(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` in one transaction: committed when it returns, rolled back when it raises.

        On SQLite writes happen one after another in the order of the calls, and those that wait share a commit. A
        cancelled caller does not stop a transaction that has begun. `fn` may be called again when a first call came to
        nothing, so it changes nothing but the database.

        Raises:
            StorageError: the database is locked, full or away; nothing was written as far as we know.
        """
        return await self.begin(fn)

    def begin(self, fn: Callable[[Session], T]) -> asyncio.Future[T]:
        """Do what `run` does, but take the place in line now; the future has the value. Raises the same through it."""
        if self._writer is not None:
            return self._writer.begin(fn)
        return asyncio.get_running_loop().run_in_executor(self._threads, self.run_now, fn)

    async def single(self, fn: Callable[[Session], T]) -> T:
        """Run `fn`; on Postgres each of its statements commits by itself in one round trip. Mostly it has one.

        Raises:
            StorageError: as for `run`.
        """
        if self.dialect.is_sqlite:
            return await self.run(fn)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._access, fn, self._single)

    async def read(self, fn: Callable[[Session], T]) -> T:
        """Run `fn`, which only reads; on Postgres each of its statements sees what is committed by then.

        Raises:
            StorageError: as for `run`.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.read_now, fn)

    def run_now(self, fn: Callable[[Session], T]) -> T:
        """Do what `run` does in the calling thread; never in the event loop's."""
        if self._writer is not None:
            return self._writer.run_now(fn)
        return self._access(fn, self.engine)

    def read_now(self, fn: Callable[[Session], T]) -> T:
        """Do what `read` does in the calling thread; never in the event loop's."""
        # In a transaction each statement would see the same, after two more ways there and back.
        return self._access(fn, self.engine if self.dialect.is_sqlite else self._single)

    def health(self) -> Health:
        """Tell how the last access went."""
        with self._health_lock:
            return self._health

    @contextmanager
    def told(self) -> Generator[None]:
        """Let what others do with our `engine` inside the block fail in our words. Raises `StorageError`."""
        try:
            yield
        except _PASSING as error:
            if _is_bug(error):
                raise
            raise self._failed(error) from error

    def close(self) -> None:
        """Wait for what is running or waits to be written, and let go of all connections."""
        if self._writer is not None:
            self._writer.close()
        self._threads.shutdown(wait=True)
        self.engine.dispose()

    def _access(self, fn: Callable[[Session], T], engine: sa.Engine) -> T:
        with self.told(), Session(engine, expire_on_commit=False) as session:
            value = fn(session)
            session.commit()
        self._note_answer()
        return value

    def _note_answer(self) -> None:
        """Take note that the database answered; reading proves nothing of a disk that takes no writes."""
        if self._writer is None or self.health().code not in _WRITES_FAIL:
            self._note(Health())

    def _settled(self, job: Job) -> None:
        """Take note of how a write went, and say it in our words."""
        error = job.error
        if error is None:
            self._note(Health())
        elif isinstance(error, _PASSING) and not _is_bug(error):
            job.error = self._failed(error)
            job.error.__cause__ = error

    def _failed(self, error: exc.SQLAlchemyError) -> StorageError:
        health = _explain(error)
        self._note(health)
        return StorageError(health.reason, code=f"storage_{health.code}", hint="It is tried again by itself.")

    def _note(self, health: Health) -> None:
        with self._health_lock:
            before = self._health
            if health.ok and before.code in _WRITES_FAIL and time.monotonic() < self._told_until_s:
                return
            self._health = health
            self._told_until_s = time.monotonic() + FULL_IS_TOLD_S
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
    # Pool for our 4 threads and the queue library's own threads.
    engine = sa.create_engine(f"sqlite:///{path}", pool_size=20, max_overflow=20, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.isolation_level = "IMMEDIATE"
        connection.execute(f"PRAGMA busy_timeout={busy_ms}")
        connection.execute("PRAGMA foreign_keys=ON")
        if path.stat().st_size == 0:
            path.chmod(0o600)
        _use_wal(connection, busy_ms / 1000)
        connection.execute("PRAGMA synchronous=FULL")

    place = Place(path)

    @event.listens_for(engine, "commit")
    def check(_connection: sa.Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        place.check()

    @event.listens_for(engine, "reset")
    def undo(connection: sqlite3.Connection, _record: Any, _state: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        # After a failed commit the pool takes the transaction for closed; the next user would commit what was refused.
        if connection.in_transaction:
            connection.rollback()

    turnstile.attach(engine, busy_ms / 1000)
    return engine


def _use_wal(connection: sqlite3.Connection, patience_s: float) -> None:
    """Switch to the write-ahead log, which SQLite's own patience does not cover where two make the file at once."""
    until_s = time.monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until_s:
                raise
            time.sleep(0.01)


def _postgres(url: str) -> sa.Engine:
    address = sa.make_url(url.replace("postgres://", "postgresql://", 1)).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(
        address,
        # Ours are 8 threads; the queue library, the heartbeat and a start have a few more. Postgres allows 100 in all.
        pool_size=8,
        max_overflow=8,
        # The one used last comes first: few of them are busy, and those know our statements.
        pool_use_lifo=True,
        hide_parameters=True,
        # A process frozen inside a transaction must not block the others' claims for longer than this.
        connect_args={"options": "-c idle_in_transaction_session_timeout=2000", "connect_timeout": 5},
    )
    ping.attach(engine)
    return engine


def _is_bug(error: exc.SQLAlchemyError) -> bool:
    """Tell a wrong statement (SQLite gives it the same class) from a database that cannot serve us now."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_ERROR


def _explain(error: exc.SQLAlchemyError) -> Health:
    cause = getattr(error, "orig", None) or error
    # Some come without a word.
    reason = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
    words = reason.lower()
    if GONE in words:
        return Health(False, "gone", reason)
    if "locked" in words or "busy" in words:
        return Health(False, "locked", reason)
    if "full" in words or "no space" in words:
        return Health(False, "full", reason)
    if "readonly" in words or "read-only" in words:
        return Health(False, "read_only", reason)
    return Health(False, "away", reason)
