"""Asking and being answered: what counts as one question, whom it is for, and where the answer goes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.journeys.house import CHEN, DIRECT, TOPICS, house
from tests.journeys.scripted_model import Say, Until


async def test_an_answer_grows_on_one_card(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Half of "), Until(more), Say("the answer.")])
        asked = await h.say("@niuma how much?")
        growing = await h.sees(asked, lambda seen: "Half of" in seen.body)
        assert growing.looks_active and growing.buttons == ["stop"]
        more.set()
        answer = await h.finished(asked)
        assert (answer.body.strip(), answer.status, answer.title) == ("Half of the answer.", "Done", "how much?")
        assert len(h.messages()) == 1
