"""A message that is corrected while it waits is asked in its new words; one that has begun keeps the old ones."""

from __future__ import annotations

import asyncio

from engine.ports import Outcome, RunScope
from tests.contract.conftest import Place
from tests.contract.processes.house import given, inbox_key, running


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
        assert await house.runtime.reword(inbox_key("two"), "second")
        assert not await house.runtime.reword(inbox_key("one"), "other words")
        assert not await house.runtime.reword(inbox_key("three"), "nobody said this")
        go_on.set()
        assert (await house.ended(first.run)).answer == "first"
        assert (await house.ended(second.run)).answer == "second"
        assert not await house.runtime.reword(inbox_key("two"), "too late")


async def test_a_held_message_is_released_in_its_new_words(place: Place) -> None:
    async def work(scope: RunScope) -> Outcome:
        return Outcome(status="done", answer=scope.input.text)

    async with running(place.url, place.home, work) as house:
        await house.runtime.hold(given("old words"), key=inbox_key("one"), reason="backlog")
        assert await house.runtime.reword(inbox_key("one"), "new words")
        (run,) = await house.runtime.release(await house.runtime.held("backlog"))
        assert (await house.ended(run)).answer == "new words"
