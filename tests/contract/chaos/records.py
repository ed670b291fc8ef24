"""What the database says when all is over, read from outside."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from engine.storage.database import FILE_NAME
from tests.contract.chaos.question import MARK
from tests.processes.postgres import PostgresPlace

_TRIES, _PAUSE_S = 20, 0.5
Rows = Callable[[str], list[tuple[Any, ...]]]
"""Runs one statement and gives its rows."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run; times are the database's, in milliseconds."""

    id: str
    conversation: str
    seq: int
    status: str
    attempt: int
    first_at: int | None
    ended_at: int | None
    mark: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """One recorded step."""

    run: str
    path: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Records:
    """All of it. `ledger` is run and status of every row of the delivery ledger, `counters` the last seq given."""

    runs: tuple[RunRow, ...] = ()
    steps: tuple[StepRow, ...] = ()
    ledger: tuple[tuple[str, str], ...] = ()
    counters: dict[str, int] = field(default_factory=dict[str, int])
    history: tuple[tuple[str, str], ...] = ()
    """Run and role of every message the sessions remember."""


def read_records(rows: Rows) -> Records:
    """Read the tables."""
    runs = rows("SELECT id, conv, seq, status, attempt, first_at, ended_at, input FROM nm_run ORDER BY conv, seq")
    return Records(
        tuple(RunRow(*row[:7], _mark(str(row[7]))) for row in runs),
        tuple(StepRow(*row) for row in rows("SELECT run, path, attempt FROM nm_step")),
        tuple((str(run), str(status)) for run, status in rows("SELECT run, status FROM nm_delivery")),
        {str(conv): int(seq) for conv, seq in rows("SELECT conv, seq FROM nm_conv")},
        tuple((str(run), path) for run, path in rows("SELECT run, path FROM nm_message")),
    )


def _mark(given: str) -> str:
    found = MARK.search(given)
    return found.group() if found else ""


def _patiently(database: PostgresPlace, statement: str) -> list[tuple[Any, ...]]:
    """Ask again for a while: a server that tests share has not always room for one connection more."""
    for _ in range(_TRIES):
        try:
            return database.rows(statement)
        except psycopg.OperationalError:
            time.sleep(_PAUSE_S)
    return database.rows(statement)


def rows_of(home: Path, database: PostgresPlace | None) -> Rows:
    """Give a reader of a home's own file, or of a database on a server."""
    if database is not None:
        place = database
        return lambda statement: _patiently(place, statement)

    def read(statement: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(f"file:{home / FILE_NAME}?mode=ro", uri=True) as connection:
            return connection.execute(statement).fetchall()

    return read
