"""A database with a long past: one finished run with all its rows, copied a hundred thousand times by bulk SQL."""

from __future__ import annotations

import time
from dataclasses import dataclass

import sqlalchemy as sa

from engine.storage.database import Database

DAY_MS = 86_400_000
CONVERSATIONS = 2000
TABLES = ("nm_step", "nm_control", "nm_event", "nm_verdict", "nm_delivery")
"""All that belongs to a run by its column `run`."""
_TIMES = frozenset({"at", "created_at", "first_at", "ended_at", "used_at", "due_at", "done_at"})
_TEXTS = ("run", "session", "message", "conv")
_COPIES = """INSERT INTO nm_past (n, run, session, message, conv, seq, shift)
VALUES (:n, :run, :session, :message, :conv, :seq, :shift)"""


@dataclass(frozen=True, slots=True)
class Original:
    """What makes the rows of the copied run its own."""

    run: str
    session: str
    message: str
    conv: str
    ended_ms: int


def copy_runs(database: Database, count: int, *, youngest_days: float = 0.1, oldest_days: float = 29.0) -> None:
    """Copy a finished run `count` times, ended at even distances in the past. Blocks for seconds.

    Nothing else may use the database meanwhile. A crash of the machine while it works may spoil an embedded one.
    """
    with database.engine.begin() as connection:
        original = _original(connection)
        connection.exec_driver_sql(
            "CREATE TEMPORARY TABLE nm_past (n INTEGER, run TEXT, session TEXT, message TEXT, conv TEXT, seq INTEGER,"
            " shift BIGINT)"
        )
        step_ms = (oldest_days - youngest_days) * DAY_MS / count
        # The oldest comes first, as it did.
        ages = (int(youngest_days * DAY_MS + (count - n) * step_ms) for n in range(count))
        connection.execute(sa.text(_COPIES), [_copy(original, n, age_ms) for n, age_ms in enumerate(ages)])
        _copy_table(connection, "nm_run", "o.id = :run", original)
        for table in TABLES:
            _copy_table(connection, table, "o.run = :run", original)
        _copy_table(connection, "nm_inbox", "o.run = :run AND o.key = :message", original)
        _copy_table(connection, "nm_session", "o.id = :session", original)
        _copy_table(connection, "nm_message", "o.session = :session AND o.run = :run", original)
        connection.exec_driver_sql("INSERT INTO nm_conv (conv, seq) SELECT conv, max(seq) FROM nm_past GROUP BY conv")
        connection.exec_driver_sql("DROP TABLE nm_past")
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE" if not database.dialect.is_sqlite else "PRAGMA wal_checkpoint(TRUNCATE)")


def make_old(database: Database, days: float) -> None:
    """Move the ends of all runs, and all that came in and was said, so far into the past."""
    by_ms = int(days * DAY_MS)
    with database.engine.begin() as connection:
        for table, column in (("nm_run", "ended_at"), ("nm_inbox", "at"), ("nm_session", "used_at")):
            connection.execute(sa.text(f"UPDATE {table} SET {column} = {column} - :by"), {"by": by_ms})
        shorter = "'000000000000' || substr(id, 13)"
        for table, column in (("nm_message", "session"), ("nm_session", "id")):
            connection.exec_driver_sql(f"UPDATE {table} SET {column} = {shorter.replace('id', column)}")


def size_bytes(database: Database) -> int:
    """Give what the database takes on the disk."""
    with database.engine.connect() as connection:
        if not database.dialect.is_sqlite:
            return int(connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def free_bytes(database: Database) -> int:
    """Give how much of an embedded database waits to be used again."""
    with database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA freelist_count").scalar_one()
        return int(pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def _original(connection: sa.Connection) -> Original:
    # The one with the richest rows: what came through a gateway and a platform.
    sql = """SELECT id, conv, ended_at FROM nm_run WHERE status = 'done'
ORDER BY (SELECT sum(length(result)) FROM nm_step WHERE run = nm_run.id) DESC LIMIT 1"""
    run = connection.execute(sa.text(sql)).one()
    values = {"run": run.id}
    message = (
        connection.execute(sa.text("SELECT key FROM nm_inbox WHERE run = :run AND route = 'turn'"), values)
        .scalars()
        .first()
    )
    session = connection.execute(sa.text("SELECT session FROM nm_message WHERE run = :run"), values).scalars().first()
    return Original(run.id, session or "no session", message or "no message", run.conv, run.ended_at)


def _copy(original: Original, n: int, age_ms: int) -> dict[str, object]:
    ended_ms = time.time_ns() // 1_000_000 - age_ms
    return {
        "n": n,
        "run": f"{original.run[:18]}{n:08}",
        "session": f"{ended_ms:012x}{n:014x}",
        "message": f"{original.message}-{n}",
        "conv": f"{original.conv}-{n % CONVERSATIONS}",
        "seq": n // CONVERSATIONS + 1,
        "shift": original.ended_ms - ended_ms,
    }


def _copy_table(connection: sa.Connection, table: str, which: str, original: Original) -> None:
    facts = [each for each in sa.inspect(connection).get_columns(table) if each.get("autoincrement") is not True]
    columns = [each for each in facts if not (each["name"] == "id" and not isinstance(each["type"], sa.Text))]
    values = ", ".join(_value(str(each["name"]), isinstance(each["type"], sa.Text)) for each in columns)
    names = ", ".join(f'"{each["name"]}"' for each in columns)
    connection.execute(
        sa.text(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} AS o CROSS JOIN nm_past AS c WHERE {which}"
        ),
        {each: getattr(original, each) for each in _TEXTS},
    )


def _value(name: str, is_text: bool) -> str:
    if not is_text:
        return f"o.{name} - c.shift" if name in _TIMES else "c.seq" if name == "seq" else f'o."{name}"'
    value = f'o."{name}"'
    for each in _TEXTS:
        value = f"replace({value}, CAST(:{each} AS TEXT), c.{each})"
    return value
