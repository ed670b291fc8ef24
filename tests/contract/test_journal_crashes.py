"""What survives a real kill -9."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.messages import RunId
from engine.ports import Control
from engine.runs.quarantine import LIMIT
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child
from tests.contract.processes.house import House, running, until
from tests.contract.processes.recording import RecordingSurface, lines
from tests.contract.processes.works import Works, acts


def house_in(place: Place, work: str) -> Any:
    surface = RecordingSurface(place.home / "surface.jsonl")
    return running(place.url, place.home, Works(place.home / "work.jsonl", surface).named(work), surface=surface)


def shown(place: Place, what: str) -> list[dict[str, Any]]:
    return lines(place.home / "surface.jsonl", what)


async def row(house: House, run: str, columns: str) -> Any:
    sql = f"SELECT {columns} FROM nm_run WHERE id = :run"
    return await house.runtime.database.read(lambda s: execute(s, sql, run=run).one())


async def test_parallel_lanes_never_swap_results_when_the_faster_one_changes(place: Place) -> None:
    async with Child(place, "lanes") as child:
        run = await child.say()
        assert await child.dies() == -9
    before = {line["path"] for line in acts(place.home)}
    assert {"lane/A/0", "lane/A/1", "lane/B/0"} <= before
    async with house_in(place, "lanes") as house:
        view = await house.ended(RunId(run))
    wanted = [f"{n}0<start>,{n}1<{n}0<start>>,{n}2<{n}1<{n}0<start>>>" for n in ("A", "B")]
    assert view.answer == " | ".join(wanted)
    assert view.attempt == 2
    for path in ("lane/A/0", "lane/A/1"):
        assert [line["attempt"] for line in acts(place.home) if line["path"] == path] == [1]


async def test_a_killed_run_goes_on_with_its_card_and_nothing_recorded_is_repeated(place: Place) -> None:
    async with Child(place, "slow") as child:
        run, behind = await child.say("one"), await child.say("two")
        await until(lambda: len(acts(place.home)) == 3)
        await child.kill()
    async with house_in(place, "slow") as house:
        view = await house.ended(RunId(run))
        assert (view.answer, view.attempt) == ("0123", 2)
        assert (await house.ended(RunId(behind))).answer == "0123"
        assert (await row(house, run, "stuck")).stuck == 0
    paths = [line["path"] for line in acts(place.home) if line["run"] == run]
    assert paths == ["slow/0", "slow/1", "slow/2", "slow/2", "slow/3"]
    assert [line["run"] for line in shown(place, "create")] == [run, behind]
    reopened = [line for line in shown(place, "open") if line["run"] == run][1]
    assert (reopened["attempt"], reopened["known"]["card"]) == (2, f"card-{run}")


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_restarts_while_a_person_thinks_count_for_nothing(place: Place) -> None:
    async with Child(place, "asks") as child:
        run = await child.say()
        await until(lambda: len(shown(place, "opened")) == 1)
        await asyncio.sleep(0.2)
        await child.kill()
    for n in range(2, LIMIT + 2):
        async with Child(place, "asks") as child:
            await until(lambda n=n: len(shown(place, "opened")) == n)
            await asyncio.sleep(0.2)
            await child.kill()
    async with house_in(place, "asks") as house:
        await house.until(lambda: house.runs.replica.active)
        approval = Control(id="p", kind="approve", by="ann", body={"nonce": "n"})
        assert await house.runtime.control(RunId(run), approval) == "accepted"
        view = await house.ended(RunId(run))
        assert view.answer == f"attempt {LIMIT + 2} approve"
        assert (await row(house, run, "stuck")).stuck == 0
    assert [line["path"] for line in acts(place.home)] == ["before", "after"]
    assert len(shown(place, "create")) == 1


async def test_a_newer_program_with_inserted_and_renamed_steps_finishes_an_old_run(place: Place) -> None:
    async with Child(place, "old_version") as child:
        run = await child.say()
        await until(lambda: [line["path"] for line in acts(place.home)] == ["draft", "send"])
        await child.kill()
    async with house_in(place, "new_version") as house:
        assert (await house.ended(RunId(run))).answer == "the draft, sent"
        fresh = await house.say("fresh")
        assert (await house.ended(fresh.run)).answer == "a new text, sent"
    paths = [line["path"] for line in acts(place.home) if line["run"] == run]
    assert paths == ["draft", "send", "greet", "check", "send"]


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_poison_ends_failed_and_spares_its_neighbours(place: Place) -> None:
    async with Child(place, "poison") as child:
        innocents = [await child.say(f"innocent {n}", to=f"chat {n}") for n in range(3)]
        poison = await child.say("poison", to="poison")
        await child.dies()
    for _ in range(8):
        if len(acts(place.home, "poison")) >= 6 and shown(place, "deliver"):
            break
        async with Child(place, "poison") as child:
            crash = asyncio.ensure_future(child.process.wait())
            end = asyncio.ensure_future(until(lambda: shown(place, "deliver"), 30))
            await asyncio.wait([crash, end], return_when=asyncio.FIRST_COMPLETED)
            end.cancel()
            if not crash.done():
                await child.drain()  # killed between the delivery and its receipt, it would deliver again
    async with house_in(place, "poison") as house:
        view = await house.ended(RunId(poison))
        assert (view.status, view.outcome.error) == ("failed", "poison")
        for run in innocents:
            assert (await house.ended(RunId(run))).status == "done"
    assert len(acts(place.home, "poison")) == 6
    assert [line["error"] for line in shown(place, "deliver")] == ["poison"]


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_poison_does_not_hide_behind_a_lane_that_waits(place: Place) -> None:
    async with Child(place, "poison_beside_waiting") as child:
        run = await child.say()
        await child.dies()
    while len(acts(place.home, "poison")) < 6:
        async with Child(place, "poison_beside_waiting") as child:
            await child.dies()
    async with house_in(place, "poison_beside_waiting") as house:
        view = await house.ended(RunId(run))
        assert (view.status, view.outcome.error) == ("failed", "poison")


FAILPOINTS = ["before_ingest", "after_ingest", "after_create", "after_send", "after_final"]


@pytest.mark.parametrize("name", FAILPOINTS)
async def test_every_failpoint_ends_with_one_complete_answer_on_the_first_card(place: Place, name: str) -> None:
    kills = {"NIUMA_FAILPOINT": f"{name}:1", "NIUMA_TESTING": "1"}
    async with Child(place, "plain", kills) as child:
        await child.do(do="say", text="!", key="message 1")
        assert await child.dies() == -9
    async with house_in(place, "plain") as house:
        submitted = await house.say("!", key="message 1")
        assert submitted.duplicate is (name != "before_ingest")
        view = await house.ended(submitted.run)
        assert (view.status, view.answer) == ("done", "12!")
    assert {line["answer"] for line in shown(place, "final")} == {"12!"}
    assert [line["path"] for line in acts(place.home)] in (["a", "b"], ["a", "a", "b"], ["a", "b", "b"])
    assert {line["run"] for line in shown(place, "create")} == {submitted.run}


async def test_a_failpoint_outside_a_test_refuses_to_start(place: Place) -> None:
    async with Child(place, "plain", {"NIUMA_FAILPOINT": "after_send:1", "NIUMA_TESTING": ""}) as child:
        assert not child.ready
        assert await child.dies() == 1
    assert "NIUMA_TESTING" in (place.home / "child.log").read_text()


async def test_a_migrated_database_starts_without_alembic(place: Place) -> None:
    async with Child(place, "plain") as child:
        assert child.ready == {"ready": True, "alembic": False}
        await child.kill()
