"""What is said in one replica reaches a run in another at once, and also when nobody can call out."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

import psycopg
import pytest

from engine.messages import Address, RunId
from engine.ports import Control
from engine.runs.hints import WORK, call_out
from engine.runs.replica import _RESTING
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child, until
from tests.contract.processes.house import FAST, House, running
from tests.contract.processes.recording import RecordingSurface, lines
from tests.contract.processes.works import Works, acts

TRIES = 15
STOP_P50_S = 0.05
SLOW_BEAT = FAST.model_copy(update={"lease_ttl_s": 20.0})
"""So slow that only what is called out can be heard in time."""


@pytest.fixture
def shared(place: Place) -> Place:
    if place.name == "sqlite":
        pytest.skip("one process works on the embedded database")
    return place


async def heard_after_s(child: Child, house: House, home: Path, number: int) -> float:
    """Stop a run of the child's; gives how long it took to hear of it."""
    run = await child.say(f"work {number}", to=f"chat{number}")
    await house.until(lambda: [each for each in house.seen("opened") if each["run"] == run])
    said_s = time.monotonic()
    assert await house.stop_run(RunId(run)) == "accepted"
    await house.until(lambda: [each for each in acts(home, "heard") if each["run"] == run])
    assert (await house.ended(RunId(run))).status == "stopped"
    return next(each["mono_s"] for each in acts(home, "heard") if each["run"] == run) - said_s


@pytest.mark.alone
async def test_a_stop_reaches_another_replicas_run_at_once(shared: Place) -> None:
    async with (
        Child(shared, "stoppable", settings={"lease_ttl_s": 20.0}) as child,
        running(shared.url, shared.home, settings=SLOW_BEAT) as house,
    ):
        took = [await heard_after_s(child, house, shared.home, number) for number in range(TRIES)]
    assert statistics.median(took) < STOP_P50_S, took


async def test_without_hints_the_heartbeat_finds_what_was_said(shared: Place) -> None:
    async with running(shared.url, shared.home, works(shared).stoppable) as house:
        house.runs._hints.stop()
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        assert not house.runs._hints.listens
        # Only now: it would take the run up, too.
        async with Child(shared, "plain") as child:
            assert await stopped_by(child, run) == "accepted"
            assert (await house.ended(run, 5)).status == "stopped"


async def test_a_listener_whose_connection_is_cut_comes_back_and_looks_at_what_it_missed(shared: Place) -> None:
    async with running(shared.url, shared.home, works(shared).stoppable, settings=SLOW_BEAT) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active and house.runs._hints.listens)
        async with Child(shared, "plain", settings={"lease_ttl_s": 20.0}) as child:
            with psycopg.connect(shared.url, autocommit=True) as admin:
                cut = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE query LIKE 'LISTEN%%' AND datname = %s"""
                assert admin.execute(cut, [shared.url.rpartition("/")[2]]).fetchall()
            assert await stopped_by(child, run) == "accepted"
            assert (await house.ended(run, 4)).status == "stopped", "before the next beat would have found it"
            await house.until(lambda: house.runs._hints.listens)


@pytest.mark.alone
async def test_work_that_is_called_out_is_taken_up_before_the_next_look(
    shared: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runs.dbos.turns.POLL_S", 60.0)
    monkeypatch.setattr("engine.runs.dbos.turns.LOOK_S", 60.0)
    monkeypatch.setattr("engine.runs.dbos.queue.AGAIN_S", 60.0)
    async with running(shared.url, shared.home, settings=SLOW_BEAT) as house:
        await house.until(lambda: house.runs._hints.listens)
        replica = house.runs.replica
        replica.slow = True
        run = (await house.say("hello")).run
        await asyncio.sleep(0.3)
        replica.slow = False
        assert (await house.runtime.run_view(run)).status == "queued"
        database = house.runtime.database
        await database.run(lambda session: call_out(session, database.dialect, WORK))
        assert (await house.ended(run, 3)).status == "done"


async def test_any_replica_knows_whose_answer_a_conversation_waits_for(shared: Place) -> None:
    async with running(shared.url, shared.home) as house:
        assert await house.runtime.waits_in(Address("chat")) is None
        async with Child(shared, "asks", settings={"lease_ttl_s": 20.0}) as child:
            run = RunId(await child.say())
            await asked(house)
            assert await house.runtime.waits_in(Address("elsewhere")) is None
            approval = Control(id="p", kind="approve", by="ann", body={"nonce": "n"})
            assert await house.runtime.control(run, approval) == "accepted"
            assert (await house.ended(run)).answer == "attempt 1 approve"
            assert await house.runtime.waits_in(Address("chat")) is None


async def asked(house: House) -> None:
    """Wait until the conversation waits for Ann."""
    for _ in range(500):
        who = await house.runtime.waits_in(Address("chat"))
        if who is not None:
            assert who.id == "ann"
            return
        await asyncio.sleep(0.02)
    raise AssertionError("nobody was asked")


def works(place: Place) -> Works:
    return Works(place.home / "work.jsonl", RecordingSurface(place.home / "surface.jsonl"))


async def stopped_by(child: Child, run: RunId) -> str:
    said = await child.do(do="control", run=run, control={"id": f"stop-{run}", "kind": "stop", "by": "ann"})
    assert said is not None
    return said["said"]


@pytest.mark.slow
async def test_a_suspect_that_waits_for_its_turn_asks_nobody(place: Place) -> None:
    async with Child(place, "stoppable", open_s=60) as child:
        runs = {f"chat{number}": await child.say(f"work {number}", to=f"chat{number}") for number in range(2)}
        await until(lambda: len(lines(place.home / "surface.jsonl", "open")) == 2)
        await child.kill()
    async with Child(place, "stoppable", open_s=60) as child:
        await until(lambda: len(lines(place.home / "surface.jsonl", "open")) == 4)
        await child.kill()
    async with running(place.url, place.home, works(place).stoppable, settings=FAST) as house:
        await house.until(lambda: len(house.runs.replica.active) == 2 and house.seen("opened"))
        [suspect] = [hand for hand in house.runs.replica.active.values() if hand.rests]
        assert await house.runtime.waits_in(suspect.input.to) is None
        asked_elsewhere = await house.runtime.database.read(
            lambda session: execute(session, _RESTING, conv=suspect.input.place_in_line).first()
        )
        assert asked_elsewhere is None, "what a peer finds in the database"
        # Whoever waits first: a stop waits for no turn.
        for run in sorted(runs.values(), key=lambda run: house.runs.replica.active[RunId(run)] is not suspect):
            await house.stop_run(RunId(run))
            assert (await house.ended(RunId(run), 10)).status == "stopped"
