"""The schema of our tables. Alembic is imported only when the database is not at `HEAD` yet.

The queue library keeps its own tables in the same database and migrates them itself; ours all begin with `nm_`.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import sqlalchemy as sa

from gateway.errors import StartupFailed

if TYPE_CHECKING:
    from sqlmodel import Session

    from engine.runtime import Database

log = logging.getLogger(__name__)

HEAD = "0009"
"""The newest revision in `versions/`; a test compares the two."""
VERSION_TABLE = "nm_revision"
_OLDEST = "SELECT value FROM nm_config WHERE scope = 'schema' AND key = 'oldest'"
"""The least `HEAD` that can use the database, as JSON; set by a revision that takes something away."""


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


def serves(found: str | None) -> bool:
    """Tell whether this version can work on a database at the revision `found`: its own, or a later one."""
    return found is not None and found >= HEAD


def migrate(database: Database) -> None:
    """Bring the database to `HEAD`; returns at once when it is there. Safe from several processes at a time.

    A database that a newer version has migrated is left as it is: what was added since is not used.

    Raises:
        StorageError: the database can not be reached or written.
        StartupFailed: a newer version made it unusable for this one.
    """
    found = revision(database)
    if not serves(found):
        from gateway.migrations.upgrade import upgrade

        upgrade(database)
        found = revision(database)
    if found != HEAD:
        _accept(database, str(found))


def _accept(database: Database, found: str) -> None:
    """Work on what a newer version left, unless one of its revisions said that we are too old for that."""
    oldest = database.read_now(lambda session: session.connection().execute(sa.text(_OLDEST)).scalar())
    if oldest is not None and str(json.loads(oldest)) > HEAD:
        raise StartupFailed(
            f"its schema is at revision {found}, which programs that know less than {json.loads(oldest)} can not use;"
            f" this one knows {HEAD}",
            component="database",
            hint="Start the newer version of niuma again, or bring back a copy of the database from before it ran.",
        )
    log.warning("schema_newer", extra={"found": found, "known": HEAD})
