"""How much may be open at once: a limit holds whatever comes at the same moment, and what is refused is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Outcome, RunScope
from engine.runs.inbox import Submitted
from engine.settings import RunSettings
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import FAST, House, inbox_key, running

EMBEDDED = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
"""What no second transaction can change."""


def limits(**given: int) -> RunSettings:
    return FAST.model_copy(update=given)


class Gate:
    """Works until it is opened."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()
        self.began = 0

    async def __call__(self, scope: RunScope) -> Outcome:
        self.began += 1
        await self.opened.wait()
        return Outcome(status="done", answer=f"answer to {scope.input.text}")


async def say(house: House, text: str, *, to: str = "chat", by: str = "ann", account: str = "main") -> Submitted:
    who = Principal(id=by, name=by)
    given = RunInput(to=Address(to), by=who, parts=(TextPart(text=text),), account=account)
    return await house.runtime.submit(given, key=inbox_key(f"{to}-{text}"))


async def stored(house: House, key: str) -> tuple[str, str, str | None]:
    sql = "SELECT route, reason, run FROM nm_inbox WHERE kind = 'message' AND key = :key"
    row = await house.runtime.database.read(lambda s: execute(s, sql, key=key).one())
    return row.route, row.reason, row.run


async def test_f34_beyond_the_limit_a_message_is_stored_as_refused_and_the_others_are_answered(place: Place) -> None:
    gate = Gate()
    async with running(place.url, place.home, gate, settings=limits(waiting_per_conversation=3)) as house:
        said = [await say(house, f"m{n}", by=f"person {n}") for n in range(6)]
        assert [each.overload and each.overload.reason for each in said] == [None] * 4 + ["conversation_full"] * 2
        assert [each.queued_behind for each in said] == [0, 1, 2, 3, 4, 4]
        assert await stored(house, "chat-m5") == ("ignored", "conversation_full", None)
        again = await say(house, "m5")
        assert again.duplicate and again.overload is None, "a redelivery is told nothing new"
        assert (await say(house, "elsewhere", to="other")).overload is None
        gate.opened.set()
        views = [await house.ended(each.run) for each in said[:4]]
        assert [view.answer for view in views] == [f"answer to m{n}" for n in range(4)]
        assert (await say(house, "m6")).overload is None, "there is room again"


async def test_a_person_is_counted_over_all_conversations_of_an_account_also_at_the_same_moment(place: Place) -> None:
    gate = Gate()
    async with running(place.url, place.home, gate, settings=limits(open_per_person=5)) as house:
        said = await asyncio.gather(*(say(house, "hello", to=f"chat {n}") for n in range(30)))
        let_in = [each for each in said if each.overload is None]
        assert len(let_in) == 5
        assert {each.overload.reason for each in said if each.overload} == {"person_full"}
        assert (await say(house, "hello", by="bob", to="bobs")).overload is None, "another person"
        assert (await say(house, "hello", to="there", account="second")).overload is None, "another account"
        gate.opened.set()
        for each in let_in:
            await house.ended(each.run)
        assert (await say(house, "later")).overload is None


async def test_a_conversation_lets_no_more_in_at_the_same_moment(place: Place) -> None:
    gate = Gate()
    async with running(place.url, place.home, gate, settings=limits(waiting_per_conversation=4)) as house:
        said = await asyncio.gather(*(say(house, f"m{n}", by=f"person {n}") for n in range(30)))
        assert sum(each.overload is None for each in said) == 5
        gate.opened.set()


async def test_what_waits_in_all_has_a_bound(place: Place) -> None:
    gate, settings = Gate(), limits(concurrency=2, waiting_per_replica=4)
    async with running(place.url, place.home, gate, settings=settings) as house:
        said: list[Submitted] = []
        for n in range(12):
            said.append(await say(house, "hello", to=f"chat {n}", by=f"person {n}"))
            await asyncio.sleep(0.03)
        let_in = [each for each in said if each.overload is None]
        assert 4 <= len(let_in) <= 7, "two in work, four that wait; what began since the last count may hide one"
        assert {each.overload.reason for each in said if each.overload} == {"gateway_full"}
        gate.opened.set()
        for each in let_in:
            assert (await house.ended(each.run)).status == "done"


@EMBEDDED
async def test_an_attempt_more_counts_like_a_question(place: Place) -> None:
    gate = Gate()
    async with running(place.url, place.home, gate, settings=limits(open_per_person=1)) as house:
        gate.opened.set()
        first = await house.say("hello")
        await house.ended(first.run)
        gate.opened.clear()
        assert (await house.say("other", to="chat 2")).overload is None
        assert (await house.press(first.run, "retry", key="one")).code == "person_full"
        assert (await house.press(first.run, "retry", key="one")).code == "person_full", "a redelivery is told the same"
        gate.opened.set()
        await house.until(lambda: not house.runs.replica.active)
        assert (await house.press(first.run, "retry", key="two")).code == "retrying"


@EMBEDDED
async def test_what_waits_for_words_counts_and_is_never_refused_later(place: Place) -> None:
    gate = Gate()
    settings = limits(waiting_per_conversation=2)
    async with running(place.url, place.home, gate, settings=settings) as house:
        given = RunInput(to=Address("chat"), by=Principal(id="ann"), parts=(TextPart(text="a picture"),))
        kept = [await house.runtime.hold(given, key=inbox_key(f"p{n}"), reason="join") for n in range(5)]
        assert [each.overload is None for each in kept] == [True, True, True, False, False]
        assert [each.is_new for each in kept] == [True] * 5
        assert await stored(house, "p4") == ("ignored", "conversation_full", None)
        assert len(await house.runtime.release(await house.runtime.held("join"))) == 3
        gate.opened.set()


@EMBEDDED
async def test_words_that_are_refused_take_what_waited_for_them_along(place: Place) -> None:
    gate = Gate()
    async with running(place.url, place.home, gate, settings=limits(open_per_person=2)) as house:
        given = RunInput(
            to=Address("chat"), by=Principal(id="ann"), parts=(TextPart(text="a picture"),), account="main"
        )
        assert (await house.runtime.hold(given, key=inbox_key("p"), reason="join")).overload is None
        for n in range(2):
            await say(house, f"m{n}", to=f"chat {n}")
        refused = await house.runtime.submit(given, key=inbox_key("words"), joins=[inbox_key("p")])
        assert refused.overload is not None and await stored(house, "p") == ("ignored", "person_full", None)
        gate.opened.set()


async def test_nobody_is_told_of_a_line_while_there_is_room(place: Place) -> None:
    """A run that a dead peer has left is taken up in a moment: "I am busy" would be a lie."""
    waits = """INSERT INTO nm_run (id, conv, seq, status, created_at, input, task)
VALUES (:id, :id, 1, :status, 1, '{}', :id)"""
    settings = FAST.model_copy(update={"concurrency": 2})
    async with running(place.url, place.home, settings=settings) as house:
        places: list[Mapping[RunId, int]] = []
        for run, status in (("waits", "queued"), ("one", "running"), ("two", "running")):
            await house.runtime.database.run(lambda s, run=run, status=status: execute(s, waits, id=run, status=status))
            places.append(await house.runtime.in_line())
        await house.runtime.database.run(lambda s: execute(s, "DELETE FROM nm_run"))
    assert [each[RunId("waits")] for each in places] == [0, 0, 1]
