"""The store of people, on both databases: also when several processes ask at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from engine.runs import view
from engine.runtime import Database
from gateway.stores.people import Known, People, people
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


@pytest.mark.parametrize("asked", [people._KNOWN.text, people._TELL.text, view._ANY])
def test_what_messages_ask_is_found_by_key(sqlite_template: Path, asked: str) -> None:
    engine = sa.create_engine(f"sqlite:///file:{sqlite_template}?mode=ro&uri=true")
    values = dict.fromkeys(re.findall(r":(\w+)", asked), 1)
    with engine.connect() as connection:
        plan = [row.detail for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {asked}"), values)]
    engine.dispose()
    assert not [step for step in plan if step.startswith("SCAN nm_")], plan


async def test_a_request_is_made_decided_and_taken_back(database: Database) -> None:
    store = People(database)
    asked = await store.ask(ANN, "", now_ms=NOW_MS)
    again = await store.ask(ANN, "Ann", now_ms=NOW_MS + 1)
    assert (asked.state, again.state, again.code) == ("new", "known", asked.code)
    assert [(each.person, each.name) for each in await store.pending(now_ms=NOW_MS)] == [(ANN, "Ann")]
    found = await store.approve(asked.code, "guest", by=BOB, account="fake:main", now_ms=NOW_MS)
    assert found is not None and found.person == ANN
    assert await store.known(ANN, "c") == Known("guest", None, None)
    assert [(row.person, row.rank, row.by) for row in await store.let_in()] == [(ANN, "guest", BOB)]
    second = await store.ask(ANN, "Ann", now_ms=NOW_MS)
    assert await store.approve(second.code, "member", by="", now_ms=NOW_MS) is not None
    assert await store.known(ANN, "c") == Known("member", None, None), "let in again, with another rank"
    assert await store.revoke(ANN) and await store.known(ANN, "c") == Known()


async def test_a_conversation_decides_and_takes_it_back(database: Database) -> None:
    store = People(database)
    await store.decide_conversation("c", {"groups": "open"}, by=ANN, at_ms=NOW_MS)
    await store.decide_conversation("c", {"threads": "mention"}, by=ANN, at_ms=NOW_MS + 1)
    assert await store.known(BOB, "c") == Known(None, "open", "mention")
    await store.decide_conversation("c", {"groups": "off"}, by=ANN, at_ms=NOW_MS)
    assert await store.known(BOB, "c") == Known(None, "open", "mention"), "older than what holds"
    await store.decide_conversation("c", {"groups": None, "threads": None}, by=ANN, at_ms=NOW_MS + 2)
    assert await store.known(BOB, "c") == Known()


async def test_of_many_processes_one_tells(database: Database) -> None:
    store = People(database)
    told = await asyncio.gather(*(store.may_tell(ANN, "c", now_ms=NOW_MS) for _ in range(20)))
    assert sorted(told) == [False] * 19 + [True]
    assert not await store.may_tell(ANN, "c", now_ms=NOW_MS + 3_599_999)
    assert await store.may_tell(ANN, "c", now_ms=NOW_MS + 3_600_000)


async def test_of_many_strangers_who_ask_at_once_three_wait(database: Database) -> None:
    store = People(database)
    asked = await asyncio.gather(*(store.ask(f"fake:main:p{n}", "", now_ms=NOW_MS) for n in range(24)))
    assert sorted(each.state for each in asked) == ["full"] * 21 + ["new"] * 3
    again = await asyncio.gather(*(store.ask("fake:other:ann", "", now_ms=NOW_MS) for _ in range(8)))
    assert sorted(each.state for each in again) == ["known"] * 7 + ["new"], "of one person who asks twice at once"


async def test_of_two_admins_one_decides(database: Database) -> None:
    store = People(database)
    asked = await store.ask(ANN, "Ann", now_ms=NOW_MS)
    decided = await asyncio.gather(*(store.approve(asked.code, "member", by=BOB, now_ms=NOW_MS) for _ in range(2)))
    assert sum(each is not None for each in decided) == 1
    assert len(await store.let_in()) == 1
