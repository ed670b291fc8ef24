"""The agent asks its person and shows how far it is, on every platform; the answer comes by a button or by words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.texts.en import TEXTS
from tests.journeys.house import CHEN, house
from tests.journeys.scripted_model import Call, Say
from tests.journeys.test_one_conversation import TOWNS, chat

STEPS = [{"title": "Ask", "status": "in_progress"}, {"title": "Book"}]
BAR = Call("progress", json.dumps({"steps": STEPS}))
CITY = Call("ask_user", json.dumps({"question": "Which city shall it be?", "options": ["Paris", "Rome"]}))
DONE = Call("progress", json.dumps({"step": "Ask", "status": "success"}))


@pytest.mark.parametrize("name", TOWNS)
async def test_a_question_is_answered_by_a_button_and_by_words(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        c.model.script([Say("One thing first."), BAR], [CITY], [DONE], [Say("It is booked.")], when="trip")
        if name != "terminal":
            asked = await c.town.ask("book the trip")
            look = await c.sees(asked, lambda look: "option_2" in look.buttons)
            assert "Which city shall it be?" in look.text and "2. Rome" in look.text
            await c.town.press(asked, "option_2")
            done = await c.finished(asked)
            assert "It is booked." in done.text and "Rome" in done.text and "option_2" not in done.buttons
            assert "▰▰▰▰▰▱▱▱▱▱ 50 %" in done.text
        c.model.script([Say("One thing first."), CITY], [Say("Then we sail.")], when="cruise")
        second = await c.town.ask("plan the cruise")
        await c.sees(second, lambda look: "Which city shall it be?" in look.text)
        await c.town.ask("neither, Oslo")
        await c.sees(second, lambda look: "Then we sail." in look.text and "Oslo" in look.text)


async def test_the_field_of_the_card_is_an_answer_of_one_person(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("One thing first."), CITY], [Say("Then we sail.")], when="cruise")
        asked = await h.say("@niuma plan the cruise")
        card = await h.sees(asked, lambda seen: "submit" in seen.buttons)
        typed = {"form_value": {"answer": "Oslo"}}
        assert await h.press(card, "submit", by=CHEN, **typed) == TEXTS["toast.not_yours"]
        assert await h.press(card, "submit", form_value={"answer": " "}) == TEXTS["toast.answer_empty"]
        assert await h.press(card, "submit", **typed) == TEXTS["toast.answered"]
        late = await h.press_late(card, card.button("option_1"))
        assert late == TEXTS["toast.already_answered"]
        answer = await h.finished(asked)
        assert "Then we sail." in answer.body and "Oslo" in answer.body and len(h.messages()) == 1
