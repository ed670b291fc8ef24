"""Where contract tests keep their data: a fresh place for every test, once on each database."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from dbos import DBOS

from engine.storage.database import FILE_NAME, Database
from gateway.migrations import migrate
from tests.processes.postgres import administer, empty_database, sibling


@dataclass(frozen=True)
class Place:
    """A data folder and a database of its own."""

    name: str
    url: str
    home: Path


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("template")
    database = Database("sqlite", home)
    migrate(database)
    database.close()
    DBOS.migrate(f"sqlite:///{home / FILE_NAME}")
    return home / FILE_NAME


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name = f"nm_template_{uuid.uuid4().hex[:12]}"
    with administer() as admin:
        admin.execute(f"CREATE DATABASE {name}")
        url = sibling(name)
        database = Database(url, tmp_path_factory.mktemp("template"))
        migrate(database)
        database.close()
        DBOS.migrate(url)
        yield name
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / FILE_NAME)
        yield Place("sqlite", "sqlite", tmp_path)
        return
    template = request.getfixturevalue("postgres_template")
    with empty_database(template) as database:
        yield Place("postgres", database.url, tmp_path)
