"""The store of people, on both databases: also when several processes ask at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from engine.runtime import Database
from gateway.stores.people import Known, People
from gateway.stores.people.tables import AccessRow, PairingRow, PersonRow, ToldRow
from tests.contract.conftest import Place

NOW_MS = 1_800_000_000_000
ANN, BOB = "fake:main:ann", "fake:main:bob"


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    database = Database(place.url, place.home)
    yield database
    database.close()


@pytest.mark.parametrize("table", [PersonRow, PairingRow, AccessRow, ToldRow])
async def test_the_migration_makes_what_the_tables_say(database: Database, table: type[SQLModel]) -> None:
    wanted: sa.Table = table.metadata.tables[str(table.__tablename__)]
    made = database.read_now(lambda session: sa.inspect(session.connection()).get_columns(wanted.name))
    assert {each["name"]: each["nullable"] for each in made} == {each.name: each.nullable for each in wanted.columns}


async def test_a_request_is_made_decided_and_taken_back(database: Database) -> None:
    people = People(database)
    asked = await people.ask(ANN, "", now_ms=NOW_MS)
    again = await people.ask(ANN, "Ann", now_ms=NOW_MS + 1)
    assert (asked.state, again.state, again.code) == ("new", "known", asked.code)
    assert [(each.person, each.name) for each in await people.pending(now_ms=NOW_MS)] == [(ANN, "Ann")]
    found = await people.approve(asked.code, "guest", by=BOB, account="fake:main", now_ms=NOW_MS)
    assert found is not None and found.person == ANN
    assert await people.known(ANN, "c") == Known("guest", None, None)
    assert [(row.person, row.rank, row.by) for row in await people.let_in()] == [(ANN, "guest", BOB)]
    second = await people.ask(ANN, "Ann", now_ms=NOW_MS)
    assert await people.approve(second.code, "member", by="", now_ms=NOW_MS) is not None
    assert await people.known(ANN, "c") == Known("member", None, None), "let in again, with another rank"
    assert await people.revoke(ANN) and await people.known(ANN, "c") == Known()


async def test_a_conversation_decides_and_takes_it_back(database: Database) -> None:
    people = People(database)
    await people.decide_conversation("c", {"groups": "open"}, by=ANN, at_ms=NOW_MS)
    await people.decide_conversation("c", {"threads": "mention"}, by=ANN, at_ms=NOW_MS + 1)
    assert await people.known(BOB, "c") == Known(None, "open", "mention")
    await people.decide_conversation("c", {"groups": "off"}, by=ANN, at_ms=NOW_MS)
    assert await people.known(BOB, "c") == Known(None, "open", "mention"), "older than what holds"
    await people.decide_conversation("c", {"groups": None, "threads": None}, by=ANN, at_ms=NOW_MS + 2)
    assert await people.known(BOB, "c") == Known()


async def test_of_many_processes_one_tells(database: Database) -> None:
    people = People(database)
    told = await asyncio.gather(*(people.may_tell(ANN, "c", now_ms=NOW_MS) for _ in range(20)))
    assert sorted(told) == [False] * 19 + [True]
    assert not await people.may_tell(ANN, "c", now_ms=NOW_MS + 3_599_999)
    assert await people.may_tell(ANN, "c", now_ms=NOW_MS + 3_600_000)


async def test_of_two_admins_one_decides(database: Database) -> None:
    people = People(database)
    asked = await people.ask(ANN, "Ann", now_ms=NOW_MS)
    decided = await asyncio.gather(*(people.approve(asked.code, "member", by=BOB, now_ms=NOW_MS) for _ in range(2)))
    assert sum(each is not None for each in decided) == 1
    assert len(await people.let_in()) == 1
