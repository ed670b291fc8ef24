"""Where no streaming card can be had, the answer comes by a plainer way; an outage of one chat is nobody else's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.journeys.house import LIN, House, house
from tests.journeys.scripted_model import Say

ENTITY, REPLY = "/cardkit/v1/cards$", "/reply$"
WORDS = "".join(f"word{n} " for n in range(120))


def rule(path: str, code: int, times: int = -1, **action: Any) -> dict[str, Any]:
    return {
        "match": {"path": path, "method": "POST"},
        "action": {"status": 400, "code": code, **action},
        "times": times,
    }


def visible(h: House) -> str:
    return " ".join(" ".join(str(each["text"]) for each in h.messages()).split())


async def test_without_the_right_to_make_cards_the_answer_still_comes(home: Path) -> None:
    async with house(home) as h:
        h.sim.faults.add(rule(ENTITY, 99991672, msg="scope cardkit:card:write is required"))
        h.model.script([Say(WORDS, piece=30, every_s=0.01)])
        answer = await h.finished(await h.say("@niuma go"))
        assert answer.status == "Done" and WORDS.strip() in " ".join(answer.body.split())
        assert await h.press(answer, "satisfied") != ""
        assert len(h.messages()) == 1


NO_CARDS = "ErrCode: 11310; ErrMsg: no cards here"


@pytest.mark.parametrize("refusal", [rule(ENTITY, 200220, msg=NO_CARDS), rule(REPLY, 230099, 2, msg=NO_CARDS)])
async def test_where_cards_are_refused_altogether_the_answer_is_text(home: Path, refusal: dict[str, Any]) -> None:
    async with house(home) as h:
        h.sim.faults.add(refusal)
        h.model.script([Say(WORDS)])
        await h.say("@niuma go")
        await h.until(lambda: WORDS.strip() in visible(h), why="the answer")
        assert [each["msg_type"] for each in h.messages()] == ["text"]
        assert NO_CARDS not in visible(h)
        assert await h.is_ready()
        h.sim.faults.clear()
        assert (await h.finished(await h.say("@niuma next"))).status == "Done"
        assert len(h.messages()) == 2


async def test_a_chat_the_bot_was_put_out_of_disturbs_no_other(home: Path) -> None:
    async with house(home) as h:
        lost = h.sim.add_chat("lost", [LIN])
        h.sim.faults.add(rule(REPLY, 230002, 3), rule("/im/v1/messages$", 230002, 3))
        await h.say("@niuma anybody?", chat=lost)
        await h.until(lambda: [each for each in h.calls("/im/v1/messages") if each.code == 230002], why="a refusal")
        await h.all_acked()
        h.sim.faults.clear()
        assert (await h.finished(await h.say("@niuma here"))).status == "Done"
        assert await h.is_ready()
        assert len([each for each in h.calls("/im/v1/messages") if each.code == 230002]) <= 6


@pytest.mark.parametrize("seconds", [3])
async def test_a_platform_that_is_away_for_a_while_gets_the_answer_afterwards(home: Path, seconds: int) -> None:
    async with house(home, {"runs.final_try_s": "0.5"}) as h:
        away = {"match": {"path": "/open-apis/(im|cardkit)"}, "action": {"status": 503, "code": 1}, "times": -1}
        h.sim.faults.add(away)
        asked = await h.say("@niuma are you there?")
        await h.until(lambda: len(h.calls("/cardkit/")) >= seconds, why="tries")
        assert h.messages() == []
        h.sim.faults.clear()
        answer = await h.finished(asked, within_s=15)
        assert answer.body.strip() == "You said: are you there?" and answer.status == "Done"
        assert len(h.messages()) == len(h.model.asked) == 1
