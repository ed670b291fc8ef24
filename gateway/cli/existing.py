"""The database as it lies there, for commands that look and must not make one by looking."""

from __future__ import annotations

from engine.runtime import DATABASE_FILE, Database
from gateway.settings import Settings


def current_database(settings: Settings) -> Database | None:
    """Open the database where it is there and this version can use it. Close what it gives."""
    from gateway.migrations import revision, serves

    database = existing_database(settings)
    if database is None or serves(revision(database)):
        return database
    database.close()
    return None


def existing_database(settings: Settings) -> Database | None:
    """Open the database of these settings; `None` where an embedded one was never made. Close what it gives."""
    if settings.database.url == "sqlite" and not (settings.home / DATABASE_FILE).is_file():
        return None
    return Database(settings.database.url, settings.home)
