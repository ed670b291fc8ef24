"""Where contract tests keep their data: a fresh place for every test, once on each database."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from dbos import DBOS

from engine.storage.database import FILE_NAME, Database
from gateway.migrations import migrate

POSTGRES = os.environ.get("NIUMA_TEST_POSTGRES", "postgresql://root@127.0.0.1:5432/test")


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
    try:
        admin = psycopg.connect(POSTGRES, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        pytest.skip(f"NOT TESTED ON POSTGRES: {POSTGRES} is not reachable ({str(error).splitlines()[0]})")
    with admin:
        admin.execute(f"CREATE DATABASE {name}")
        url = _sibling(name)
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
    name = f"nm_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(POSTGRES, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        yield Place("postgres", _sibling(name), tmp_path)
        admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _sibling(name: str) -> str:
    return POSTGRES.rpartition("/")[0] + f"/{name}"
