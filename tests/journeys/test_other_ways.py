"""When the card cannot show the answer: it comes another way, once, and what people see does not pretend."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.timeline import Entry
from tests.journeys.house import House, house
from tests.journeys.scripted_model import Say, Until

RECALLED = 230011
WORDS = "".join(f"word{n} " for n in range(120))
LONG = "\n\n".join(" ".join(f"s{n}w{m}" for m in range(40)) for n in range(300))


def refusing(path: str, code: int, *, method: str = "", times: int = -1, skip: int = 0) -> dict[str, Any]:
    match = {"path": path} | ({"method": method} if method else {})
    return {"match": match, "action": {"status": 400, "code": code}, "times": times, "skip": skip}


def refused(h: House) -> list[Entry]:
    return [each for each in h.calls("/open-apis/") if each.code]


async def test_buttons_of_an_answer_that_is_a_new_message_work_and_show_it(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Some of it, "), Until(more), Say("and the rest.")])
        asked = await h.say("@niuma tell me")
        card = await h.sees(asked, lambda seen: "Some of it" in seen.body)
        h.sim.recall(card.last["message_id"])
        more.set()
        answer = await h.finished(asked)
        assert answer.buttons == ["satisfied", "revise", "abandon", "retry"]
        assert await h.press(answer, "satisfied") != ""
        judged = await h.sees(asked, lambda seen: seen.buttons == ["retry"])
        assert judged.last["message_id"] == answer.last["message_id"]
        assert "and the rest." in judged.body
        assert len(h.messages()) == 1
        before = len(h.model.asked)
        assert await h.press(judged, "retry") != ""
        await h.until(lambda: len(h.model.asked) > before, why="the next attempt")


async def test_a_verdict_on_an_answer_that_is_text_asks_nothing_of_the_platform(home: Path) -> None:
    async with house(home) as h:
        h.sim.faults.add(refusing("/cardkit/v1/cards$", 200220))
        h.model.script([Say(WORDS)])
        await h.say("@niuma go")
        await h.until(lambda: h.messages() and WORDS.strip() in str(h.messages()[0]["text"]), why="the answer")
        assert h.messages()[0]["card"] is None
        assert len(h.messages()) == 1
        assert await h.is_ready()


@pytest.mark.parametrize(("path", "times"), [("/cardkit/v1/cards$", 2), ("/reply$", 1)], ids=["made", "sent"])
async def test_when_a_third_card_is_refused_the_reader_sees_one_answer(home: Path, path: str, times: int) -> None:
    async with house(home) as h:
        h.sim.faults.add(refusing(path, 230022, times=times, skip=2))
        h.model.script([Say(LONG, piece=400, every_s=0.01)])
        asked = await h.say("@niuma everything")
        await h.until(lambda: "s299w39" in str([each["text"] for each in h.messages()]), within_s=20, why="the end")
        await h.until(lambda: h.model.asked and not h.runtime._runs.replica.active, why="the end of the run")
        seen = h.seen(asked)
        assert seen is not None
        assert [seen.text.count(f"s{n}w0 ") for n in range(0, 300, 10)] == [1] * 30
        left = [each for each in seen.messages if "new message below" in str(each["text"])]
        assert left
        assert not any("[Stop]" in str(each["text"]) or "Working" in str(each["text"]) for each in seen.messages)


@pytest.mark.parametrize("code", [230001, 230011, 230110])
async def test_a_question_that_is_gone_is_answered_in_the_chat_once(home: Path, code: int) -> None:
    """The event of a recall stops the run; where it was missed, the platform only refuses the reply."""
    async with house(home) as h:
        h.sim.faults.add(refusing("/reply$", code))
        h.model.script([Say("The answer all the same.")])
        await h.say("@niuma question")
        await h.until(lambda: any("all the same" in str(each["text"]) for each in h.messages()), why="the answer")
        await h.until(lambda: not h.runtime._runs.replica.active, why="the end of the run")
        (answer,) = h.messages()
        assert str(answer["text"]).count("all the same") == 1
        assert len(refused(h)) == 1
        assert await h.is_ready()


async def test_a_card_that_takes_no_writes_any_more_is_left_quiet(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Some of it, "), Until(more), Say(WORDS)])
        asked = await h.say("@niuma tell me")
        card = await h.sees(asked, lambda seen: "Some of it" in seen.body)
        number = card.card_ids[0]
        h.sim.faults.add(
            refusing(f"/cards/{number}$", 200220, method="PUT", times=2),
            refusing(f"/cards/{number}/(batch_update|elements)", 200220),
        )
        more.set()
        await h.until(lambda: len(h.messages()) == 2, why="the answer as a message")
        await h.until(lambda: "new message below" in str(h.messages()[0]["text"]), why="the old card rests")
        old, new = h.messages()
        assert "[Stop]" not in str(old["text"]) and not old["card_state"]["streaming"]
        assert WORDS.strip() in " ".join(str(new["text"]).split())


async def test_a_picture_with_a_made_up_key_costs_nothing(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("Look: ![the chart](img_v3_02ab_made_up) - as you see.", piece=7, every_s=0.01)])
        answer = await h.finished(await h.say("@niuma draw"))
        assert "Look: the chart - as you see." in answer.body and "img_v3" not in answer.body
        assert refused(h) == [] and len(h.messages()) == 1
