"""What an operator sees of runs and does to them from beside the process that works on them, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from engine.messages import Address, RunId
from engine.ports import UNPROVEN, Outcome, Owed, RunScope
from engine.runs.archive import Archive
from engine.runs.records import RunFilter
from engine.storage.database import Database
from engine.storage.statement import execute
from gateway.clock import SystemClock
from tests.contract.conftest import Place
from tests.contract.processes.house import FAST, House, inbox_key, running

ALL = RunFilter()
GONE = Owed(reason="chat_gone", permanent=True)
DOUBTED = Owed(reason=UNPROVEN, permanent=True)


@asynccontextmanager
async def visiting(url: str, home: Path) -> AsyncIterator[Archive]:
    """Visit the database as another process does."""
    database = Database(url, home)
    try:
        yield Archive(database, SystemClock().now_ms)
    finally:
        database.close()


async def found(archive: Archive, which: RunFilter = ALL) -> list[tuple[str, list[tuple[str, str, str]]]]:
    rows = await archive.list(which)
    return [(each.run.id, [(row.kind, row.state, row.reason) for row in each.deliveries]) for each in rows]


async def settled(house: House) -> None:
    await asyncio.sleep(0.05)
    await house.until(lambda: not house.runs._deliveries._tries)


async def wait_for(work: RunScope) -> Outcome:
    await work.stopped()
    return Outcome(status="stopped", answer="so far")


async def test_runs_are_listed_newest_first_and_chosen(place: Place) -> None:
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        first = (await house.say("hello")).run
        await house.ended(first)
        house.surface.refuse = GONE
        second = (await house.say("again", to="chat:thread")).run
        await house.ended(second)
        fine, dead = (first, [("final", "delivered", "")]), (second, [("final", "failed", "chat_gone")])
        assert await found(archive) == [dead, fine]
        assert await found(archive, RunFilter(dead=True)) == [dead]
        assert await found(archive, RunFilter(conversation="chat")) == [dead, fine], "with its threads"
        assert await found(archive, RunFilter(conversation="chat:thread")) == [dead]
        assert await found(archive, RunFilter(conversation="cha")) == []
        assert await found(archive, RunFilter(state="failed")) == []
        assert await found(archive, RunFilter(open=True)) == []
        assert await found(archive, RunFilter(most=1)) == [dead]
        now_ms = SystemClock().now_ms()
        assert await found(archive, RunFilter(since_ms=now_ms + 1)) == []
        assert len(await found(archive, RunFilter(since_ms=now_ms - 60_000))) == 2


async def test_a_delivery_is_retried_from_beside(place: Place) -> None:
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        house.surface.refuse = house.surface.refuse_deliver = GONE
        run = (await house.say("hello")).run
        await house.ended(run)
        assert await archive.retry_delivery(run) == "owed"
        await house.until(lambda: len(house.seen("deliver_refused", run)) == 1, 10)
        await settled(house)
        assert await found(archive) == [(run, [("final", "failed", "chat_gone")])], "one more failure ends it again"
        house.surface.refuse_deliver = None
        assert await archive.retry_delivery(run) == "owed"
        house.runs.replica.owed.set()
        await house.until(lambda: house.seen("deliver", run), 10)
        await settled(house)
        assert await found(archive) == [(run, [("final", "delivered", "")])]
        assert await archive.retry_delivery(run) == "none"
        assert await archive.retry_delivery(RunId("nobody")) == "unknown"


async def test_what_may_have_arrived_is_never_the_same_message_again(place: Place) -> None:
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        house.surface.refuse = DOUBTED
        run = (await house.say("hello")).run
        await house.ended(run)
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        await asyncio.sleep(0.3)
        assert await found(archive) == [(run, [("final", "failed", UNPROVEN)])], "a restart leaves it alone"
        assert house.seen("deliver", run) == []
        assert house.runs.dead_letters.unproven == 1
        assert await archive.retry_delivery(run) == "owed"
        house.runs.replica.owed.set()
        await house.until(lambda: house.seen("deliver", run), 10)
        await settled(house)
        assert [line["again"] is not None for line in house.seen("deliver", run)] == [True]
        assert await found(archive) == [(run, [("final", "delivered", ""), ("again", "delivered", "")])]
        await house.until(lambda: house.runs.dead_letters.count == 0)


async def test_an_answer_is_sent_again_once_for_each_asking(place: Place) -> None:
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        run = (await house.say("hello")).run
        await house.ended(run)
        chat = Address("chat")
        assert await house.runtime.resend(inbox_key("a", "command"), chat, run) == "owed"
        assert await house.runtime.resend(inbox_key("a", "command"), chat, run) is None, "a redelivery"
        await house.until(lambda: len(house.seen("deliver", run)) == 1)
        await settled(house)
        assert await house.runtime.resend(inbox_key("b", "command"), chat, run) == "owed"
        await house.until(lambda: len(house.seen("deliver", run)) == 2)
        await settled(house)
        told = [line["again"] for line in house.seen("deliver", run)]
        assert len(set(told)) == 2 and None not in told
        assert await house.runtime.resend(inbox_key("c", "command"), chat, RunId("nobody")) == "unknown"
        assert [kind for kind, *_ in (await found(archive))[0][1]] == ["final", "again", "again"]


async def test_what_is_still_owed_is_hastened_not_doubled(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.refuse = house.surface.refuse_deliver = Owed(reason="down")
        run = (await house.say("hello")).run
        await house.ended(run)
        await house.until(lambda: house.seen("deliver_refused", run))
        await settled(house)
        sql = "UPDATE nm_delivery SET due_at = due_at + 600000 WHERE run = :run"
        await house.runtime.database.run(lambda s: execute(s, sql, run=run))
        house.surface.refuse_deliver = None
        assert await house.runtime.resend(inbox_key("a", "command"), Address("chat"), run) == "on_its_way"
        await house.until(lambda: house.seen("deliver", run), 5)
        await house.until(lambda: not house.runs._deliveries._tries)
        await asyncio.sleep(0.3)
        assert len(house.seen("deliver", run)) == 1, "who asked has it"
        async with visiting(place.url, place.home) as archive:
            states = [("final", "delivered", ""), ("again", "unchanged", "came_meanwhile")]
            assert await found(archive) == [(run, states)]


async def test_who_asks_again_does_not_wait_for_who_takes_the_row(place: Place) -> None:
    """The queue locks a row and then its run, who asks locks the run first: waiting for each other would end one."""
    if place.name == "sqlite":
        pytest.skip("one writer: nobody waits for anybody")
    async with running(place.url, place.home) as house:
        house.surface.refuse = house.surface.refuse_deliver = Owed(reason="down")
        run = (await house.say("hello")).run
        await house.ended(run)
        await house.until(lambda: house.seen("deliver_refused", run))
        await settled(house)
        with psycopg.connect(place.url) as taker:
            taker.execute("UPDATE nm_delivery SET due_at = due_at + 600000 WHERE run = %s", [run])
            taker.commit()
            taker.execute("SELECT 1 FROM nm_delivery WHERE run = %s FOR UPDATE", [run])
            async with asyncio.timeout(5):
                assert await house.runtime.resend(inbox_key("a", "command"), Address("chat"), run) == "on_its_way"
            taker.execute("SELECT 1 FROM nm_run WHERE id = %s FOR UPDATE NOWAIT", [run])


async def test_a_run_is_stopped_from_beside_and_shown_whole(place: Place) -> None:
    async with running(place.url, place.home, wait_for) as house, visiting(place.url, place.home) as archive:
        run = (await house.say("hello")).run
        behind = (await house.say("and then")).run
        await house.until(lambda: house.seen("opened", run))
        waiting = await archive.show(behind)
        assert waiting is not None and [(each.what, each.count) for each in waiting.waits] == [("turn", 1)]
        assert (await found(archive, RunFilter(open=True)))[0] == (behind, [])
        assert await archive.stop(run) == "accepted"
        assert await archive.stop(run) in ("accepted", "ended"), "a second time changes nothing"
        assert (await house.ended(run, 10)).status == "stopped"
        assert await archive.stop(behind) == "accepted"
        await house.ended(behind, 10)
        assert await archive.stop(run) == "ended"
        assert await archive.stop(RunId("nobody")) == "unknown"
        shown = await archive.show(run)
        assert shown is not None and shown.waits == []
        assert [(each.kind, each.person, each.fate) for each in shown.controls] == [("stop", "operator", "consumed")]
        assert f"card-{run}" not in shown.card_ids, "only what is an id by its name"
        assert {step.path for step in shown.steps} >= {"final", "surface/open/entity", "surface/open/send"}
        assert [row.state for row in shown.deliveries] == ["delivered"]
        assert await archive.find(shown.run.code.lower()) == await archive.find(run) == shown.run
        assert await archive.find("nobody") is None


async def test_words_left_at_an_ended_run_are_shown(place: Place) -> None:
    async with running(place.url, place.home) as house, visiting(place.url, place.home) as archive:
        run = (await house.say("hello")).run
        await house.ended(run)
        left = """INSERT INTO nm_control (run, id, kind, person, body, at, taken_by)
VALUES (:run, 'late', 'approve', 'ann', '{}', 1, 'end')"""
        await house.runtime.database.run(lambda s: execute(s, left, run=run))
        shown = await archive.show(run)
        assert shown is not None
        assert [(each.kind, each.fate, each.taken_by) for each in shown.controls] == [("approve", "left", "")]


@pytest.mark.parametrize("end", ["done", "failed", "stopped", "timed_out", "raised", "poisoned", "interrupted"])
async def test_every_end_has_one_row_for_its_answer(sqlite_template: Path, tmp_path: Path, end: str) -> None:
    (tmp_path / "niuma.db").write_bytes(sqlite_template.read_bytes())

    async def work(scope: RunScope) -> Outcome:
        if end == "raised":
            raise RuntimeError("a bug")
        if end in ("timed_out", "interrupted"):
            await asyncio.sleep(60)
        if end == "stopped":
            return await wait_for(scope)
        return Outcome(status="failed" if end == "failed" else "done", error="model_down" if end == "failed" else None)

    limits = {"time_limit_s": 0.2} if end == "timed_out" else {"resume": False} if end == "interrupted" else {}
    settings = FAST.model_copy(update={"drain_s": 0.2, **limits})
    async with running("sqlite", tmp_path, work, settings=settings) as house:
        if end == "poisoned":
            house.runs.replica.draining.set()
        run = (await house.say("hello")).run
        if end == "poisoned":
            stuck = "UPDATE nm_run SET stuck = 6, excused = 0, seen = 99"
            await house.runtime.database.run(lambda s: execute(s, stuck))
            house.runs.replica.draining.clear()
            house.runs._queue.kick()
        if end == "stopped":
            await house.stop_run(run)
        if end == "interrupted":
            await house.until(lambda: house.seen("opened", run))
        else:
            await house.ended(run)
            await house.until(lambda: house.seen("deliver" if end == "poisoned" else "final", run))
            await settled(house)
    async with visiting("sqlite", tmp_path) as archive:
        (one,) = await archive.list(RunFilter())
        assert one.run.status == {"done": "done", "stopped": "stopped", "interrupted": "interrupted"}.get(end, "failed")
        assert [(row.kind, row.state) for row in one.deliveries] == [("final", "delivered")]
