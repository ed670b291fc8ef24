"""SQL that both databases understand, with the few words they spell differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import CursorResult, TextClause, text
from sqlmodel import Session


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one database."""

    name: str
    now_ms: str
    """UTC milliseconds by the database's own clock."""
    for_share: str
    """Blocks an update of the row by others until this transaction ends; SQLite has one writer and needs no word."""
    for_update: str
    skip_locked: str

    @property
    def is_sqlite(self) -> bool:
        """Tell whether this is the embedded database."""
        return self.name == "sqlite"


SQLITE = Dialect(
    name="sqlite",
    now_ms="CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    for_share="",
    for_update="",
    skip_locked="",
)
POSTGRES = Dialect(
    name="postgresql",
    now_ms="CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
    for_share="FOR SHARE",
    for_update="FOR UPDATE",
    skip_locked="FOR UPDATE SKIP LOCKED",
)


@lru_cache(maxsize=512)
def _parsed(sql: str) -> TextClause:
    return text(sql)


def execute(session: Session, sql: str, /, **values: object) -> CursorResult[Any]:
    """Run one statement with `:name` parameters inside the session's transaction."""
    return session.connection().execute(_parsed(sql), values)


def execute_each(session: Session, sql: str, values: Sequence[Mapping[str, object]], /) -> None:
    """Run one writing statement once for each of `values`; for none, not at all."""
    if values:
        session.connection().execute(_parsed(sql), list(values))


def change(session: Session, sql: str, /, **values: object) -> int:
    """Run one writing statement and give the number of rows it hit."""
    return execute(session, sql, **values).rowcount
