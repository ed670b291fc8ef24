"""What comes while a run works: it waits, reaches the run exactly once, or ends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest

from engine.events import RunEvent
from engine.messages import Address, EnclosedPart, Principal, RunId, RunInput, TextPart
from engine.ports import Control, Outcome, RunScope, Steer
from engine.runtime import Spoken, Submitted
from engine.settings import WhileBusy
from engine.storage.statement import execute
from tests.contract.conftest import Place
from tests.contract.processes.child import Child, until
from tests.contract.processes.house import FAST, House, inbox_key, running
from tests.contract.processes.recording import lines
from tests.contract.processes.works import acts

BOB = Principal(id="bob", name="Bob")
MODES: dict[WhileBusy, Any] = {
    mode: FAST.model_copy(update={"while_busy": mode}) for mode in ("queue", "steer", "interrupt")
}


class Rounds:
    """Works until told to end, and reads what is said to it before each round."""

    def __init__(self) -> None:
        self.goes = asyncio.Event()
        self.ends = asyncio.Event()
        self.read: list[str] = []
        self.began: list[str] = []

    async def __call__(self, scope: RunScope) -> Outcome:
        self.began.append(scope.input.text)
        if not scope.input.text.startswith("work"):
            return Outcome(status="done", answer=f"answer to {scope.input.text}")
        await _first(self.goes.wait(), scope.stopped())
        self.read += [each.input.text for each in await scope.take_in("steer/0", events=_events, also=_nothing)]
        await _first(self.ends.wait(), scope.stopped())
        return Outcome(status="stopped" if scope.stopping else "done", answer="+".join(self.read))


async def _first(*waits: Any) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


def _events(steers: Sequence[Steer]) -> list[RunEvent]:
    return [
        RunEvent(run=RunId(""), type="notice", content={"code": "steered", "said": each.input.text}) for each in steers
    ]


def _nothing(_session: Any, _steers: Sequence[Steer]) -> None:
    pass


async def say(house: House, text: str, *, by: Principal | None = None, parts: Sequence[Any] = ()) -> Submitted:
    who = by or Principal(id="ann", name="Ann")
    given = RunInput(to=Address("chat"), by=who, parts=(TextPart(text=text), *parts))
    return await house.runtime.submit(given, key=inbox_key(text))


async def works(house: House, work: Rounds) -> RunId:
    run = (await say(house, "work")).run
    await house.until(lambda: work.began)
    return run


async def heard(house: House, run: RunId, words: int = 1) -> None:
    """Wait until the run knows of the words: it looks soon after they are stored."""
    scope: Any = house.runs.replica.active[run]
    await house.until(lambda: len(scope.pending("steer")) == words)


async def status(house: House, run: RunId) -> tuple[str, str]:
    view = await house.runtime.run_view(run)
    assert view is not None
    return view.status, view.answer


def mode(place: Place, name: WhileBusy) -> dict[str, Any]:
    return {"url": place.url, "home": place.home, "settings": MODES[name]}


async def test_f34_by_default_messages_wait_and_are_answered_in_their_order(place: Place) -> None:
    work = Rounds()
    async with running(place.url, place.home, work) as house:
        run = await works(house, work)
        texts = [f"word {n}" for n in range(1, 51)]
        others = [await say(house, text) for text in texts]
        assert [each.spoke for each in others] == [None] * 50
        assert [each.queued_behind for each in others] == list(range(1, 51))
        work.goes.set()
        work.ends.set()
        assert await answers(house, run, *(each.run for each in others)) == ["", *(f"answer to {n}" for n in texts)]
        assert work.began == ["work", *texts] and work.read == []


async def answers(house: House, *runs: RunId) -> list[str]:
    return [(await house.ended(run)).answer for run in runs]


async def test_steered_words_reach_the_run_once_and_their_turns_end_empty(place: Place) -> None:
    work = Rounds()
    async with running(work=work, **mode(place, "steer")) as house:
        run = await works(house, work)
        said = [await say(house, text) for text in ("first", "second")]
        assert [each.spoke for each in said] == [Spoken(run, "steer")] * 2
        assert (await say(house, "second")).duplicate
        await heard(house, run, 2)
        work.goes.set()
        await house.until(lambda: work.read)
        assert [await status(house, each.run) for each in said] == [("done", "")] * 2
        after = await say(house, "after")
        work.ends.set()
        assert await answers(house, run, after.run) == ["first+second", "answer to after"]
        assert work.began == ["work", "after"], "a late word is a message"
        assert [each["said"] for each in await notices(house, run)] == ["first", "second"]
        assert house.seen("open", said[0].run) == [] and house.seen("final", said[0].run) == []


async def notices(house: House, run: RunId) -> list[dict[str, Any]]:
    return [
        each.content
        for each in await house.runtime.events(run)
        if each.type == "notice" and isinstance(each.content, dict)
    ]


async def test_two_peoples_messages_are_never_merged(place: Place) -> None:
    work = Rounds()
    async with running(work=work, **mode(place, "steer")) as house:
        run = await works(house, work)
        bobs, mine = await say(house, "from Bob", by=BOB), await say(house, "from Ann")
        picture = EnclosedPart(label="image", ref={})
        with_picture = await say(house, "look", parts=[picture])
        assert (bobs.spoke, mine.spoke, with_picture.spoke) == (None, Spoken(run, "steer"), None)
        await heard(house, run)
        work.goes.set()
        work.ends.set()
        assert await answers(house, run, bobs.run, with_picture.run) == [
            "from Ann",
            "answer to from Bob",
            "answer to look",
        ]


async def test_words_whose_turn_was_stopped_or_taken_back_are_not_read(place: Place) -> None:
    work = Rounds()
    async with running(work=work, **mode(place, "steer")) as house:
        run = await works(house, work)
        stopped, recalled, kept = [await say(house, text) for text in ("no", "oh no", "yes")]
        assert (await house.press(stopped.run, "stop")).code == "stopping"
        await house.runtime.recall(inbox_key("oh no"), Address("chat"))
        await heard(house, run, 3)
        work.goes.set()
        work.ends.set()
        assert await answers(house, run, kept.run) == ["yes", ""]
        assert [(await house.ended(each.run)).status for each in (stopped, recalled)] == ["stopped"] * 2
        assert (await house.press(kept.run, "stop")).code == "already_ended"


async def test_a_stop_that_comes_between_reading_and_recording_is_kept(place: Place) -> None:
    work, told = Rounds(), list[Any]()
    async with running(work=work, **mode(place, "steer")) as house:
        run = await works(house, work)
        said = await say(house, "no")
        await heard(house, run)
        scope: Any = house.runs.replica.active[run]
        record = scope.record

        async def late(*args: Any) -> Any:
            told.append(await house.runtime.control(said.run, Control(id="late", kind="stop", by="ann")))
            scope.record = record
            return await record(*args)

        scope.record = late
        work.goes.set()
        work.ends.set()
        assert await answers(house, run) == [""] and told == ["accepted"]
        assert (await house.ended(said.run)).status == "stopped"


@pytest.mark.parametrize("is_read", [False, True])
async def test_words_that_their_writer_corrects_while_they_wait_are_read_as_corrected(
    place: Place, is_read: bool
) -> None:
    work = Rounds()
    async with running(work=work, **mode(place, "steer")) as house:
        run = await works(house, work)
        said = await say(house, "at ten")
        await heard(house, run)
        scope: Any = house.runs.replica.active[run]
        record = scope.record

        async def correct(*args: Any) -> Any:
            scope.record = record
            assert await house.runtime.reword(inbox_key("at ten"), "at eleven", Address("chat"), edited_at_ms=1)
            return await record(*args)

        if is_read:
            scope.record = correct
        else:
            assert await house.runtime.reword(inbox_key("at ten"), "at eleven", Address("chat"), edited_at_ms=2)
        work.goes.set()
        work.ends.set()
        assert await answers(house, run, said.run) == ["at eleven", ""]
        assert not await house.runtime.reword(inbox_key("at ten"), "at twelve", Address("chat"), edited_at_ms=3), (
            "read is read"
        )


async def test_interrupting_stops_the_persons_own_run_and_takes_its_place(place: Place) -> None:
    work = Rounds()
    async with running(work=work, **mode(place, "interrupt")) as house:
        run = await works(house, work)
        assert (await say(house, "from Bob", by=BOB)).spoke is None
        mine = await say(house, "instead")
        assert mine.spoke == Spoken(run, "interrupt")
        assert [(await house.ended(each)).status for each in (run, mine.run)] == ["stopped", "done"]
        assert work.began == ["work", "from Bob", "instead"]


async def test_interrupting_ends_a_question_that_holds_the_conversation_up(place: Place) -> None:
    async def asks(scope: RunScope) -> Outcome:
        if scope.input.text != "may I":
            return Outcome(status="done", answer="free")
        deadline_ms = int((time.time() + 60) * 1000)
        await scope.wait("ask", ["approve"], nonce="n", deadline_ms=deadline_ms, who=lambda _by: True)
        return Outcome(status="stopped")

    async with running(work=asks, **mode(place, "interrupt")) as house:
        asking = (await say(house, "may I")).run
        await house.until(lambda: any(hand.rests for hand in house.runs.replica.active.values()))
        behind = await say(house, "hello", by=BOB)
        assert behind.spoke is None, "nobody ends what somebody else asked for"
        await say(house, "never mind")
        assert (await house.ended(asking)).status == "stopped" and (await house.ended(behind.run)).answer == "free"


async def test_the_mode_of_a_conversation_is_its_own(place: Place) -> None:
    work = Rounds()
    async with running(place.url, place.home, work) as house:
        conversations = house.runtime.conversations
        choice: Any = {"while_busy": "steer"}
        assert await conversations.note(inbox_key("c1"), Address("chat"), "queue", choice)
        assert not await conversations.note(inbox_key("c1"), Address("chat"), "queue", {"while_busy": "queue"})
        standing = [await house.runtime.standing(Address(each)) for each in ("chat", "other")]
        assert [each.while_busy for each in standing] == ["steer", "queue"]
        run = await works(house, work)
        assert (await say(house, "more")).spoke == Spoken(run, "steer")
        await heard(house, run)
        work.goes.set()
        work.ends.set()
        assert await answers(house, run) == ["more"]


@pytest.mark.slow
@pytest.mark.parametrize("failpoint", ["steer_read:1", "after_steer:1"])
async def test_killed_between_reading_and_recording_words_are_consumed_exactly_once(
    place: Place, failpoint: str
) -> None:
    killed = {"NIUMA_TESTING": "1", "NIUMA_FAILPOINT": failpoint}
    steer = {"while_busy": "steer"}
    async with Child(place, "steered", killed, settings=steer) as child:
        run = await child.say("work")
        await until(lambda: acts(place.home))
        await child.do(do="say", text="more")
        assert await child.dies() == -9
    async with Child(place, "steered", settings=steer) as child:
        await until(lambda: lines(place.home / "surface.jsonl", "final", run))
        last = await child.say("last")
        await until(lambda: lines(place.home / "surface.jsonl", "final", last))
    async with running(place.url, place.home) as house:
        assert (await house.ended(RunId(run))).answer == "work+more"
        said = await house.runtime.run_of(inbox_key("chat-more"))
        assert said is not None and await status(house, said) == ("done", "")
        assert (await house.ended(RunId(last))).answer == "last"
        taken = "SELECT taken_by FROM nm_control WHERE kind = 'steer'"
        rows = await house.runtime.database.read(lambda session: execute(session, taken).scalars().all())
        assert rows == ["steer/0"]
    assert [each["text"] for each in acts(place.home, "worked")] == ["work", "last"]
