"""Runs Alembic under one lock. Imported only when there is something to do."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext

from gateway.migrations import VERSION_TABLE, serves

if TYPE_CHECKING:
    from engine.runtime import Database

LOCK_ID = 0x6E69756D61
"""Number of the advisory lock under which one process at a time migrates (the letters of niuma)."""


def alembic_config() -> Config:
    """Give Alembic's settings; no file is read."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def upgrade(database: Database) -> None:
    """Bring the schema to its newest revision, in one transaction."""
    config = alembic_config()
    with _locked(database), database.engine.begin() as connection:
        if database.dialect.is_sqlite:
            # The driver opens no transaction of its own before CREATE TABLE.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            # Between two statements a slow machine may need longer than a frozen process is granted.
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        if serves(MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()):
            return  # while we waited for the lock, perhaps by a newer version
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _locked(database: Database) -> Generator[None]:
    if database.dialect.is_sqlite:
        file = os.open(database.folder / "migrate.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)
        return
    # A lock of the session, on a connection outside any transaction: the server ends transactions that stand idle.
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("SELECT pg_advisory_lock(:id)"), {"id": LOCK_ID})
        try:
            yield
        finally:
            connection.execute(sa.text("SELECT pg_advisory_unlock(:id)"), {"id": LOCK_ID})
