"""An in-memory database with the tables of sessions, for tests of what uses `run(fn)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.pool import StaticPool
from sqlmodel import Session, SQLModel, create_engine

from engine.sessions.tables import MessageRow, SessionRow

T = TypeVar("T")
_CONFIG = "CREATE TABLE nm_config (scope TEXT, key TEXT, value TEXT, PRIMARY KEY (scope, key))"

_STEPS = "CREATE TABLE nm_step (run TEXT, path TEXT, result TEXT, PRIMARY KEY (run, path))"
"""Stays empty: a run in memory keeps its journal itself."""


class MemoryDatabase:
    """Runs each `fn` in one transaction, at once."""

    def __init__(self) -> None:
        self._engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
        tables = [SQLModel.metadata.tables[row.__tablename__] for row in (SessionRow, MessageRow)]
        SQLModel.metadata.create_all(self._engine, tables=tables)
        with self._engine.begin() as connection:
            connection.execute(text(_CONFIG))
            connection.execute(text(_STEPS))

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
