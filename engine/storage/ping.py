"""Asks a connection whether it still is one before it is used, where it has rested for a while.

SQLAlchemy's own `pool_pre_ping` asks each time, which was a sixth of all that went to Postgres and back for an answer.
A connection that was in use a moment ago is taken as it is: had it ended meanwhile, this access fails as one does whose
connection ends in the middle, and all connections of the pool are made anew.
"""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.pool import ConnectionPoolEntry

RESTED_S = 0.5
"""Long enough for the connections of a busy process, short enough that an idle one notices a restart of the server."""
_SINCE = "niuma_rests_since_s"


def attach(engine: sa.Engine) -> None:
    """Ask connections of `engine` that have rested; the pool replaces those that do not answer."""

    def note(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_SINCE] = time.monotonic()

    def ask(connection: Any, record: ConnectionPoolEntry, _fairy: Any) -> None:
        since_s = record.info.get(_SINCE)
        if since_s is None or time.monotonic() - since_s < RESTED_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise exc.InvalidatePoolError from error

    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ask)
