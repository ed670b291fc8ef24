"""Presses on buttons: one inbox row each, never twice, and what the person is told is what happens."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import psycopg
import pytest

from engine.events import RunEvent
from engine.messages import Address, Principal, RunId
from engine.ports import Outcome, RunScope
from engine.pressed import Pressed
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import ANN, House, given, inbox_key, running

BOB = Principal(id="bob", name="Bob")


class Asking:
    """An agent that asks Ann one question, as the real one does."""

    def __init__(self, seconds: float = 60) -> None:
        self.seconds = seconds
        self.answers: list[str] = []

    async def __call__(self, scope: RunScope) -> Outcome:
        if scope.input.text != "may I":
            return Outcome(status="done", answer=f"answer to {scope.input.text}")
        deadline_ms = await scope.step("ask", self._deadline, result=int, events=self._question)
        control = await scope.wait(
            "answer", ["approve", "deny"], nonce="n1", deadline_ms=deadline_ms, who=lambda person: person == "ann"
        )
        nobody = "stopped" if scope.stopping else "nobody"
        said = nobody if control is None else control.kind
        self.answers.append(said)
        return Outcome(status="stopped" if said == "stopped" else "done", answer=said)

    async def _deadline(self) -> int:
        return int((time.time() + self.seconds) * 1000)

    def _question(self, deadline_ms: int) -> list[RunEvent]:
        content = {"id": "n1", "for": "ann", "deadline_ms": deadline_ms, "state": "pending"}
        return [RunEvent(run=RunId(""), type="approval", content=content, status="in_progress")]


async def asked(house: House) -> RunId:
    run = (await house.say("may I")).run
    for _ in range(1000):
        if await house.runtime.events(run):
            return run
        await asyncio.sleep(0.01)
    raise AssertionError("it never asked")


async def rows(house: House, sql: str, **values: object) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await house.runtime.database.read(lambda s: execute(s, sql, **values).all())]


async def inbox(house: House) -> list[tuple[Any, ...]]:
    return await rows(house, "SELECT route, reason, run FROM nm_inbox WHERE kind = 'action' ORDER BY at, route")


async def test_a_press_is_one_inbox_row_and_a_redelivery_is_told_the_same(place: Place) -> None:
    work = Asking()
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        first = [await house.press(run, "approve", nonce="n1", key="press") for _ in range(2)]
        assert first == [Pressed(code="approved")] * 2
        assert (await house.ended(run)).answer == "approve"
        assert await house.press(run, "approve", nonce="n1", key="press") == Pressed(code="approved")
        assert await inbox(house) == [("control", "approve", run)]
    async with running(place.url, place.home, work) as house:
        assert await house.press(run, "approve", nonce="n1", key="press") == Pressed(code="approved")
        assert len(await rows(house, "SELECT id FROM nm_control")) == 1


@pytest.mark.parametrize("action", ["satisfied", "revise", "retry"])
async def test_a_redelivered_word_after_the_end_counts_once(place: Place, action: Any) -> None:
    async with running(place.url, place.home) as house:
        run = (await house.say("hello")).run
        await house.ended(run)
        told = await asyncio.gather(*(house.press(run, action, key="press", words="better") for _ in range(3)))
        assert told[0] == told[1] == told[2] and told[0].is_carried_out
        assert len(await inbox(house)) == 1
        assert len(await rows(house, "SELECT id FROM nm_run")) == (1 if action == "satisfied" else 2)
        assert len(await rows(house, "SELECT id FROM nm_verdict")) == (0 if action == "retry" else 1)
    async with running(place.url, place.home) as house:
        assert await house.press(run, action, key="press") == told[0]
        assert len(await rows(house, "SELECT id FROM nm_run")) == (1 if action == "satisfied" else 2)


@pytest.mark.parametrize(
    "actions", [("approve", "approve"), ("approve", "deny"), ("deny", "approve"), ("stop", "stop")]
)
async def test_of_two_presses_at_once_the_first_decides(place: Place, actions: Any) -> None:
    work = Asking()
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        told = [each.code for each in await asyncio.gather(*(house.press(run, do, nonce="n1") for do in actions))]
        view = await house.ended(run)
        done = {"approve": "approved", "deny": "denied", "stopped": "stopping"}[view.answer]
        assert sorted(told) in (sorted([done, f"already_{done}"]), sorted([done, "already_ended"])), told
        assert len(await rows(house, "SELECT id FROM nm_control")) == 1


async def test_stop_and_approval_at_once_are_told_what_happens(place: Place) -> None:
    work = Asking()
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        stop, approval = await asyncio.gather(*(house.press(run, do, nonce="n1") for do in ("stop", "approve")))
        view = await house.ended(run)
        if stop.code == "stopping":
            assert view.status == "stopped" and approval.code in ("approved", "already_stopping", "already_ended")
        else:
            assert (stop.code, view.status, approval.code) == ("already_ended", "done", "approved")


async def test_a_stored_stop_wins_over_a_later_approval_and_over_one_nobody_took(place: Place) -> None:
    work = Asking()
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        scope: Any = house.runs.replica.active[run]
        look = scope.wake
        scope.wake = lambda: None  # the run is busy and has not looked yet
        assert (await house.press(run, "approve", nonce="n1")).code == "approved"
        assert (await house.press(run, "stop")).code == "stopping"
        assert (await house.press(run, "deny", nonce="n1")).code == "already_approved"
        look()
        assert (await house.ended(run)).status == "stopped"
        assert work.answers == ["stopped"]


async def test_a_stop_stored_before_the_end_was_recorded_ends_the_run_as_stopped(place: Place) -> None:
    go = asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        await go.wait()
        return Outcome(status="done", answer="whole")

    async with running(place.url, place.home, work) as house:
        run = (await house.say("hello")).run
        await house.until(lambda: run in house.runs.replica.active)
        scope: Any = house.runs.replica.active[run]
        scope.wake = lambda: None
        assert (await house.press(run, "stop")).code == "stopping"
        assert (await house.press(run, "stop", by=BOB)) == Pressed(code="already_stopping", name="Ann")
        go.set()
        view = await house.ended(run)
        assert (view.status, view.answer) == ("stopped", "whole")
        assert (await house.press(run, "stop")).code == "already_ended"
        done = [event for event in await house.runtime.events(run) if event.type == "done"]
        assert [event.content["status"] for event in done] == ["stopped"]


async def test_an_answer_stored_before_the_deadline_counts_though_the_run_had_not_read_it(place: Place) -> None:
    work = Asking(seconds=0.5)
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        scope: Any = house.runs.replica.active[run]
        look, scope.wake = scope.wake, lambda: None
        assert (await house.press(run, "approve", nonce="n1")).code == "approved"
        scope._controls.wake, waking = (lambda: None), scope._controls.wake
        await asyncio.sleep(0.6)
        scope.wake, scope._controls.wake = look, waking
        look()
        assert (await house.ended(run)).answer == "approve"


async def test_who_may_not_and_what_is_too_late_is_told_so(place: Place) -> None:
    work = Asking(seconds=0.3)
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        assert (await house.press(run, "approve", by=BOB, nonce="n1")).code == "not_yours"
        assert (await house.press(run, "approve", nonce="another")).code == "stale"
        assert (await house.press(run, "stop", refused="not_yours")).code == "not_yours"
        await house.ended(run)
        assert work.answers == ["nobody"]
        assert (await house.press(run, "approve", nonce="n1")).code == "expired"
        assert {row[0] for row in await inbox(house)} == {"ignored"}
        assert await rows(house, "SELECT id FROM nm_control") == []


async def test_a_second_person_is_told_who_decided(place: Place) -> None:
    work = Asking()
    async with running(place.url, place.home, work) as house:
        run = await asked(house)
        assert (await house.press(run, "deny", nonce="n1")).code == "denied"
        assert await house.press(run, "approve", by=BOB, nonce="n1") == Pressed(code="already_denied", name="Ann")
        assert (await house.ended(run)).answer == "deny"


async def test_only_the_newest_attempt_can_be_followed(place: Place) -> None:
    async with running(place.url, place.home) as house:
        first = (await house.say("poem")).run
        await house.ended(first)
        told = await asyncio.gather(*(house.press(first, "revise", words="better") for _ in range(2)))
        revision = next(each.run for each in told if each.code == "revising")
        assert sorted(each.code for each in told) == ["newer", "revising"] and revision is not None
        for action in ("retry", "revise", "satisfied"):
            assert await house.press(first, action, words="x") == Pressed(code="newer", run=revision)
        view = await house.ended(revision)
        assert (view.task, view.attempt_index, view.input.text) == (first, 2, "better")
        again = await house.press(revision, "retry")
        assert again.code == "retrying" and again.run is not None
        last = await house.ended(again.run)
        assert (last.task, last.attempt_index, last.input.text) == (first, 3, "better")
        assert len(await rows(house, "SELECT id FROM nm_verdict")) == 1
        told_old = [event.content for event in await house.runtime.events(first) if event.type == "notice"]
        assert [each["code"] for each in told_old] == ["revised"]  # type: ignore[index]
        assert ANN.id == view.input.by.id


@pytest.mark.parametrize("action", ["revise", "retry"])
async def test_a_press_and_a_message_to_the_same_run_do_not_wait_for_each_other(place: Place, action: Any) -> None:
    """A message that speaks to the run at work locks its conversation, then the run."""
    if place.name == "sqlite":
        pytest.skip("one writer: nobody waits for anybody")
    async with running(place.url, place.home, Asking()) as house:
        run = (await house.say("hello")).run
        await house.ended(run)
        with psycopg.connect(place.url) as message:
            message.execute("SELECT 1 FROM nm_conv FOR UPDATE")
            pressing = asyncio.create_task(house.press(run, action, words="again", key="press"))
            await until_somebody_waits(place.url)
            message.execute("SELECT 1 FROM nm_run WHERE id = %s FOR UPDATE NOWAIT", [run])
        assert (await pressing).is_carried_out


async def test_a_new_session_and_a_message_to_the_run_at_work_do_not_wait_for_each_other(place: Place) -> None:
    if place.name == "sqlite":
        pytest.skip("one writer: nobody waits for anybody")
    async with running(place.url, place.home, Asking()) as house:
        run = await asked(house)
        with psycopg.connect(place.url) as message:
            message.execute("SELECT 1 FROM nm_conv FOR UPDATE")
            new = house.runtime.new_session(
                inbox_key("new", "command"), Address("chat"), ANN, question=given("x", "chat")
            )
            renewing = asyncio.create_task(new)
            await until_somebody_waits(place.url)
            message.execute("SELECT 1 FROM nm_run WHERE id = %s FOR UPDATE NOWAIT", [run])
        renewed = await renewing
        assert renewed.stopped == [run] and renewed.run is not None
        assert (await house.ended(renewed.run)).answer == "answer to x"


async def until_somebody_waits(url: str) -> None:
    waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(url, autocommit=True) as looking:
        for _ in range(500):
            if looking.execute(waits).fetchone():
                return
            await asyncio.sleep(0.01)
    raise AssertionError("nobody waits")
