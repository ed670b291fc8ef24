"""A replica that was declared dead stops at once; what is old is forgotten."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from engine.messages import Address, RunId
from engine.ports import Outcome, Owed, RunScope
from engine.runs.retention import DAY_MS, Retention
from engine.storage.statement import execute
from engine.tools.received import put_received
from engine.tools.workspace import workspace_for
from tests.contract.conftest import Place
from tests.contract.processes.house import FAST, House, given, inbox_key, running


async def sql(house: House, statement: str, **values: object) -> list[tuple[object, ...]]:
    def do(session: object) -> list[tuple[object, ...]]:
        result = execute(session, statement, **values)  # type: ignore[arg-type]
        return [tuple(row) for row in result] if result.returns_rows else []

    return await house.runtime.database.run(do)


async def test_a_replica_declared_dead_cuts_its_runs_and_claims_no_more(place: Place) -> None:
    cut = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cut.set()
            raise
        raise AssertionError

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        await sql(house, "DELETE FROM nm_replica")
        async with asyncio.timeout(20):
            await house.runtime.lost()
            await cut.wait()
        await house.until(lambda: house.seen("abandon", run))
        assert house.runtime.readiness()[1].code == "lost"
        assert not house.seen("final")
        late = (await house.say("late", to="other")).run
        await asyncio.sleep(1.5)
        assert (await house.runtime.run_view(late)).status == "queued"
        assert await sql(house, "SELECT attempt FROM nm_run WHERE id = :run", run=run) == [(1,)]
    async with running(place.url, place.home) as house:
        assert (await house.ended(RunId(run))).attempt == 2
        assert (await house.ended(RunId(late))).status == "done"


async def test_a_dead_peers_row_is_reaped_and_its_place_taken(place: Place) -> None:
    if place.name == "sqlite":
        pytest.skip("the lock of the folder stands for membership")
    async with running(place.url, place.home) as house:
        await sql(house, "INSERT INTO nm_replica VALUES ('dead', 0, 0)")
        left: list[tuple[object, ...]] = []
        for _ in range(300):
            left = await sql(house, "SELECT id FROM nm_replica")
            if len(left) == 1:
                break
            await asyncio.sleep(0.05)
        assert left == [(house.runs.replica.id,)]


async def test_what_a_dead_peer_had_in_work_is_claimed_at_once_and_not_at_the_next_poll(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.name == "sqlite":
        pytest.skip("the lock of the folder stands for membership")
    monkeypatch.setattr("engine.runs.dbos.turns.POLL_S", 60.0)
    monkeypatch.setattr("engine.runs.dbos.turns.LOOK_S", 60.0)
    monkeypatch.setattr("engine.runs.dbos.queue.AGAIN_S", 60.0)
    async with running(place.url, place.home) as house:
        kick: Any = house.runs._queue._kick
        kick.appetite = lambda _in_work: 0
        run = (await house.say("hello")).run
        await house.until(lambda: kick._later is not None)
        kick._later.cancel()
        dead = "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'dead' WHERE workflow_uuid = :run"
        await sql(house, dead, run=run)
        kick.appetite = house.runs.replica.appetite
        assert (await house.ended(run, 5)).status == "done"


async def test_what_is_old_is_forgotten_and_nothing_else(place: Place) -> None:
    async with running(place.url, place.home) as house:
        old, young = (await house.say("old")).run, (await house.say("young")).run
        await house.ended(young)
        await house.press(old, "satisfied")
        await house.until(lambda: house.seen("deliver", old))
        long_ago = house.runs.replica.clock.now_ms() - int(40 * DAY_MS)
        await sql(house, "UPDATE nm_run SET ended_at = :at WHERE id = :run", at=long_ago, run=old)
        await sql(house, "UPDATE nm_inbox SET at = :at WHERE run = :run", at=long_ago, run=old)
        retention = Retention(house.runs.replica, house.runs._queue, FAST)
        assert await retention.clean() == 1
        assert await retention.clean() == 0
        assert await house.runtime.run_view(old) is None
        assert (await house.runtime.run_view(young)).status == "done"
        for table in ("nm_step", "nm_event", "nm_delivery", "nm_verdict", "nm_control", "nm_inbox"):
            runs = {row[0] for row in await sql(house, f"SELECT run FROM {table}")}
            assert runs <= {young}, table
        assert not (await house.say("old")).duplicate


async def test_a_full_inbox_is_forgotten_piece_by_piece(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.runs.forgetting.INBOX_AT_ONCE", 3)
    async with running(place.url, place.home) as house:
        for number in range(8):
            await house.runtime.ignore(inbox_key(f"old {number}"), Address("chat"), "reaction", {})
        await sql(house, "UPDATE nm_inbox SET at = 0")
        await house.runtime.ignore(inbox_key("young"), Address("chat"), "reaction", {})
        await Retention(house.runs.replica, house.runs._queue, FAST).clean()
        assert await sql(house, "SELECT key FROM nm_inbox") == [("young",)]


async def test_what_people_sent_is_swept_with_what_is_old(place: Place) -> None:
    async with running(place.url, place.home) as house:
        work = workspace_for(place.home, "fake:main:t:c")
        path = work / put_received(work, "plan.txt", b"plan")
        retention = Retention(house.runs.replica, house.runs._queue, FAST)
        await retention.clean()
        assert path.exists()
        os.utime(path, (1_000, 1_000))
        await retention.clean()
        assert not path.exists()


async def test_a_message_that_is_held_is_not_forgotten(place: Place) -> None:
    async with running(place.url, place.home) as house:
        assert (await house.runtime.hold(given("late"), key=inbox_key("late"), reason="backlog")).is_new
        await sql(house, "UPDATE nm_inbox SET at = 0")
        await Retention(house.runs.replica, house.runs._queue, FAST).clean()
        assert [each.given.text for each in await house.runtime.held("backlog")] == ["late"]


async def test_a_run_whose_answer_is_owed_is_not_forgotten(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.refuse = house.surface.refuse_deliver = Owed(reason="down")
        run = (await house.say("hello")).run
        await house.until(lambda: house.seen("deliver_refused", run))
        await sql(house, "UPDATE nm_run SET ended_at = 0 WHERE id = :run", run=run)
        retention = Retention(house.runs.replica, house.runs._queue, FAST)
        assert await retention.clean() == 0
        house.surface.refuse_deliver = None
        await house.until(lambda: house.seen("deliver", run))
        await house.until(lambda: not house.runs._deliveries._tries)
        assert await retention.clean() == 1


async def test_a_card_that_can_not_be_delivered_does_not_hold_up_others(place: Place) -> None:
    async with running(place.url, place.home) as house:
        broken, fine = (await house.say("broken", to="a")).run, (await house.say("fine", to="b")).run
        for run in (broken, fine):
            await house.ended(run)
        await sql(house, "UPDATE nm_run SET result = 'not json' WHERE id = :run", run=broken)
        assert (await house.press(broken, "satisfied")).code == "verdict"
        assert (await house.press(fine, "satisfied")).code == "verdict"
        await house.until(lambda: house.seen("deliver", fine))
        assert not house.seen("deliver", broken)
