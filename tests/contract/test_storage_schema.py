"""A version that meets a schema it does not know: it goes on with what a newer one added, or says why it can not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from engine.ports import Outcome, RunScope
from engine.storage.config import store
from engine.storage.database import Database
from engine.storage.statement import execute
from gateway.errors import StartupFailed
from gateway.migrations import HEAD, VERSION_TABLE, migrate, revision
from gateway.migrations import upgrade as upgrading
from tests.contract.conftest import Place
from tests.contract.processes.house import answer, running

NEWER = "0999"


@pytest.fixture
def database(place: Place) -> Iterator[Database]:
    database = Database(place.url, place.home)
    yield database
    database.close()


def now_at(database: Database, found: str) -> None:
    sql = f"UPDATE {VERSION_TABLE} SET version_num = :found"
    database.run_now(lambda session: execute(session, sql, found=found).rowcount)


def newer(session: Any) -> None:
    """Do what a newer version may do to the schema: add."""
    execute(session, "CREATE TABLE nm_later (id TEXT PRIMARY KEY)")
    execute(session, "ALTER TABLE nm_run ADD COLUMN later TEXT NOT NULL DEFAULT 'x'")
    execute(session, f"UPDATE {VERSION_TABLE} SET version_num = '{NEWER}'")


async def test_a_version_that_is_put_back_works_on_what_the_newer_one_left(place: Place, database: Database) -> None:
    database.run_now(newer)
    async with running(place.url, place.home) as house:
        assert (await house.ended((await house.say("hello")).run)).answer == "answer to hello"
    assert revision(database) == NEWER, "the newer one finds its schema again"


async def test_words_and_events_of_a_newer_version_wait_for_it(place: Place) -> None:
    """It takes a run over whose owner told and was told what is unknown here."""
    go_on = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go_on.wait()
        return await answer(scope)

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        event = """INSERT INTO nm_event (run, segment, n, type, visibility, body, at)
VALUES (:run, 's', 0, 'later', 'visible', '{"run": "r", "type": "later"}', 1)"""
        control = """INSERT INTO nm_control (run, id, kind, person, body, at)
VALUES (:run, 'c', 'later', 'ann', '{}', 1)"""
        await house.runtime.database.run(lambda s: [execute(s, each, run=run).rowcount for each in (event, control)])
        assert (await house.press(run, "approve", nonce="n")).code == "stale"
    go_on.set()
    async with running(place.url, place.home, work) as house:
        ended = await house.ended(run)
        assert (ended.status, ended.attempt, ended.answer) == ("done", 2, "answer to hello")
        assert "later" not in {each.type for each in await house.runtime.events(run)}


def test_a_schema_that_is_of_no_use_any_more_is_refused_in_words(database: Database) -> None:
    now_at(database, NEWER)
    database.run_now(lambda session: store(session, "schema", "oldest", "0998"))
    with pytest.raises(StartupFailed, match=f"revision {NEWER}.*less than 0998.*knows {HEAD}") as refused:
        migrate(database)
    assert "newer version" in refused.value.hint
    database.run_now(lambda session: store(session, "schema", "oldest", HEAD))
    migrate(database)


def test_a_newer_version_that_migrates_first_is_no_fault(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both found an old schema; this one got the lock second."""
    now_at(database, "0001")
    locked = upgrading._locked
    order: list[str] = []

    def late(given: Database) -> Any:
        order.append("waited")
        now_at(database, NEWER)
        return locked(given)

    monkeypatch.setattr(upgrading, "_locked", late)
    migrate(database)
    assert order == ["waited"] and revision(database) == NEWER
