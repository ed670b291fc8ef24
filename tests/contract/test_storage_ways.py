"""How often an access goes to Postgres and back, and what happens when a connection has ended meanwhile."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlmodel import Session

from engine.errors import StorageError
from engine.storage import ping
from engine.storage.database import Database
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import running
from tests.processes.postgres import administer

MOST_STATEMENTS, MOST_COMMITS = 33, 8
"""Of a run with one step and no agent on Postgres (29 and 6, and a look at the queue every second); once 39 and 12."""


@pytest.fixture
def postgres(place: Place) -> Place:
    if place.name == "sqlite":
        pytest.skip("the embedded database is no way off")
    return place


def backend(session: Session) -> int:
    return int(execute(session, "SELECT pg_backend_pid()").scalar_one())


def end(backend_pid: int) -> None:
    with administer() as admin:
        admin.execute("SELECT pg_terminate_backend(%s)", [backend_pid])


async def test_a_connection_that_ended_while_it_rested_is_replaced_unseen(
    postgres: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ping, "RESTED_S", 0.0)
    database = Database(postgres.url, postgres.home)
    first = await database.read(backend)
    end(first)
    assert await database.read(backend) != first
    assert database.health().ok
    database.close()


async def test_one_that_ended_in_the_midst_of_work_fails_once_and_all_are_new(
    postgres: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ping, "RESTED_S", 60.0)
    database = Database(postgres.url, postgres.home)
    first = await database.read(backend)
    end(first)
    with pytest.raises(StorageError):
        await database.run(backend)
    assert await database.run(backend) != first
    database.close()


async def test_reading_takes_no_transaction_and_a_busy_connection_is_not_asked(
    postgres: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ping, "RESTED_S", 60.0)
    database, pings = Database(postgres.url, postgres.home), list[object]()
    monkeypatch.setattr(database.engine.dialect, "do_ping", lambda connection: pings.append(connection) or True)

    def times(session: Session) -> tuple[Any, Any]:
        return tuple(execute(session, "SELECT now()").scalar_one() for _ in range(2))  # type: ignore[return-value]

    one, two = await database.read(times)
    assert one < two, "within a transaction, now() stands still"
    assert len(set(await database.run(times))) == 1
    assert pings == []
    database.close()


async def test_a_run_asks_little(postgres: Place) -> None:
    asked = Counter[str]()

    def executed(_connection: sa.Connection, _cursor: Any, statement: str, *_more: Any) -> None:
        asked["statements"] += _is_of_a_run()

    def committed(connection: sa.Connection) -> None:
        is_one_by_one = connection.get_execution_options().get("isolation_level") == "AUTOCOMMIT"
        asked["commits"] += _is_of_a_run() and not is_one_by_one

    async with running(postgres.url, postgres.home) as house:
        await house.ended((await house.say("first")).run)
        engine = house.runtime.database.engine
        event.listen(engine, "before_cursor_execute", executed)
        event.listen(engine, "commit", committed)
        await house.ended((await house.say("second")).run)
        event.remove(engine, "before_cursor_execute", executed)
        event.remove(engine, "commit", committed)
    assert asked["statements"] <= MOST_STATEMENTS
    assert asked["commits"] <= MOST_COMMITS


def _is_of_a_run() -> bool:
    """Heartbeat and queue library have threads of their own."""
    return threading.current_thread().name.startswith("nm-access")
