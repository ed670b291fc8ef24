"""What a gateway process holds and what its database has grown to, read from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.bench import machine
from tests.processes.postgres import PostgresPlace

_WAITING = "SELECT count(*) FROM nm_run WHERE status IN ('queued', 'running')"
_OWED = "SELECT count(*) FROM nm_delivery WHERE status IN ('owed', 'dead')"


@dataclass(frozen=True, slots=True)
class Held:
    """What the gateways hold together; CPU in seconds since their start, memory in MB of the largest of them."""

    rss_mb: float
    cpu_s: float
    files: int
    threads: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database holds: runs that wait or are in work, rows of the queue library, answers owed, its size."""

    waiting: int
    queue_rows: int
    owed: int
    size_mb: float
    runs: int


def held_by(pids: Sequence[int]) -> Held:
    """Read `/proc`."""
    folders = [Path(f"/proc/{pid}") for pid in pids]
    return Held(
        max(machine.rss_mb(pid) for pid in pids),
        sum(machine.cpu_s(pid) for pid in pids),
        sum(len(list((each / "fd").iterdir())) for each in folders),
        sum(len(list((each / "task").iterdir())) for each in folders),
    )


def stored_in(place: Path | PostgresPlace) -> Stored:
    """Ask the database: a SQLite file, or one on a Postgres server."""
    if isinstance(place, PostgresPlace):
        return _postgres(place.url)
    size_mb = sum(each.stat().st_size for each in place.parent.glob(place.name + "*")) / 1e6
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as connection:

        def one(sql: str) -> int:
            return int(connection.execute(sql).fetchone()[0])

        return Stored(one(_WAITING), one(_rows("workflow_status")), one(_OWED), size_mb, one(_rows("nm_run")))


def _postgres(url: str) -> Stored:
    with psycopg.connect(url, autocommit=True) as connection:

        def one(sql: str) -> int:
            row = connection.execute(sql).fetchone()  # type: ignore[arg-type]
            assert row is not None
            return int(row[0])

        size_mb = one("SELECT pg_database_size(current_database())") / 1e6
        return Stored(one(_WAITING), one(_rows("dbos.workflow_status")), one(_OWED), size_mb, one(_rows("nm_run")))


def _rows(table: str) -> str:
    return f"SELECT count(*) FROM {table}"
