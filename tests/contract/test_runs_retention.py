"""What is forgotten, and what is not: nothing living refers to what is gone, and one replica does the work."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

from engine.events import MAX_BODY_BYTES, RunEvent
from engine.messages import FilePart, RunId, SessionId, TextPart, UserMessage
from engine.ports import Outcome, Owed, RunScope
from engine.runs.retention import DAY_MS, LOCK_ID, Retention
from engine.sessions.branch import Branch, grow
from engine.sessions.store import append, begin_session, history
from engine.storage.blobs import BlobStore
from engine.storage.statement import execute
from engine.tools.received import put_received
from engine.tools.workspace import workspace_for
from tests.contract.conftest import Place
from tests.contract.processes.house import FAST, House, running

LONG_AGO_DAYS = 200


@pytest.fixture
async def house(place: Place) -> AsyncIterator[House]:
    async with running(place.url, place.home) as house:
        yield house


def retention(house: House) -> Retention:
    return Retention(house.runs.replica, house.runs._queue, FAST)


async def sql(house: House, statement: str, **values: object) -> list[tuple[Any, ...]]:
    def do(session: Any) -> list[tuple[Any, ...]]:
        result = execute(session, statement, **values)
        return [tuple(row) for row in result] if result.returns_rows else []

    return await house.runtime.database.run(do)


def ago_ms(house: House, days: float) -> int:
    return house.runs.replica.clock.now_ms() - int(days * DAY_MS)


async def finished_long_ago(house: House, words: str, to: str = "chat") -> RunId:
    run = (await house.say(words, to=to)).run
    await house.ended(run)
    await age(house, run)
    return run


async def age(house: House, run: RunId) -> None:
    old = {"at": ago_ms(house, LONG_AGO_DAYS), "run": run}
    await sql(house, "UPDATE nm_run SET created_at = :at, ended_at = :at WHERE id = :run", **old)


async def age_blobs(house: House) -> None:
    if house.runtime.database.dialect.is_sqlite:
        for path in (house.runtime.database.folder / "blobs").glob("*/*"):
            os.utime(path, (1_000, 1_000))
    else:
        await sql(house, "UPDATE nm_blob SET at = 0")


async def said(house: House, session_id: str, days: float, *words: str, blob: str = "") -> None:
    """Say something in a session of the conversation `chat` that began so long ago."""
    at_ms = ago_ms(house, days)
    parts = [TextPart(text=each) for each in words] + (
        [FilePart(blob=blob, name="a.png", mime="image/png")] * bool(blob)
    )

    def write(session: Any) -> None:
        begin_session(session, "chat", id=SessionId(session_id), now_ms=at_ms)
        for n, part in enumerate(parts):
            message = UserMessage(parts=(part,))
            append(session, SessionId(session_id), message, run=f"{session_id}-{days}", path=f"{n}", now_ms=at_ms)

    await house.runtime.database.run(write)


def session_id(house: House, days: float) -> str:
    return f"{ago_ms(house, days):012x}abcdef"


async def test_a_blob_lives_as_long_as_a_run_that_refers_to_it(place: Place) -> None:
    async def tells_much(scope: RunScope) -> Outcome:
        def events(value: str) -> list[RunEvent]:
            return [RunEvent(run=scope.id, type="text", content=value, segment="model/1")]

        async def think() -> str:
            return scope.input.text[0] * (MAX_BODY_BYTES + 1)

        await scope.step("model/1", think, result=str, events=events)
        return Outcome(status="done", answer="said")

    async with running(place.url, place.home, tells_much) as house:
        await finished_long_ago(house, "gone")
        house.surface.refuse = house.surface.refuse_deliver = Owed(reason="away", away=True)
        owed = (await house.say("owed")).run
        await house.until(lambda: house.seen("deliver_refused", owed))
        await age(house, owed)
        young = (await house.say("young")).run
        await house.ended(young)
        await age_blobs(house)
        assert await retention(house).clean() == 1
        assert [len(each.content) for each in await house.runtime.events(owed) if each.type == "text"], "owed"
        with pytest.raises(KeyError):  # older than any run that is kept: the files of `young` were made old by hand
            await house.runtime.events(young)


async def test_a_picture_lives_as_long_as_the_message_it_came_with(house: House) -> None:
    blobs = BlobStore(house.runtime.database)
    kept, gone = await blobs.write(b"kept"), await blobs.write(b"gone")
    await said(house, session_id(house, 300), 300, "look", blob=gone)
    await age_blobs(house)
    held = asyncio.Event()
    house.runs._given_work = lambda _scope: _wait(held)
    run = (await house.say("open")).run
    await house.until(lambda: house.runs.replica.active)
    await said(house, session_id(house, 300), 300, "look", blob=kept)
    await retention(house).clean()
    assert await blobs.read(kept) == b"kept" and await blobs.read(gone) == b"gone", "its conversation has an open run"
    held.set()
    await house.ended(run)
    await retention(house).clean()
    for name in (kept, gone):
        with pytest.raises(KeyError):
            await blobs.read(name)


async def test_a_picture_lives_as_long_as_a_copy_of_its_message_in_a_thread(house: House) -> None:
    blobs = BlobStore(house.runtime.database)
    kept = await blobs.write(b"kept")
    stem, thread = session_id(house, 110), session_id(house, 30)
    await said(house, stem, 110, "look", blob=kept)

    def branch(session: Any) -> None:
        begin_session(session, "chat:thread", id=SessionId(thread), now_ms=ago_ms(house, 30))
        grow(session, Branch(session=SessionId(stem), upto=2), into=SessionId(thread), most=9)

    await house.runtime.database.run(branch)
    await age_blobs(house)
    await retention(house).clean()
    assert await sql(house, "SELECT session, n FROM nm_message ORDER BY n") == [(thread, 1), (thread, 2)]
    assert await blobs.read(kept) == b"kept"


async def _wait(held: asyncio.Event) -> Outcome:
    await held.wait()
    return Outcome(status="done", answer="done")


async def test_what_was_said_long_ago_is_forgotten_and_a_session_that_goes_on_loses_its_beginning(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.sessions.forgetting.MESSAGES_AT_ONCE", 2)
    monkeypatch.setattr("engine.sessions.forgetting.SESSIONS_AT_ONCE", 1)
    old, older, long = (session_id(house, days) for days in (120, 150, 180))
    await said(house, older, 150, "a", "b", "c", "d", "e")
    await said(house, old, 120, "f", "g")
    await said(house, long, 180, "beginning", "and more", "and more of it")
    await said(house, long, 1, "yesterday")
    await retention(house).clean()
    assert await sql(house, "SELECT id FROM nm_session") == [(long,)]
    assert await sql(house, "SELECT session, n FROM nm_message") == [(long, 4)]
    await said(house, long, 0, "today")
    remembered = await house.runtime.database.read(lambda s: history(s, SessionId(long), upto=5, limit=9))
    assert [each.parts[0].text for each in remembered] == ["yesterday", "today"]  # type: ignore[union-attr]


async def test_the_counter_of_a_line_is_forgotten_with_its_last_run_and_order_holds(house: House) -> None:
    for words in ("one", "two"):
        await finished_long_ago(house, words, to="rests")
    await finished_long_ago(house, "three", to="lives")
    last = (await house.say("four", to="lives")).run
    await house.ended(last)
    await retention(house).clean()
    assert dict(await sql(house, "SELECT conv, seq FROM nm_conv")) == {"lives": 2}
    again = (await house.say("five", to="rests")).run
    assert (await house.ended(again)).answer == "answer to five"


async def test_a_lane_goes_after_the_run_it_belongs_to(house: House) -> None:
    parent, lane = await finished_long_ago(house, "parent"), await finished_long_ago(house, "lane")
    await sql(house, "UPDATE nm_run SET parent = :parent WHERE id = :lane", parent=parent, lane=lane)
    await sql(house, "UPDATE nm_run SET ended_at = :at WHERE id = :run", at=ago_ms(house, 1), run=parent)
    assert await retention(house).clean() == 0
    await age(house, parent)
    assert await retention(house).clean() == 2


async def test_an_attempt_goes_alone_and_its_old_card_is_told_so(house: House) -> None:
    first = (await house.say("question")).run
    await house.ended(first)
    again = (await house.press(first, "retry")).run
    assert again is not None
    await house.ended(again)
    await age(house, first)
    await house.until(lambda: house.seen("deliver", first))
    assert await retention(house).clean() == 1
    assert (await house.press(first, "retry")).code == "stale"
    assert (await house.press(again, "satisfied")).code == "verdict"


async def test_of_several_replicas_one_forgets_and_each_sweeps_its_own_folder(place: Place) -> None:
    if place.name == "sqlite":
        pytest.skip("there is one process")
    async with running(place.url, place.home) as house:
        await finished_long_ago(house, "old")
        work = workspace_for(place.home, "fake:main:t:c")
        path = work / put_received(work, "plan.txt", b"plan")
        os.utime(path, (1_000, 1_000))
        with psycopg.connect(place.url) as other:
            other.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_ID])
            assert await retention(house).clean() == 0
        assert not path.exists()
        assert await retention(house).clean() == 1


async def test_a_run_that_somebody_holds_is_not_forgotten_and_nobody_waits(place: Place) -> None:
    """Who asks for an old answer holds its run: what they owe must not be left behind without it."""
    if place.name == "sqlite":
        pytest.skip("one writer: nobody holds anything meanwhile")
    async with running(place.url, place.home) as house:
        run = await finished_long_ago(house, "old")
        with psycopg.connect(place.url) as asking:
            asking.execute("SELECT 1 FROM nm_run WHERE id = %s FOR UPDATE", [run])
            async with asyncio.timeout(1.5):
                assert await retention(house).clean() == 0
        assert await retention(house).clean() == 1


async def test_a_process_that_is_started_often_cleans_up_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(place.url, place.home) as house:
        await finished_long_ago(house, "old")
    monkeypatch.setattr("engine.runs.retention.FIRST_S", 0.01)
    async with running(place.url, place.home) as house:
        for _ in range(400):
            left = await sql(house, "SELECT id FROM nm_run")
            if not left:
                break
            await asyncio.sleep(0.05)
        assert left == []


async def test_a_run_is_found_by_its_code_in_either_case(house: House) -> None:
    run = (await house.say("hello")).run
    found = await house.runtime.conversations.by_code(run[-8:].lower())
    assert found is not None and found.id == run
    assert await house.runtime.conversations.by_code("ZZZZZZZZ") is None
