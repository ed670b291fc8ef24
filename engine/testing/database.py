"""An in-memory database with the tables of sessions, for tests of what uses `run(fn)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.pool import StaticPool
from sqlmodel import Session, SQLModel, create_engine

from engine.sessions.tables import MessageRow, SessionRow

T = TypeVar("T")
_TABLES = (
    "CREATE TABLE nm_config (scope TEXT, key TEXT, value TEXT, PRIMARY KEY (scope, key))",
    "CREATE TABLE nm_run (id TEXT PRIMARY KEY, status TEXT)",
    # Stays empty: a run in memory keeps its journal itself.
    "CREATE TABLE nm_step (run TEXT, path TEXT, result TEXT, PRIMARY KEY (run, path))",
    """CREATE TABLE nm_grant (id TEXT PRIMARY KEY, holder TEXT, person TEXT, name TEXT, lifetime TEXT,
conversation TEXT, session TEXT, tool TEXT, cover TEXT, covers TEXT, run TEXT,
at BIGINT, UNIQUE (holder, session, cover))""",
    """CREATE TABLE nm_audit (id TEXT PRIMARY KEY, at BIGINT, run TEXT, path TEXT, conversation TEXT, person TEXT,
name TEXT, rank TEXT, agent TEXT, role TEXT, tool TEXT, call TEXT, args TEXT, decided TEXT, basis TEXT, reason TEXT,
by TEXT, open_until BIGINT)""",
)


class MemoryDatabase:
    """Runs each `fn` in one transaction, at once."""

    def __init__(self) -> None:
        self._engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
        tables = [SQLModel.metadata.tables[row.__tablename__] for row in (SessionRow, MessageRow)]
        SQLModel.metadata.create_all(self._engine, tables=tables)
        with self._engine.begin() as connection:
            for each in _TABLES:
                connection.execute(text(each))

    async def run(self, fn: Callable[[Session], T]) -> T:
        """Run `fn` and commit; roll back when it raises."""
        with Session(self._engine) as session:
            value = fn(session)
            session.commit()
            return value

    async def read(self, fn: Callable[[Session], T]) -> T:
        """Run `fn`, which only reads."""
        return await self.run(fn)

    def close(self) -> None:
        """Release the connection."""
        self._engine.dispose()
