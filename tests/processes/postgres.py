"""A database of its own on the Postgres server that tests may use, empty at first."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

SERVER = os.environ.get("NIUMA_TEST_POSTGRES", "postgresql://root@127.0.0.1:5432/test")
"""Where databases can be made."""


def sibling(name: str) -> str:
    """Give the address of another database on the same server."""
    return SERVER.rpartition("/")[0] + f"/{name}"


def administer() -> psycopg.Connection[Any]:
    """Connect to the server, or skip the test and say so."""
    try:
        return psycopg.connect(SERVER, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        pytest.skip(f"NOT TESTED ON POSTGRES: {SERVER} is not reachable ({str(error).splitlines()[0]})")


class PostgresPlace:
    """The address of a database, and what an outsider reads in it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement and give its rows, if it has any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def owner(self, run: str) -> str:
        """Give the replica that works on a run; empty when nobody does."""
        found = self.rows("SELECT owner FROM nm_run WHERE id = %s AND status = 'running'", run)
        return str(found[0][0]) if found else ""


@contextmanager
def empty_database(template: str = "template1") -> Iterator[PostgresPlace]:
    """Make a database for the block, empty or like `template`; skips the test where there is no server."""
    name = f"nm_test_{uuid.uuid4().hex[:12]}"
    with administer() as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield PostgresPlace(sibling(name))
        finally:
            admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
