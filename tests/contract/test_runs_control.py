"""Stop, approval and what comes too late."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from sqlmodel import Session

from engine.messages import RunId
from engine.ports import Control, Outcome, RunScope
from engine.runs.journal import Entry
from engine.runs.ports import FINAL
from tests.contract.conftest import Place
from tests.contract.processes.house import House, running


def approve(nonce: str, by: str = "ann", id: str = "press-1") -> Control:
    return Control(id=id, kind="approve", by=by, body={"nonce": nonce})


async def ask(scope: RunScope, path: str = "ask/1", seconds: float = 60) -> Control | None:
    deadline_ms = int((time.time() + seconds) * 1000)
    return await scope.wait(
        path, ["approve", "deny"], nonce="n1", deadline_ms=deadline_ms, who=lambda person: person == "ann"
    )


async def asks(scope: RunScope) -> Outcome:
    reply = await ask(scope)
    return Outcome(status="done", answer="nobody" if reply is None else f"{reply.kind} by {reply.by}")


async def at_work(house: House, run: RunId) -> None:
    await house.until(lambda: run in house.runs.replica.active)


async def test_a_stop_ends_the_run_itself_and_frees_the_conversation_only_then(place: Place) -> None:
    log: list[str] = []

    async def work(scope: RunScope) -> Outcome:
        if scope.input.text == "next":
            log.append("next begins")
            return Outcome(status="done")
        log.append("works")
        await scope.stopped()
        assert scope.stopping
        await asyncio.sleep(0.2)
        log.append("stopped")
        return Outcome(status="stopped", answer="half")

    async with running(place.url, place.home, work) as house:
        first, second = await house.say("long"), await house.say("next")
        await house.until(lambda: log == ["works"])
        assert await house.stop_run(first.run) == "accepted"
        assert await house.stop_run(first.run) == "accepted"
        view = await house.ended(first.run)
        assert (view.status, view.answer) == ("stopped", "half")
        await house.ended(second.run)
    assert log == ["works", "stopped", "next begins"]


async def test_work_that_ignores_a_stop_is_broken_off_after_five_seconds(place: Place) -> None:
    cut = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        try:
            await asyncio.sleep(3600)
        finally:
            cut.set()
        raise AssertionError

    async with running(place.url, place.home, work) as house:
        submitted = await house.say("long")
        await at_work(house, submitted.run)
        start = time.monotonic()
        await house.stop_run(submitted.run)
        view = await house.ended(submitted.run)
        assert view.status == "stopped" and cut.is_set()
        assert 4.5 < time.monotonic() - start < 9


async def test_a_stop_before_the_claim_never_calls_the_agent(place: Place) -> None:
    called: list[str] = []
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        called.append(scope.input.text)
        await go.wait()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        first, second = await house.say("first"), await house.say("second")
        await house.until(lambda: called)
        assert await house.stop_run(second.run) == "accepted"
        go.set()
        assert (await house.ended(second.run)).status == "stopped"
        assert (await house.ended(first.run)).status == "done"
    assert called == ["first"]


async def test_controls_after_the_end_and_for_nobody_are_told_apart(place: Place) -> None:
    async with running(place.url, place.home) as house:
        submitted = await house.say("hello")
        await house.ended(submitted.run)
        assert await house.stop_run(submitted.run) == "ended"
        assert await house.stop_run(RunId("nobody")) == "unknown"


async def test_a_stop_beside_the_recording_of_the_answer_waits_for_it(place: Place) -> None:
    """Else both would miss each other: "stopping" is said, and the run ends done."""
    go, begun = asyncio.Event(), threading.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer="whole")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await at_work(house, run)
        scope: Any = house.runs.replica.active[run]

        def record(session: Session) -> None:
            final = Entry(FINAL, Outcome(status="done", answer="whole").model_dump_json())
            house.runs.replica.journal.record(session, scope.fence, final)
            begun.set()
            time.sleep(0.3)

        recording = house.runtime.database.begin(record)
        await asyncio.to_thread(begun.wait)
        assert await house.stop_run(run) == "ended"
        await recording
        go.set()
        assert (await house.ended(run)).status == "done"


async def test_control_against_end_leaves_each_control_in_exactly_one_place(place: Place) -> None:
    """A sender hears `accepted` only if the run saw the row, or the end took it."""
    async with running(place.url, place.home) as house:
        answers: list[tuple[RunId, str]] = []
        for n in range(12):
            submitted = await house.say(f"hello {n}", to=f"chat {n}")
            await asyncio.sleep(n / 1000)
            answers.append((submitted.run, await house.stop_run(submitted.run)))
        for run, _ in answers:
            await house.ended(run)
        rows = await house.runtime.database.read(
            lambda session: session.connection().exec_driver_sql("SELECT run, taken_by FROM nm_control").all()
        )
        assert all(row.taken_by in ("final", "end") for row in rows)
        assert {row.run for row in rows} == {run for run, said in answers if said == "accepted"}


async def test_an_approval_reaches_the_step_that_waits(place: Place) -> None:
    async with running(place.url, place.home, asks) as house:
        submitted = await house.say("may I")
        await at_work(house, submitted.run)
        await asyncio.sleep(0.1)
        for wrong in (approve("n1", by="bob", id="p1"), approve("other", id="p2")):
            assert await house.runtime.control(submitted.run, wrong) == "accepted"
        await asyncio.sleep(0.1)
        assert (await house.runtime.run_view(submitted.run)).status == "running"
        assert await house.runtime.control(submitted.run, approve("n1", id="p3")) == "accepted"
        assert (await house.ended(submitted.run)).answer == "approve by ann"


async def test_nobody_answers_until_the_deadline(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        reply = await ask(scope, seconds=0.2)
        assert scope.recorded("ask/1")
        return Outcome(status="done", answer=str(reply))

    async with running(place.url, place.home, work) as house:
        assert (await house.ended((await house.say("may I")).run)).answer == "None"


async def test_a_stop_ends_the_waiting_too(place: Place) -> None:
    async with running(place.url, place.home, asks) as house:
        submitted = await house.say("may I")
        await at_work(house, submitted.run)
        await house.stop_run(submitted.run)
        assert (await house.ended(submitted.run)).answer == "nobody"


async def test_two_lanes_that_wait_for_one_control_share_it_once(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        replies = await asyncio.gather(ask(scope, "a/1", 1), ask(scope, "b/1", 1))
        return Outcome(status="done", answer=str(sum(reply is not None for reply in replies)))

    async with running(place.url, place.home, work) as house:
        submitted = await house.say("may I")
        await at_work(house, submitted.run)
        await house.runtime.control(submitted.run, approve("n1"))
        assert (await house.ended(submitted.run)).answer == "1"


async def test_a_suspect_that_waits_for_a_person_holds_no_other_one_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.runs.turn.SUSPECT_FROM", 0)  # all are suspects

    async def work(scope: RunScope) -> Outcome:
        return await asks(scope) if scope.input.text == "ask" else Outcome(status="done", answer="here")

    async with running(place.url, place.home, work) as house:
        waiting = (await house.say("ask", to="one")).run
        await house.until(lambda: waiting in house.runs.replica.active and house.runs.replica.active[waiting].asks)
        other = (await house.say("work", to="two")).run
        assert (await house.ended(other, 5)).answer == "here"
        await house.runtime.control(waiting, approve("n1"))
        assert (await house.ended(waiting)).answer == "approve by ann"
