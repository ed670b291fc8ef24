"""A database that is up to date, for stores and rules."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runtime import DATABASE_FILE, Database
from gateway.migrations import migrate


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("migrated")
    database = Database("sqlite", home)
    migrate(database)
    database.close()
    return home / DATABASE_FILE


@pytest.fixture
def database(migrated: Path, tmp_path: Path) -> Iterator[Database]:
    shutil.copy(migrated, tmp_path / DATABASE_FILE)
    database = Database("sqlite", tmp_path)
    yield database
    database.close()
