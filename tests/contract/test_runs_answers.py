"""Answers to a question of the agent: by a button, by words in the card's field, by a message; the first one stands."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from engine.events import RunEvent
from engine.messages import Address, EnclosedPart, Principal, RunId, RunInput, TextPart
from engine.ports import Outcome, RunScope
from engine.pressed import Pressed
from engine.runtime import Spoken, Submitted
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.house import ANN, FAST, House, inbox_key, running
from tests.contract.test_runs_archive import visiting

BOB = Principal(id="bob", name="Bob")


_ENDS = {"stopped": "stopped", "nobody": "expired"}


class Asking:
    """An agent that asks Ann one thing, as the real one does, and answers with what she said."""

    def __init__(self, *, takes_words: bool = True, seconds: float = 60) -> None:
        self.takes_words = takes_words
        self.seconds = seconds

    async def __call__(self, scope: RunScope) -> Outcome:
        if scope.input.text != "ask me":
            return Outcome(status="done", answer=f"answer to {scope.input.text}")
        deadline_ms = await scope.step("question", self._deadline, result=int, events=self._question)
        control = await scope.wait(
            "reply", ["choose"], nonce="q1", deadline_ms=deadline_ms, who=lambda person: person == "ann"
        )
        said = "stopped" if scope.stopping else "nobody" if control is None else str(control.body["choice"])

        async def told() -> str:
            return said

        await scope.step(
            "told", told, result=str, events=lambda _: [self._event(_ENDS.get(said, "answered"), deadline_ms)]
        )
        return Outcome(status="stopped" if scope.stopping else "done", answer=said)

    async def _deadline(self) -> int:
        return int((time.time() + self.seconds) * 1000)

    def _question(self, deadline_ms: int) -> list[RunEvent]:
        return [self._event("pending", deadline_ms)]

    def _event(self, state: str, deadline_ms: int) -> RunEvent:
        content = {"id": "q1", "code": "question", "for": "ann", "deadline_ms": deadline_ms, "state": state}
        content |= {"question": "Which?", "options": ["Paris", "Rome"], "takes_words": self.takes_words}
        return RunEvent(run=RunId(""), type="choice", content=content, segment="question")


async def asked(house: House) -> RunId:
    run = (await house.say("ask me")).run
    for _ in range(1000):
        if await house.runtime.events(run):
            return run
        await asyncio.sleep(0.01)
    raise AssertionError("it never asked")


async def rows(house: House, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await house.runtime.database.read(lambda s: execute(s, sql).all())]


async def say(house: House, text: str, *, by: Principal = ANN, key: str = "", file: bool = False) -> Submitted:
    parts: list[Any] = [EnclosedPart(label="plan.pdf", ref={})] if file else []
    given = RunInput(to=Address("chat"), by=by, parts=(*parts, TextPart(text=text)), sent_at_ms=int(time.time() * 1000))
    return await house.runtime.submit(given, key=inbox_key(key or text))


async def test_an_operator_sees_that_a_run_waits_for_the_person_it_asked(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house, visiting(place.url, place.home) as archive:
        run = await asked(house)
        told = await archive.show(run)
        assert told is not None and [(each.what, each.person) for each in told.waits] == [("person", "ann")]
        await house.press(run, "option_2", nonce="q1")
        await house.ended(run)


async def test_a_button_answers_once_and_everybody_is_told_what_is_so(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house:
        run = await asked(house)
        assert await house.press(run, "option_2", nonce="q1", by=BOB) == Pressed(code="not_yours")
        assert await house.press(run, "option_3", nonce="q1") == Pressed(code="stale")
        assert await house.press(run, "option_1", nonce="other") == Pressed(code="stale")
        assert await house.press(run, "submit", nonce="q1", words=" ") == Pressed(code="answer_empty")
        told = [await house.press(run, "option_2", nonce="q1", key="press") for _ in range(2)]
        assert told == [Pressed(code="answered")] * 2
        # By whichever comes first: at the latest now somebody else presses too late.
        assert await house.press(run, "option_1", nonce="q1") == Pressed(code="already_answered")
        assert (await house.ended(run)).answer == "Rome"
        assert (await house.press(run, "option_1", nonce="q1")).code == "already_answered"
        assert len(await rows(house, "SELECT id FROM nm_control")) == 1


async def test_a_message_of_the_person_who_is_asked_is_the_answer_and_no_run(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house:
        run = await asked(house)
        queued = await say(house, "something else", by=BOB)
        assert queued.spoke is None and queued.queued_behind == 1
        first = await say(house, "neither, Oslo", key="reply")
        assert first == Submitted(run, False, 0, Spoken(run, "answer"))
        again = await say(house, "neither, Oslo", key="reply")
        assert (again.run, again.duplicate) == (run, True)
        assert (await house.ended(run)).answer == "neither, Oslo"
        assert (await house.ended(queued.run)).answer == "answer to something else"
        assert len(await rows(house, "SELECT id FROM nm_run")) == 2
        sql = "SELECT route, reason, run FROM nm_inbox WHERE key = 'reply'"
        assert await rows(house, sql) == [("control", "answer", run)]


async def test_where_only_choices_count_a_number_is_one_and_other_words_wait(place: Place) -> None:
    async with running(place.url, place.home, Asking(takes_words=False)) as house:
        run = await asked(house)
        assert (await house.press(run, "submit", nonce="q1", words="Oslo")).code == "answer_empty"
        waits = await say(house, "what is the weather")
        assert waits.spoke is None and waits.queued_behind == 1
        assert (await say(house, "2.")).spoke == Spoken(run, "answer")
        assert (await house.ended(run)).answer == "Rome"
        assert (await house.ended(waits.run)).answer == "answer to what is the weather"


async def test_files_early_words_and_second_answers_are_turns_of_their_own(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house:
        before = RunInput(to=Address("chat"), by=ANN, parts=(TextPart(text="early"),), sent_at_ms=1)
        run = await asked(house)
        assert (await say(house, "see file", file=True)).spoke is None
        assert (await house.runtime.submit(before, key=inbox_key("early"))).spoke is None
        both = await asyncio.gather(say(house, "one"), say(house, "two"))
        assert sorted(each.spoke is None for each in both) == [False, True]
        answer = next(word for word, each in zip(("one", "two"), both, strict=True) if each.spoke is not None)
        assert (await house.ended(run)).answer == answer


async def test_who_is_asked_may_answer_however_much_waits(place: Place) -> None:
    tight = FAST.model_copy(update={"waiting_per_conversation": 1})
    async with running(place.url, place.home, Asking(), settings=tight) as house:
        run = await asked(house)
        assert (await say(house, "more", by=BOB)).overload is None
        assert (await say(house, "still more", by=BOB)).overload is not None
        assert (await say(house, "Rome")).spoke == Spoken(run, "answer")
        assert (await house.ended(run)).answer == "Rome"


async def test_an_answer_counts_over_a_restart_and_a_stop_ends_the_wait(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house:
        run = await asked(house)
    async with running(place.url, place.home, Asking()) as house:
        assert (await say(house, "1")).spoke == Spoken(run, "answer")
        assert (await house.ended(run)).answer == "Paris"
        second = (await house.say("ask me", key="again")).run
        await house.until(lambda: house.seen("show", second))
        await house.stop_run(second)
        assert (await house.ended(second)).status == "stopped"
        assert (await house.press(second, "option_1", nonce="q1")).code == "question_over"


async def test_a_no_is_no_answer(place: Place) -> None:
    async with running(place.url, place.home, Asking()) as house:
        run = await asked(house)
        assert (await house.press(run, "deny", nonce="q1", by=BOB)).code == "not_yours"
        assert (await house.press(run, "deny", nonce="q1")).code == "denied"
        assert (await house.ended(run)).answer == ""


async def test_too_late_is_said(place: Place) -> None:
    async with running(place.url, place.home, Asking(seconds=0.05)) as house:
        run = await asked(house)
        assert (await house.ended(run)).answer == "nobody"
        assert (await house.press(run, "option_1", nonce="q1")).code == "question_over"


class AskingTwice:
    """Two lanes of one run that ask Ann at the same time."""

    async def __call__(self, scope: RunScope) -> Outcome:
        said = await asyncio.gather(self._asked(scope, "q1", "Paris"), self._asked(scope, "q2", "Yes"))
        return Outcome(status="done", answer=", ".join(said))

    async def _asked(self, scope: RunScope, id: str, option: str) -> str:
        deadline_ms = int(time.time() * 1000) + 60_000
        content = {"id": id, "code": "question", "for": "ann", "deadline_ms": deadline_ms, "options": [option]}

        def told(state: str) -> list[RunEvent]:
            event = content | {"question": "Which?", "takes_words": False, "state": state}
            return [RunEvent(run=scope.id, type="choice", content=event, segment=id, at_ms=1)]

        async def done() -> str:
            return id

        await scope.step(f"{id}/question", done, result=str, events=lambda _: told("pending"))
        control = await scope.wait(f"{id}/reply", ["choose"], nonce=id, deadline_ms=deadline_ms, who=bool)
        await scope.step(f"{id}/told", done, result=str, events=lambda _: told("answered"))
        return "nobody" if control is None else str(control.body["choice"])


async def test_messages_answer_each_of_two_lanes_that_ask_at_once(place: Place) -> None:
    async with running(place.url, place.home, AskingTwice()) as house:
        run = (await house.say("ask me")).run
        for _ in range(1000):
            if len(await house.runtime.events(run)) == 2:
                break
            await asyncio.sleep(0.01)
        assert [(await say(house, text, key=text)).spoke for text in ("yes", "paris")] == [Spoken(run, "answer")] * 2
        outcome = await house.ended(run)
        assert outcome.answer == "Paris, Yes"
