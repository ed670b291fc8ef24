"""A message that is corrected while it waits is asked in its new words; one that has begun keeps the old ones."""

from __future__ import annotations

import asyncio

from engine.ports import Outcome, RunScope
from tests.contract.conftest import Place
from tests.contract.processes.house import given, inbox_key, running

HERE = given("").to


async def test_a_waiting_message_is_asked_in_its_new_words(place: Place) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(scope: RunScope) -> Outcome:
        begun.set()
        await go_on.wait()
        return Outcome(status="done", answer=scope.input.text)

    async with running(place.url, place.home, work) as house:
        first = await house.say("first", key="one")
        async with asyncio.timeout(10):
            await begun.wait()
        second = await house.say("secnod", key="two")
        assert await house.runtime.reword(inbox_key("two"), "second", HERE, edited_at_ms=1)
        assert not await house.runtime.reword(inbox_key("one"), "other words", HERE, edited_at_ms=2)
        assert not await house.runtime.reword(inbox_key("three"), "nobody said this", HERE, edited_at_ms=3)
        go_on.set()
        assert (await house.ended(first.run)).answer == "first"
        assert (await house.ended(second.run)).answer == "second"
        assert not await house.runtime.reword(inbox_key("two"), "too late", HERE, edited_at_ms=4)


async def test_a_held_message_is_released_in_its_new_words(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=scope.input.text)

    async with running(place.url, place.home, work) as house:
        await house.runtime.hold(given("old words"), key=inbox_key("one"), reason="backlog")
        assert await house.runtime.reword(inbox_key("one"), "new words", HERE, edited_at_ms=5)
        (run,) = await house.runtime.release(await house.runtime.held("backlog"))
        assert (await house.ended(run)).answer == "new words"


async def test_the_last_correction_counts_in_whatever_order_they_come(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=scope.input.text)

    async with running(place.url, place.home, work) as house:
        await house.runtime.hold(given("old words"), key=inbox_key("one"), reason="backlog")
        assert await house.runtime.reword(inbox_key("one"), "last words", HERE, edited_at_ms=20)
        assert not await house.runtime.reword(inbox_key("one"), "second words", HERE, edited_at_ms=10)
        (run,) = await house.runtime.release(await house.runtime.held("backlog"))
        assert (await house.ended(run)).answer == "last words"


async def test_a_message_that_comes_after_its_correction_is_asked_in_the_new_words(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=scope.input.text)

    async with running(place.url, place.home, work) as house:
        assert not await house.runtime.reword(inbox_key("one"), "new words", HERE, edited_at_ms=20)
        assert not await house.runtime.reword(inbox_key("one"), "older words", HERE, edited_at_ms=10)
        assert (await house.ended((await house.say("old words", key="one")).run)).answer == "new words"
        assert not await house.runtime.reword(inbox_key("two"), "held words", HERE, edited_at_ms=20)
        await house.runtime.hold(given("old words"), key=inbox_key("two"), reason="backlog")
        (run,) = await house.runtime.release(await house.runtime.held("backlog"))
        assert (await house.ended(run)).answer == "held words"
