"""SIGTERM: steps in flight end, nothing new begins, the next process goes on at once on the same card."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from engine.errors import StorageError
from engine.messages import RunId
from engine.ports import Control, Outcome, RunScope
from engine.runs.membership import Membership
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child
from tests.contract.processes.house import FAST, build, running, until
from tests.contract.processes.recording import RecordingSurface, lines
from tests.contract.processes.works import Works, acts


def house_in(place: Place, work: str) -> Any:
    surface = RecordingSurface(place.home / "surface.jsonl")
    return running(place.url, place.home, Works(place.home / "work.jsonl", surface).named(work), surface=surface)


def shown(place: Place, what: str) -> list[dict[str, Any]]:
    return lines(place.home / "surface.jsonl", what)


async def test_steps_that_fit_in_the_grace_are_not_repeated(place: Place) -> None:
    async with Child(place, "slow") as child:
        run = await child.say()
        await until(lambda: len(acts(place.home)) == 2)
        assert await child.drain() == 0
    assert [line["resumes"] for line in shown(place, "suspend")] == [True]
    async with house_in(place, "slow") as house:
        assert (await house.ended(RunId(run))).answer == "0123"
        sql = "SELECT stuck FROM nm_run WHERE id = :run"
        assert await house.runtime.database.read(lambda s: execute(s, sql, run=run).scalar()) == 0
    assert [line["path"] for line in acts(place.home)] == [f"slow/{n}" for n in range(4)]


async def test_a_step_longer_than_the_grace_is_cut_and_repeated(place: Place) -> None:
    async with Child(place, "one_long_step", settings={"drain_s": 0.2}) as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        assert await child.drain() == 0
    async with house_in(place, "one_long_step") as house:
        assert (await house.ended(RunId(run))).answer == "long"
    assert [line["attempt"] for line in acts(place.home)] == [1, 2]


async def test_a_drain_in_a_hurry_cuts_what_is_in_flight(place: Place) -> None:
    settings = FAST.model_copy(update={"drain_s": 30.0})
    surface = RecordingSurface(place.home / "surface.jsonl")
    work = Works(place.home / "work.jsonl", surface).one_long_step
    async with running(place.url, place.home, work, settings=settings, surface=surface) as house:
        run = (await house.say("long")).run
        await until(lambda: acts(place.home))
        drain = asyncio.create_task(house.runtime.drain())
        await asyncio.sleep(0.1)
        assert not drain.done()
        house.runtime.hurry()
        await asyncio.wait_for(drain, 1.2)
    async with house_in(place, "one_long_step") as house:
        assert (await house.ended(run)).answer == "long"
    assert [line["attempt"] for line in acts(place.home)] == [1, 2]


async def test_a_run_that_waits_for_a_person_is_handed_over_at_once(place: Place) -> None:
    async with Child(place, "asks", settings={"drain_s": 15}) as child:
        run = await child.say()
        await until(lambda: shown(place, "opened"))
        await asyncio.sleep(0.2)
        begin = time.monotonic()
        assert await child.drain() == 0
        assert time.monotonic() - begin < 14
    async with house_in(place, "asks") as house:
        await house.until(lambda: house.runs.replica.active)
        approval = Control(id="p", kind="approve", by="ann", body={"nonce": "n"})
        assert await house.runtime.control(RunId(run), approval) == "accepted"
        assert (await house.ended(RunId(run))).answer == "attempt 2 approve"


async def test_without_resume_a_drained_run_is_interrupted(place: Place) -> None:
    async with Child(place, "slow", settings={"resume": False}) as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        assert await child.drain() == 0
    assert [line["resumes"] for line in shown(place, "suspend")] == [False]
    async with house_in(place, "slow") as house:
        view = await house.ended(RunId(run), 2)
        assert (view.status, view.outcome.error) == ("interrupted", "interrupted")
    assert len(acts(place.home)) == 1


async def test_a_kill_during_the_drain_loses_nothing(place: Place) -> None:
    kills = {"NIUMA_FAILPOINT": "during_drain:1", "NIUMA_TESTING": "1"}
    async with Child(place, "slow", kills) as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        assert await child.drain() == -9
    async with house_in(place, "slow") as house:
        assert (await house.ended(RunId(run))).answer == "0123"
    assert len(shown(place, "create")) == 1


async def test_queued_runs_stay_queued_and_in_order(place: Place) -> None:
    async with Child(place, "slow") as child:
        runs = [await child.say(str(n)) for n in range(3)]
        await until(lambda: acts(place.home))
        assert await child.drain() == 0
    async with house_in(place, "slow") as house:
        for run in runs:
            assert (await house.ended(RunId(run))).answer == "0123"
    assert [line["run"] for line in shown(place, "final")] == runs


async def test_drain_is_seen_in_readiness_and_stops_claims(place: Place) -> None:
    async with running(place.url, place.home, settings=FAST) as house:
        await house.runtime.drain()
        assert [(check.name, check.code) for check in house.runtime.readiness() if not check.ok] == [
            ("runs", "draining")
        ]
        submitted = await house.say("late")
        await asyncio.sleep(1.5)
        view = await house.runtime.run_view(submitted.run)
        assert view is not None and view.status == "queued"
    async with running(place.url, place.home, settings=FAST) as house:
        assert (await house.ended(submitted.run)).status == "done"


async def test_without_resume_a_killed_run_is_interrupted_too(place: Place) -> None:
    async with Child(place, "slow", settings={"resume": False}) as child:
        run = await child.say()
        await until(lambda: acts(place.home))
        await child.kill()
    surface = RecordingSurface(place.home / "surface.jsonl")
    work = Works(place.home / "work.jsonl", surface).slow
    settings = FAST.model_copy(update={"resume": False})
    async with running(place.url, place.home, work, settings=settings, surface=surface) as house:
        assert (await house.ended(RunId(run))).status == "interrupted"
    assert [line["status"] for line in shown(place, "final")] == ["interrupted"]
    assert len(acts(place.home)) == 1


async def test_a_start_that_fails_after_work_began_lets_go_of_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        begun.set()
        await go_on.wait()
        return Outcome(status="done", answer="at last")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await asyncio.wait_for(begun.wait(), 10)
    begun.clear()

    def recover(membership: Membership) -> bool:
        membership._queue.kick()
        time.sleep(1.5)
        raise StorageError("the database went away")

    with monkeypatch.context() as patch:
        patch.setattr(Membership, "recover", recover)
        house = build(place.url, place.home, work)
        with pytest.raises(StorageError):
            await house.runtime.start()
        assert not house.runs.replica.active
        assert begun.is_set() or place.name == "postgres", "only there the lease is needed first"
    go_on.set()
    async with running(place.url, place.home, work) as house:
        assert (await house.ended(run)).answer == "at last"
