"""More is asked than can be answered: who waits is told where they stand, who is refused is told what to do."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from channels.events import Sender
from gateway.clock import SystemClock
from gateway.stores.people import People
from gateway.texts.access_en import TEXTS as ACCESS
from tests.journeys.fake_house import ANN, BOB, fake_house
from tests.journeys.scripted_model import Say, Until
from tests.journeys.test_one_conversation import PLATFORMS, chat
from tests.journeys.towns.street import DIRECT, GROUP

EVERYWHERE = pytest.mark.parametrize("name", PLATFORMS)
NEXT, OVER = ACCESS["notice.busy_next"], ACCESS["notice.busy_over"]


@EVERYWHERE
async def test_f34_a_message_beyond_the_limit_is_told_what_to_do_once_and_the_rest_is_answered(
    name: str, home: Path
) -> None:
    async with chat(name, home, {"runs.waiting_per_conversation": "2"}) as c:
        street, gate = c.town.street, asyncio.Event()
        c.model.script([Until(gate), Say("You said: message 0")], when="message 0")
        said = [street.say(f"message {number}", where=DIRECT) for number in range(7)]
        refusal = ACCESS["notice.conversation_full"].format(count=3)
        await c.heard(refusal, where=DIRECT)
        street.redeliver(said[-1])
        gate.set()
        await c.heard("You said: message 2", where=DIRECT)
        await asyncio.sleep(0.5)
        assert {each.question for each in c.model.asked} == {f"message {n}" for n in range(3)}
        assert street.heard(DIRECT).count(refusal) == 1 and NEXT not in street.heard(DIRECT)
        street.say("and now?", where=DIRECT)
        await c.heard("You said: and now?", where=DIRECT)


@EVERYWHERE
async def test_who_waits_because_everything_is_busy_has_one_small_message_and_then_an_answer(
    name: str, home: Path
) -> None:
    async with chat(name, home, {"runs.concurrency": "1"}) as c:
        street, gate = c.town.street, asyncio.Event()
        c.model.script([Until(gate), Say("You said: long")], when="long")
        street.say("long", where=GROUP)
        await c.until(lambda: bool(c.model.asked), "it is at work")
        street.say("me too", where=DIRECT)
        await c.heard(NEXT, where=DIRECT)
        await asyncio.sleep(1.1)
        assert street.count(DIRECT) == 1, "one small message, however long it takes"
        gate.set()
        await c.heard("You said: me too", where=DIRECT)
        await asyncio.sleep(0.3)
        assert street.count(DIRECT) == 2 and street.heard(GROUP).count(NEXT) == 0


async def test_a_card_follows_the_line_by_halves_and_ends_when_it_is_over(home: Path) -> None:
    async with fake_house(home, {"runs.concurrency": 1}) as h:
        gate = asyncio.Event()
        h.model.script([Until(gate), Say("You said: first")], when="first")
        await h.say("first", by=ANN, thread="t0")
        await h.until(lambda: h.model.asked)
        for number in range(1, 5):
            await h.say(f"number {number}", by=Sender(f"p{number}", "tenant1", f"P{number}"), thread=f"t{number}")
        for number in range(2, 5):
            await h.reads(ACCESS["notice.busy"].format(position=number), thread=f"t{number}")
        await h.say("behind", by=BOB, thread="t0")
        await asyncio.sleep(2.2)
        assert len(h.seen("t0")) == 1, "what waits for its own conversation gets no card for that"
        gate.set()
        for number in range(1, 5):
            await h.reads(f"You said: number {number}", thread=f"t{number}")
            await h.reads(OVER, thread=f"t{number}")


async def test_a_flood_is_refused_in_a_few_words_and_nothing_of_it_is_lost(home: Path) -> None:
    limits = {"runs.open_per_person": 3, "access.per_person_per_minute": 0, "access.per_conversation_per_minute": 0}
    async with fake_house(home, limits) as h:
        gate = asyncio.Event()
        h.model.script(*[[Until(gate), Say("answered")]] * 3, when="question")
        for number in range(8):
            await h.say(f"question {number}", kind="direct")
        await h.reads(ACCESS["notice.person_full"].format(count=3), chat="dm")
        gate.set()
        await h.until(lambda: sum("answered" in each for each in h.seen(chat="dm")) == 3)
        assert len(h.model.asked) == 3
        assert len(h.seen(chat="dm")) == 4


async def test_a_question_of_somebody_who_was_put_out_while_it_waited_is_not_answered_and_that_is_said(
    home: Path,
) -> None:
    async with fake_house(home, {"runs.concurrency": 1, "access.dm": "pairing"}) as h:
        gate, people = asyncio.Event(), People(h.runtime.database)
        asked = await people.ask("fake:main:ann", "Ann", now_ms=1)
        assert await people.approve(asked.code, "member", by="", now_ms=1)
        h.model.script([Until(gate), Say("You said: long")], when="long")
        await h.say("long", by=BOB)
        await h.until(lambda: h.model.asked)
        await h.say("my secret plan", by=ANN, kind="direct", created_at_ms=SystemClock().now_ms() - 3000)
        assert await people.revoke("fake:main:ann")
        gate.set()
        await h.reads(ACCESS["error.put_out"], chat="dm")
        assert len(h.model.asked) == 1, "no model heard of it"


async def test_repeats_of_a_message_are_counted_once(home: Path) -> None:
    async with fake_house(home, {"access.per_person_per_minute": 3}) as h:
        await h.say("number 0")
        for _ in range(6):
            await h.redeliver()
        for number in (1, 2):
            await h.say(f"number {number}")
            await h.reads(f"You said: number {number}")
        assert len(h.model.asked) == 3
        assert not any(ACCESS["notice.person_too_fast"] in each for each in h.seen())
