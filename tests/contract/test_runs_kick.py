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


async def test_the_librarys_own_claim_serves_when_its_table_has_changed(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The fault: a newer library whose table lacks a column.
    monkeypatch.setattr(queue, "_HEADS", queue._HEADS.replace("w.priority", "w.no_such_column"))
    async with running(place.url, place.home) as house:
        runs = [(await house.say(str(n))).run for n in range(3)]
        for run in runs:
            assert (await house.ended(run)).status == "done"
        assert [line["run"] for line in house.seen("final")] == runs
    assert "claim_by_text_broken" in caplog.text and "kick_broken" not in caplog.text


@pytest.mark.parametrize("way", ["claim_by_text", "claim_by_library"])
async def test_both_claims_take_the_first_in_line_of_each_free_conversation(place: Place, way: str) -> None:
    async with running(place.url, place.home) as house:
        kick = house.runs._queue._kick  # type: ignore[attr-defined]
        await kick.stop()
        runs = {(to, n): (await house.say(str(n), to=to)).run for n in range(3) for to in ("a", "b")}

        async def claim(room: int, token: str) -> list[str]:
            if way == "claim_by_library":
                return await asyncio.to_thread(kick.claim_by_library, room, token)
            won = await house.runtime.database.run(lambda session: kick.claim_by_text(session, room, token))
            return [each.run for each in won]

        assert set(await claim(10, "token 1")) == {runs["a", 0], runs["b", 0]}
        assert await claim(10, "token 2") == []
        assert await asyncio.to_thread(house.runs._queue.give_back, house.runs.replica.id) == 2
        assert len(await claim(1, "token 3")) == 1


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
