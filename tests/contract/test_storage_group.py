"""Writes that share a commit stay as alone as if they did not: their failures, their order, their answers."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from engine.errors import StorageError
from engine.sessions.tables import MessageRow
from engine.storage.database import FILE_NAME, Database
from engine.storage.statement import change, execute
from tests.contract.conftest import Place

Fn = Callable[[Session], Any]


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    opened = Database(place.url, place.home, busy_ms=100)
    yield opened
    opened.close()


@pytest.fixture
async def embedded(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Database]:
    (tmp_path / FILE_NAME).write_bytes(sqlite_template.read_bytes())
    opened = Database("sqlite", tmp_path, busy_ms=100)
    yield opened
    opened.close()


def insert(key: str, value: str = "1") -> Fn:
    return lambda session: change(session, "INSERT INTO nm_config VALUES ('s', :key, :value)", key=key, value=value)


def then(*fns: Fn) -> Fn:
    return lambda session: [fn(session) for fn in fns][-1]


def fail(_session: Session) -> None:
    raise LookupError("its own")


async def keys(database: Database) -> set[str]:
    return set(await database.read(lambda s: execute(s, "SELECT key FROM nm_config").scalars().all()))


async def at_once(database: Database, *fns: Fn) -> list[Any]:
    """Hand all to the writer while it is busy, so that they share its next commit."""
    begun, go = threading.Event(), threading.Event()

    def hold(_session: Session) -> None:
        begun.set()
        go.wait(10)

    first = asyncio.ensure_future(database.run(hold))
    await asyncio.to_thread(begun.wait, 10)
    others = [asyncio.ensure_future(database.run(fn)) for fn in fns]
    await asyncio.sleep(0)
    go.set()
    await first
    return await asyncio.gather(*others, return_exceptions=True)


async def test_what_waits_shares_a_commit(embedded: Database) -> None:
    assert await at_once(embedded, *(insert(str(n)) for n in range(10))) == [1] * 10
    assert embedded._writer is not None and embedded._writer.commits == 2
    assert len(await keys(embedded)) == 10


async def test_one_that_fails_undoes_only_its_own(database: Database) -> None:
    a, b, c, d, e = await at_once(
        database,
        insert("before"),
        then(insert("undone"), fail),
        then(insert("undone too"), insert("undone too")),
        then(insert("third"), lambda s: s.connection().exec_driver_sql("SELECT * FROM nowhere")),
        insert("after"),
    )
    assert (a, e) == (1, 1)
    assert isinstance(b, LookupError) and "UNIQUE" in str(c).upper() and "nowhere" in str(d)
    assert await keys(database) == {"before", "after"}


async def test_a_failed_flush_of_rows_undoes_only_its_own(database: Database) -> None:
    def row(n: int) -> Fn:
        def add(session: Session) -> None:
            session.add(MessageRow(session="s", n=n, run=str(n), path="p", body="{}", at=1))
            session.flush()

        return add

    first, second, third = await at_once(database, row(1), then(insert("gone"), row(1)), row(2))
    # Only the embedded database keeps the order of the calls.
    won = first is None
    assert won or not database.dialect.is_sqlite
    assert third is None and isinstance(second if won else first, Exception)
    assert await keys(database) == (set() if won else {"gone"})
    sql = "SELECT n FROM nm_message ORDER BY n"
    assert await database.read(lambda s: list(execute(s, sql).scalars())) == [1, 2]


async def test_a_failed_commit_reaches_all(embedded: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(connection: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    # The fault: the disk refuses at the commit; the dialect is where all commits pass.
    with monkeypatch.context() as patched:

        def break_commits(_session: Session) -> None:
            patched.setattr(embedded.engine.dialect, "do_commit", refuse)

        results = await at_once(embedded, break_commits, insert("a"), then(insert("b"), fail), insert("c"))
    first, second, third, fourth = results
    assert all(isinstance(each, StorageError) for each in (first, second, fourth))
    assert len({id(each) for each in (first, second, fourth)}) == 3, "an error of one's own for each caller"
    assert isinstance(third, LookupError)
    assert not embedded.health().ok
    assert await keys(embedded) == set()
    assert await embedded.run(insert("later")) == 1 and embedded.health().ok


async def test_neighbours_survive_a_transaction_that_the_database_takes_back(embedded: Database) -> None:
    def taken_back(session: Session) -> None:
        insert("lost")(session)
        # What SQLite does by itself when the disk is full in the wrong moment.
        session.connection().connection.dbapi_connection.rollback()  # type: ignore[union-attr]
        raise sqlite3.OperationalError("database or disk is full")

    first, second, third = await at_once(embedded, insert("before"), taken_back, insert("after"))
    assert first == third == 1 and isinstance(second, sqlite3.OperationalError)
    assert await keys(embedded) == {"before", "after"}


async def test_a_locked_file_is_said_to_all_and_passes(embedded: Database) -> None:
    other = sqlite3.connect(embedded.folder / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    results = await asyncio.gather(*(embedded.run(insert(str(n))) for n in range(5)), return_exceptions=True)
    assert [getattr(each, "code", each) for each in results] == ["storage_locked"] * 5
    other.execute("ROLLBACK")
    other.close()
    assert await embedded.run(insert("x")) == 1 and await keys(embedded) == {"x"}


async def test_order_is_kept_and_each_sees_what_came_before(embedded: Database) -> None:
    seen: list[int] = []

    def look(n: int) -> Fn:
        def fn(session: Session) -> int:
            seen.append(n)
            count = int(execute(session, "SELECT count(*) FROM nm_config").scalar_one())
            insert(str(n))(session)
            return count

        return fn

    assert await at_once(embedded, *(look(n) for n in range(200))) == list(range(200))
    assert seen == list(range(200))


async def test_nobody_is_answered_before_the_commit(embedded: Database) -> None:
    held, free, begun, go = (threading.Event() for _ in range(4))
    hold = asyncio.ensure_future(embedded.run(lambda s: (held.set(), free.wait(10))))
    await asyncio.to_thread(held.wait, 10)
    quick = asyncio.ensure_future(embedded.run(insert("quick")))
    slow = asyncio.ensure_future(embedded.run(lambda s: (begun.set(), go.wait(10))))
    await asyncio.sleep(0)
    free.set()
    await hold
    await asyncio.to_thread(begun.wait, 10)
    assert not quick.done() and await keys(embedded) == set()
    go.set()
    await asyncio.gather(quick, slow)
    assert await keys(embedded) == {"quick"}


async def test_closing_writes_what_waits(place: Place) -> None:
    database = Database(place.url, place.home)
    waiting = [asyncio.ensure_future(database.run(insert(str(n)))) for n in range(300)]
    await asyncio.sleep(0)
    await asyncio.to_thread(database.close)
    assert await asyncio.gather(*waiting) == [1] * 300
    with pytest.raises(RuntimeError):
        await database.run(insert("late"))
    again = Database(place.url, place.home)
    assert len(await keys(again)) == 300
    again.close()


async def test_a_caller_that_left_before_its_turn_writes_nothing(embedded: Database) -> None:
    begun, go = threading.Event(), threading.Event()
    first = asyncio.ensure_future(embedded.run(lambda s: (begun.set(), go.wait(10))))
    await asyncio.to_thread(begun.wait, 10)
    left = asyncio.ensure_future(embedded.run(insert("left")))
    stays = asyncio.ensure_future(embedded.run(insert("stays")))
    await asyncio.sleep(0)
    left.cancel()
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(first, stays)
    assert await keys(embedded) == {"stays"}


async def test_a_transaction_within_a_transaction_is_a_bug_that_does_not_hang(embedded: Database) -> None:
    with pytest.raises(RuntimeError, match="waits for another"):
        await embedded.run(lambda session: embedded.run_now(insert("inner")))


async def test_a_stranger_that_writes_beside_us_is_waited_for_without_a_failure(embedded: Database) -> None:
    def beside() -> None:
        with embedded.engine.begin() as connection:
            connection.exec_driver_sql("INSERT INTO nm_config VALUES ('s', 'beside', '1')")
            holding.set()
            go.wait(10)

    holding, go = threading.Event(), threading.Event()
    thread = threading.Thread(target=beside)
    thread.start()
    await asyncio.to_thread(holding.wait, 10)
    ours = asyncio.ensure_future(embedded.run(insert("ours")))
    await asyncio.sleep(0.05)
    assert not ours.done()
    go.set()
    assert await ours == 1
    thread.join()
    assert await keys(embedded) == {"beside", "ours"}
