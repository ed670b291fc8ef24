"""What a step promises within one process: once, by its path, with what belongs to it in one transaction."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel
from sqlmodel import Session

from engine.errors import DuplicatePath, StorageError
from engine.events import MAX_BODY_BYTES, RunEvent
from engine.messages import RunId
from engine.ports import Outcome, RunScope
from engine.runs.journal import Entry, FenceBroken
from engine.runs.ports import Excused, Fence
from engine.runs.quarantine import LIMIT
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import running


class Reply(BaseModel):
    text: str
    n: int = 0


async def text(value: str) -> str:
    return value


def say(scope: RunScope, content: str, segment: str = "") -> RunEvent:
    return RunEvent(run=scope.id, type="text", content=content, segment=segment)


async def test_the_same_path_twice_in_one_attempt_is_a_bug_of_the_caller(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        await scope.step("a", lambda: text("1"), result=str)
        with pytest.raises(DuplicatePath):
            await scope.step("a", lambda: text("2"), result=str)
        for reserved in ("final", "surface/open"):
            with pytest.raises(DuplicatePath):
                await scope.step(reserved, lambda: text("2"), result=str)
        return Outcome(status="done", answer="ok")

    async with running(place.url, place.home, work) as house:
        assert (await house.ended((await house.say("x")).run)).answer == "ok"


async def test_a_failed_step_records_nothing_and_its_path_stays_free(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        async def fail() -> str:
            raise ValueError("no")

        with pytest.raises(ValueError):
            await scope.step("a", fail, result=str)
        assert not scope.recorded("a")
        return Outcome(status="done", answer=await scope.step("a", lambda: text("second"), result=str))

    async with running(place.url, place.home, work) as house:
        assert (await house.ended((await house.say("x")).run)).answer == "second"


async def test_events_and_also_live_in_the_steps_transaction(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        def keep(session: Session, value: str) -> None:
            execute(session, "INSERT INTO nm_config VALUES ('test', 'kept', :value)", value=json.dumps(value))

        def explode(session: Session, value: str) -> None:
            execute(session, "UPDATE nm_config SET value = :value", value=json.dumps(value))
            raise LookupError

        await scope.step("a", lambda: text("v"), result=str, events=lambda v: [say(scope, v), say(scope, v)], also=keep)
        with pytest.raises(LookupError):
            await scope.step("b", lambda: text("w"), result=str, events=lambda v: [say(scope, v)], also=explode)
        await scope.step("c", lambda: text("z"), result=str, events=lambda v: [say(scope, v, "a")])
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.ended(run)
        events = [(e.segment, e.n, e.content) for e in await house.runtime.events(run) if e.type == "text"]
        assert events == [("a", 0, "v"), ("a", 1, "v"), ("a", 2, "z")]
        shown = [(line["segment"], line["n"]) for line in house.seen("show", run) if line["type"] == "text"]
        assert shown == [("a", 0), ("a", 1), ("a", 2)]
        assert await house.runtime.config_get("test", "kept") == "v"


async def test_a_commit_whose_answer_was_lost_is_not_carried_out_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(place.url, place.home) as house:
        database = house.runtime.database
        run, lost = database.run, list[str]()

        async def losing(fn: Callable[[Session], Any]) -> Any:
            value = await run(fn)
            if lost == ["next"]:
                lost.append("done")
                raise StorageError("the answer was lost", code="storage_away")
            return value

        def count(session: Session, _value: str) -> None:
            execute(session, "INSERT INTO nm_config VALUES ('test', 'times', '1')")

        async def work(scope: RunScope) -> Outcome:
            lost.append("next")
            await scope.step("a", lambda: text("v"), result=str, events=lambda v: [say(scope, v)], also=count)
            return Outcome(status="done")

        monkeypatch.setattr(database, "run", losing)
        house.runs._turn._worker._work = work
        submitted = await house.say("x")
        assert (await house.ended(submitted.run)).status == "done"
        assert lost == ["next", "done"] and await house.runtime.config_get("test", "times") == 1
        assert [e.content for e in await house.runtime.events(submitted.run) if e.type == "text"] == ["v"]


async def test_models_lists_and_json_come_back_as_they_were(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        async def replies() -> list[Reply]:
            return [Reply(text="a", n=1)]

        assert await scope.step("m", replies, result=list[Reply]) == [Reply(text="a", n=1)]
        await scope.step("d", lambda: asyncio.sleep(0, {"k": [1, None]}), result=dict)
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.ended(run)
        loaded = await house.runtime.database.read(lambda s: house.runs.replica.journal.load(s, run))
        assert json.loads(loaded.steps["m"]) == [{"text": "a", "n": 1}]
        assert json.loads(loaded.steps["d"]) == {"k": [1, None]}


async def test_a_body_over_the_limit_lies_in_the_blob_store_and_comes_back(place: Place) -> None:
    long = "字" * MAX_BODY_BYTES

    async def work(scope: RunScope) -> Outcome:
        await scope.step("a", lambda: text("v"), result=str, events=lambda v: [say(scope, long)])
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.ended(run)
        assert (await house.runtime.events(run))[0].content == long
        rows = await house.runtime.database.read(
            lambda s: execute(s, "SELECT body FROM nm_event WHERE blob IS NOT NULL").all()
        )
        assert [row.body for row in rows] == [""]


async def test_a_reaped_replica_can_not_claim_record_excuse_or_end(place: Place) -> None:
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.until(lambda: run in house.runs.replica.active)
        journal, database = house.runs.replica.journal, house.runtime.database
        assert await database.single(lambda s: journal.claim(s, run, "dead")) is None
        assert await database.read(lambda s: journal.refused(s, run)) == "lost"
        for fence in (Fence(run, "dead", 1), Fence(run, house.runs.replica.id, 2)):
            for write in (
                lambda s, f=fence: journal.record(s, f, Entry("stolen", "1")),
                lambda s, f=fence: journal.excuse(s, f, Excused.YES),
                lambda s, f=fence: journal.keep_surface(s, f, {}),
                lambda s, f=fence: journal.end(s, f, "done", "{}"),
            ):
                with pytest.raises(FenceBroken):
                    await database.run(write)
        go.set()
        assert (await house.ended(run)).status == "done"
        assert await database.single(lambda s: journal.claim(s, run, house.runs.replica.id)) is None
        assert await database.read(lambda s: journal.refused(s, run)) == "ended"
        assert await database.read(lambda s: journal.refused(s, RunId("nobody"))) == "ended"


async def test_a_run_taken_by_another_owner_is_cut_here_with_all_its_lanes(place: Place) -> None:
    cut: list[str] = []
    stolen = asyncio.Event()

    async def lane(scope: RunScope, name: str) -> None:
        try:
            await stolen.wait()
            if name == "a":
                await scope.step("a/2", lambda: text("too late"), result=str)
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cut.append(name)
            raise

    async def work(scope: RunScope) -> Outcome:
        if scope.attempt > 2:
            return Outcome(status="done", answer=f"attempt {scope.attempt}")
        async with asyncio.TaskGroup() as group:
            group.create_task(lane(scope, "a"))
            group.create_task(lane(scope, "b"))
        raise AssertionError

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.until(lambda: run in house.runs.replica.active)
        await asyncio.sleep(0.1)
        theft = "UPDATE nm_run SET owner = 'other', attempt = attempt + 1 WHERE id = :run"
        await house.runtime.database.run(lambda s: execute(s, theft, run=run))
        stolen.set()
        await house.until(lambda: sorted(cut) == ["a", "b"])
        await house.until(lambda: house.seen("abandon", run))
        # The queue still holds it under our id and no task works on it: the sweep gives it back.
        view = await house.ended(run)
        assert view.answer == "attempt 3"
        assert not [line for line in house.seen("final", run) if line["answer"] != "attempt 3"]


async def test_a_turn_that_breaks_off_lets_go_of_its_card_before_the_next_attempt_opens_it(place: Place) -> None:
    """Two attempts with a card each would both write to the one that people see."""

    async def work(scope: RunScope) -> Outcome:
        if scope.attempt == 1:
            await asyncio.sleep(0.2)
            raise StorageError("away for a moment", code="storage_away")
        return Outcome(status="done", answer="ok")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        assert (await house.ended(run)).answer == "ok"
        told = [line["what"] for line in house.seen(run=run) if line["what"] in ("open", "abandon", "final")]
        assert told == ["open", "abandon", "open", "final"]


async def test_an_outage_met_by_the_work_counts_against_no_run(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        if scope.attempt <= LIMIT + 1:
            raise StorageError("away", code="storage_away")
        return Outcome(status="done", answer="at last")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        view = await house.ended(run)
        assert (view.status, view.answer, view.attempt) == ("done", "at last", LIMIT + 2)


@pytest.mark.parametrize(("excused", "counted"), [(Excused.NO, 5), (Excused.HELD, 4), (Excused.YES, 0)])
async def test_a_claim_counts_what_was_not_excused(place: Place, excused: Excused, counted: int) -> None:
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("x")).run
        await house.until(lambda: run in house.runs.replica.active)
        journal, mine = house.runs.replica.journal, house.runs.replica.id

        def claim(session: Session) -> int:
            execute(session, "UPDATE nm_run SET stuck = 4, seen = 99, excused = :excused", excused=int(excused))
            claimed = journal.claim(session, run, mine)
            session.rollback()
            return -1 if claimed is None else claimed.stuck

        assert await house.runtime.database.run(claim) == counted
        go.set()
        assert (await house.ended(run)).status == "done"


async def test_what_still_writes_when_all_is_let_go_of_is_stopped_by_its_guard(place: Place) -> None:
    kept: list[Any] = []

    async def work(scope: RunScope) -> Outcome:
        kept.append(scope)
        await kept[0].write_guard()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        await house.ended((await house.say("hello")).run)
        await house.until(lambda: not house.runs.replica.active)
        with pytest.raises(asyncio.CancelledError):
            await kept[0].write_guard()
