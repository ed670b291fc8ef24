"""The private names of the queue library may change: everything still runs, only slower."""

from __future__ import annotations

import asyncio

import pytest
from dbos import DBOS

from engine.runs.dbos import queue, recovery
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child
from tests.contract.processes.house import running, until
from tests.contract.processes.recording import RecordingSurface
from tests.contract.processes.works import Works, acts


async def test_runs_go_on_by_polling_when_the_kick_is_broken(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(self: queue.Kick) -> None:
        raise AttributeError("start_queued_partitioned_workflows")

    # The fault: a newer library without the private name.
    monkeypatch.setattr(queue.Kick, "claim", gone)
    async with running(place.url, place.home) as house:
        runs = [(await house.say(str(n))).run for n in range(3)]
        for run in runs:
            assert (await house.ended(run)).status == "done"
        assert [line["run"] for line in house.seen("final")] == runs
    assert caplog.text.count("kick_broken") == 1


async def test_a_dead_replicas_runs_come_back_when_the_recovery_function_is_gone(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Child(place, "slow") as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        await child.kill()
    # The fault: a newer library without the private name.
    monkeypatch.delattr(DBOS, "_recover_pending_workflows")
    surface = RecordingSurface(place.home / "surface.jsonl")
    work = Works(place.home / "work.jsonl", surface).slow
    async with running(place.url, place.home, work, surface=surface) as house:
        assert (await house.ended(run)).answer == "0123"


async def test_giving_back_is_idempotent_and_leaves_others_alone(place: Place) -> None:
    from engine.ports import Outcome, RunScope

    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer=f"attempt {scope.attempt}")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: house.runs.replica.active)
        engine = house.runtime.database.engine
        for give_back in (recovery.give_back, recovery.give_back_by_statement):
            assert await asyncio.to_thread(give_back, engine, "somebody else") == 0
        go.set()
        assert (await house.ended(run)).answer == "attempt 1"


async def test_the_journal_has_no_steps_in_the_librarys_tables(place: Place) -> None:
    async with running(place.url, place.home) as house:
        await house.ended((await house.say("hello")).run)
        table = "operation_outputs" if place.name == "sqlite" else "dbos.operation_outputs"
        steps = await house.runtime.database.read(lambda s: execute(s, f"SELECT count(*) FROM {table}").scalar())
        assert steps == 0
