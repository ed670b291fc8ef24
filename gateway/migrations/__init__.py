"""The schema of our tables. Alembic is imported only when the database is not at `HEAD` yet.

The queue library keeps its own tables in the same database and migrates them itself; ours all begin with `nm_`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from sqlmodel import Session

    from engine.runtime import Database

HEAD = "0007"
"""The newest revision in `versions/`; a test compares the two."""
VERSION_TABLE = "nm_revision"


def revision(database: Database) -> str | None:
    """Give the revision the database is at, `None` for an empty one.

    Raises:
        StorageError: the database can not be reached.
    """

    def read(session: Session) -> str | None:
        connection = session.connection()
        if not sa.inspect(connection).has_table(VERSION_TABLE):
            return None
        return connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()

    return database.read_now(read)


def migrate(database: Database) -> None:
    """Bring the database to `HEAD`; returns at once when it is there. Safe from several processes at a time.

    Raises:
        StorageError: the database can not be reached or written.
    """
    if revision(database) == HEAD:
        return
    from gateway.migrations.upgrade import upgrade

    upgrade(database)
