"""The database as it lies there, for commands that look and must not make one by looking."""

from __future__ import annotations

from engine.runtime import DATABASE_FILE, Database
from gateway.settings import Settings


def existing_database(settings: Settings) -> Database | None:
    """Open the database of these settings; `None` where an embedded one was never made. Close what it gives."""
    if settings.database.url == "sqlite" and not (settings.home / DATABASE_FILE).is_file():
        return None
    return Database(settings.database.url, settings.home)
