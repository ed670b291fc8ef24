"""Lets the writers of the embedded database in one after another, before SQLite has to.

SQLite has one write lock, and whoever finds it taken sleeps for 1, 2, 5 ... 100 ms and looks again. The queue library
writes through connections of its own beside our writer; with this each of them is woken the moment the other is done.
Nothing depends on it: after `patience_s` a write goes on, and SQLite's own lock decides.
"""

from __future__ import annotations

import threading
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import ConnectionPoolEntry

_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "BEGIN")
_HOLDS = "niuma_holds_turnstile"


def attach(engine: sa.Engine, patience_s: float) -> None:
    """Let the writing transactions of all connections of `engine` wait for each other here.

    A connection that begins to write holds the place until it goes back to the pool.
    """
    place = threading.Lock()
    holders: set[ConnectionPoolEntry] = set()

    def enter(connection: sa.Connection, _cursor: Any, statement: str, *_more: Any) -> None:
        record = connection.connection._connection_record  # pyright: ignore[reportPrivateUsage]
        if record is None or record in holders or not statement.lstrip()[:7].upper().startswith(_WRITES):
            return
        if place.acquire(timeout=patience_s):
            holders.add(record)

    def leave(_connection: Any, record: ConnectionPoolEntry) -> None:
        if record in holders:
            holders.discard(record)
            place.release()

    event.listen(engine, "before_cursor_execute", enter)
    event.listen(engine, "checkin", leave)
