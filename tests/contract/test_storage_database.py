"""The database object, blobs, documents and settings, on both databases; locked, full and back again."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy import exc
from sqlmodel import Session

from engine.errors import SettingsInvalid, StorageError
from engine.storage.blobs import BlobStore
from engine.storage.config import ConfigStore
from engine.storage.database import FILE_NAME, Database
from engine.storage.documents import DocumentStore
from engine.storage.statement import change, execute
from gateway.migrations import HEAD, migrate, revision
from tests.contract.conftest import Place
from tests.contract.processes.house import running


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    opened = Database(place.url, place.home, busy_ms=100)
    yield opened
    opened.close()


async def count(database: Database) -> int:
    return await database.read(lambda s: int(execute(s, "SELECT count(*) FROM nm_config").scalar_one()))


def insert(session: Session, key: str = "k") -> int:
    return change(session, "INSERT INTO nm_config VALUES ('s', :key, '1')", key=key)


async def test_a_function_is_one_transaction(database: Database) -> None:
    def half(session: Session) -> None:
        insert(session)
        raise LookupError

    with pytest.raises(LookupError):
        await database.run(half)
    assert await count(database) == 0
    assert await database.run(insert) == 1
    assert await count(database) == 1


async def test_writes_at_once_lose_nothing(database: Database) -> None:
    def add(session: Session) -> None:
        execute(session, "UPDATE nm_config SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)")

    await database.run(insert)
    await asyncio.gather(*(database.run(add) for _ in range(40)))
    assert await database.read(lambda s: execute(s, "SELECT value FROM nm_config").scalar()) == "41"


async def test_a_wrong_statement_is_no_outage(database: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError):
        await database.run(lambda session: execute(session, "SELECT * FROM nowhere"))
    assert database.health().ok


async def test_an_outage_without_words_is_an_outage_and_the_next_write_goes_on(database: Database) -> None:
    def fail(_session: Session) -> None:
        raise exc.OperationalError("COMMIT", None, sqlite3.OperationalError(""))

    with pytest.raises(StorageError) as caught:
        await asyncio.wait_for(database.run(fail), 5)
    assert (caught.value.code, database.health().reason) == ("storage_away", "OperationalError")
    assert await asyncio.wait_for(database.run(insert), 5) == 1


async def test_the_clock_of_the_database_is_the_time(database: Database) -> None:
    import time

    sql = f"SELECT {database.dialect.now_ms}"
    told = await database.read(lambda session: int(execute(session, sql).scalar_one()))
    assert abs(told - time.time() * 1000) < 5000


async def test_migrating_again_changes_nothing(database: Database) -> None:
    assert revision(database) == HEAD
    migrate(database)
    assert revision(database) == HEAD


async def test_two_processes_may_migrate_at_once(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("empty")
    first, second = Database(place.url, home), Database(place.url, home)
    if place.name == "postgres":
        drop = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"
        await first.run(lambda session: session.connection().exec_driver_sql(drop))
    threads = [threading.Thread(target=migrate, args=(each,)) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert revision(first) == revision(second) == HEAD
    first.close()
    second.close()


async def test_blobs_are_kept_once_by_their_hash(database: Database) -> None:
    blobs = BlobStore(database)
    name = await blobs.write(b"content" * 1000)
    assert name == await blobs.write(b"content" * 1000) and len(name) == 64
    assert await blobs.read(name) == b"content" * 1000
    for stranger in ("0" * 64, "../../etc/passwd"):
        with pytest.raises(KeyError):
            await blobs.read(stranger)


async def test_files_that_cannot_be_reached_are_an_outage(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("Postgres keeps them in rows")
    database = Database(place.url, place.home)
    blobs, documents = BlobStore(database), DocumentStore(database)
    name = "ab" * 32
    (place.home / "blobs" / "ab").mkdir(parents=True)
    (place.home / "blobs" / "ab" / name).symlink_to(name)
    (place.home / "documents" / "folder").mkdir(parents=True)
    with pytest.raises(StorageError):
        await blobs.read(name)
    with pytest.raises(StorageError):
        await documents.delete("folder")
    database.close()


async def test_blobs_that_nobody_wrote_for_long_are_forgotten(database: Database) -> None:
    blobs, now_ms = BlobStore(database), time.time_ns() // 1_000_000
    name = await blobs.write(b"once")
    assert await blobs.forget(now_ms - 60_000) == 0 and await blobs.read(name) == b"once"
    assert await blobs.forget(now_ms + 60_000) == 1
    with pytest.raises(KeyError):
        await blobs.read(name)
    assert await blobs.write(b"once") == name and await blobs.read(name) == b"once"


async def test_documents_are_whole_and_stay_inside(database: Database) -> None:
    documents = DocumentStore(database)
    assert await documents.read("memory/MEMORY.md") is None
    await documents.write("memory/MEMORY.md", "字" * 10_000)
    await documents.write("memory/MEMORY.md", "new")
    await documents.write("agents/a_b.md", "x")
    assert await documents.read("memory/MEMORY.md") == "new"
    assert await documents.list() == ["agents/a_b.md", "memory/MEMORY.md"]
    assert await documents.list("memory/") == ["memory/MEMORY.md"]
    await documents.delete("memory/MEMORY.md")
    await documents.delete("memory/MEMORY.md")
    assert await documents.list() == ["agents/a_b.md"]
    for outside in ("../x", "/etc/passwd", "a/../../x", "", "a\0b"):
        with pytest.raises(ValueError, match="outside"):
            await documents.read(outside)


async def test_settings_are_kept_by_scope(database: Database) -> None:
    config = ConfigStore(database)
    await config.set("system", "models.default", "main")
    await config.set("system", "models.default", {"name": "other"})
    await config.set("agent", "models.default", "third")
    assert await config.get("system", "models.default") == {"name": "other"}
    await config.set("system", "models.default", None)
    assert await config.all("system") == {} and await config.get("agent", "models.default") == "third"


async def test_an_unknown_address_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(SettingsInvalid, match="neither"):
        Database("mysql://x", tmp_path_factory.mktemp("x"))


async def test_a_locked_file_is_said_and_passes(sqlite_template: object, place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("Postgres has no lock on the whole database")
    database = Database(place.url, place.home, busy_ms=100)
    other = sqlite3.connect(place.home / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError) as caught:
        await database.run(insert)
    assert (caught.value.code, database.health().code) == ("storage_locked", "locked")
    other.execute("ROLLBACK")
    other.close()
    assert await database.run(insert) == 1
    assert database.health().ok
    database.close()


async def test_a_full_disk_is_said_and_passes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.storage.database.FULL_IS_TOLD_S", 0.0)
    if place.name != "sqlite":
        pytest.skip("the limit is a pragma of SQLite")
    database = Database(place.url, place.home)

    def fill(session: Session) -> None:
        connection = session.connection()
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        try:
            for n in range(1000):
                execute(session, "INSERT INTO nm_config VALUES ('s', :key, :value)", key=str(n), value="x" * 4000)
        finally:
            connection.exec_driver_sql("PRAGMA max_page_count = 1073741823")

    with pytest.raises(StorageError) as caught:
        await database.run(fill)
    assert (caught.value.code, database.health().code) == ("storage_full", "full")
    assert await count(database) == 0
    assert await database.run(insert) == 1
    assert database.health().ok
    database.close()


async def test_a_database_that_is_away_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    database = Database("postgresql://nobody@127.0.0.1:9/none", tmp_path_factory.mktemp("x"))
    with pytest.raises(StorageError) as caught:
        await database.run(insert)
    assert (caught.value.code, database.health().code) == ("storage_away", "away")
    database.close()


async def test_while_it_is_locked_nothing_is_acked_readiness_is_red_and_runs_wait(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("Postgres has no lock on the whole database")
    begun, go = asyncio.Event(), asyncio.Event()

    from engine.ports import Outcome, RunScope

    async def think() -> str:
        begun.set()
        await go.wait()
        return "thought"

    async def work(scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=await scope.step("think", think, result=str))

    async with running(place.url, place.home, work, busy_ms=100) as house:
        submitted = await house.say("hello")
        await begun.wait()
        other = sqlite3.connect(place.home / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        go.set()
        with pytest.raises(StorageError):
            await house.say("not stored")
        checks = house.runtime.readiness()
        assert (checks[0].name, checks[0].ok, checks[0].code) == ("database", False, "locked")
        assert (await house.runtime.run_view(submitted.run)).status == "running"
        other.execute("ROLLBACK")
        other.close()
        assert (await house.ended(submitted.run)).answer == "thought"
        assert all(check.ok for check in house.runtime.readiness())
        assert not (await house.say("not stored")).duplicate


def test_the_newest_revision_is_the_one_the_program_asks_for() -> None:
    from alembic.script import ScriptDirectory

    from gateway.migrations.upgrade import alembic_config

    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [HEAD]


def test_many_that_make_the_file_at_once_wait_for_each_other(tmp_path: Path) -> None:
    databases = [Database("sqlite", tmp_path) for _ in range(8)]
    failed: list[Exception] = []

    def look(database: Database) -> None:
        try:
            database.read_now(lambda session: session.connection().exec_driver_sql("SELECT 1").scalar())
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=look, args=(each,)) for each in databases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for database in databases:
        database.close()
    assert failed == []
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0
