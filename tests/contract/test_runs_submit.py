"""Inputs become runs: once, in order, one at a time per conversation."""

from __future__ import annotations

import asyncio

import pytest

from engine.errors import AlreadyRunning, UnknownRun
from engine.messages import Address, RunId
from engine.ports import Outcome, RunScope
from tests.contract.conftest import Place
from tests.contract.processes.house import build, given, inbox_key, running


async def test_an_input_becomes_an_answer_on_the_surface(place: Place) -> None:
    async with running(place.url, place.home) as house:
        submitted = await house.say("hello")
        view = await house.ended(submitted.run)
        assert (view.status, view.answer, view.attempt) == ("done", "answer to hello", 1)
        assert [line["answer"] for line in house.seen("final")] == ["answer to hello"]
        assert [event.type for event in await house.runtime.events(submitted.run)] == ["done"]
        assert all(check.ok for check in house.runtime.readiness())


async def test_a_redelivery_is_the_same_run(place: Place) -> None:
    async with running(place.url, place.home) as house:
        first, *others = await asyncio.gather(*(house.say("hello", key="one") for _ in range(8)))
        assert {first.run} == {other.run for other in others}
        assert sorted(s.duplicate for s in (first, *others)) == [False] + [True] * 7
        await house.ended(first.run)
        late = await house.say("hello", key="one")
        assert late.duplicate and late.run == first.run
        assert len(house.seen("final")) == 1


async def test_twelve_messages_in_one_second_run_in_order_without_overlap(place: Place) -> None:
    log: list[str] = []

    async def work(scope: RunScope) -> Outcome:
        log.append(f"begin {scope.input.text}")
        await asyncio.sleep(0.01)
        log.append(f"end {scope.input.text}")
        return Outcome(status="done", answer="")

    async with running(place.url, place.home, work) as house:
        submitted = [await house.say(str(n)) for n in range(12)]
        assert [s.queued_behind for s in submitted][:2] == [0, 1]
        await house.ended(submitted[-1].run)
    assert log == [f"{word} {n}" for n in range(12) for word in ("begin", "end")]


async def test_conversations_do_not_wait_for_each_other(place: Place) -> None:
    together = asyncio.Barrier(5)

    async def work(scope: RunScope) -> Outcome:
        async with asyncio.timeout(10):
            await together.wait()
        return Outcome(status="done")

    async with running(place.url, place.home, work) as house:
        submitted = [await house.say("hello", to=f"chat {n}") for n in range(5)]
        views = [await house.ended(s.run) for s in submitted]
        assert [view.status for view in views] == ["done"] * 5


async def test_an_ignored_inbound_is_stored_once_and_starts_nothing(place: Place) -> None:
    async with running(place.url, place.home) as house:
        key, chat = inbox_key("reaction 1"), Address("chat")
        assert await house.runtime.ignore(key, chat, "reaction", {"emoji": "ok"})
        assert not await house.runtime.ignore(key, chat, "reaction", {"emoji": "ok"})
        again = await house.runtime.submit(given("hello"), key=key)
        assert again.duplicate and again.run == ""


async def test_an_unexpected_exception_is_a_failed_card_never_a_hung_one(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(scope: RunScope) -> Outcome:
        raise ZeroDivisionError("secret detail")

    async with running(place.url, place.home, work) as house:
        submitted = await house.say("hello")
        view = await house.ended(submitted.run)
        assert (view.status, view.outcome.error) == ("failed", "internal")
        events = await house.runtime.events(submitted.run)
        assert [event.type for event in events] == ["error", "done"]
        assert "secret" not in str(events)
    assert "ZeroDivisionError" in caplog.text


async def test_a_broken_surface_never_ends_a_run(place: Place) -> None:
    async with running(place.url, place.home) as house:
        house.surface.broken = {"open", "show", "close"}
        submitted = await house.say("hello")
        view = await house.ended(submitted.run)
        assert view.answer == "answer to hello"
        house.surface.broken = set()
        await house.until(lambda: house.seen("deliver", submitted.run))


async def test_the_time_limit_ends_a_run_that_does_not_end_itself(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        await asyncio.sleep(3600)
        raise AssertionError

    from tests.contract.processes.house import FAST

    settings = FAST.model_copy(update={"time_limit_s": 0.2})
    async with running(place.url, place.home, work, settings=settings) as house:
        view = await house.ended((await house.say("hello")).run)
        assert (view.status, view.outcome.error) == ("failed", "time_limit")


async def test_waiting_for_a_run_that_is_not_there(place: Place) -> None:
    async with running(place.url, place.home) as house:
        assert await house.runtime.run_view(RunId("nobody")) is None
        with pytest.raises(UnknownRun):
            await house.ended(RunId("nobody"))


async def test_a_second_process_on_the_folder_is_refused_and_told_the_pid(place: Place) -> None:
    if place.name != "sqlite":
        pytest.skip("on Postgres several processes share the work")
    async with running(place.url, place.home) as house:
        second = build(place.url, place.home, house.runs._turn.run)  # type: ignore[arg-type]
        with pytest.raises(AlreadyRunning, match=r"process \d+"):
            await second.runtime.start()
        view = await house.ended((await house.say("still fine")).run)
        assert view.status == "done"
