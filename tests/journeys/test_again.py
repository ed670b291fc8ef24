"""An answer once more because its person asked: the same words in a further message, on every platform."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.commands_zh import TEXTS as ZH
from tests.journeys.scripted_model import Say
from tests.journeys.test_one_conversation import PLATFORMS, chat

WHOLE, DIRECT = "All of it.", "direct"


@pytest.mark.parametrize("name", PLATFORMS)
async def test_an_answer_comes_once_more_for_each_asking(name: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        c.model.script([Say(WHOLE)], when="tell")
        street.say("/again", where=DIRECT)
        await c.heard(ZH["reply.nothing_answered"], where=DIRECT)
        street.say("tell me", where=DIRECT)
        await c.heard(WHOLE, where=DIRECT)
        await asyncio.sleep(0.7)
        command = street.say("/again", where=DIRECT)
        await c.until(lambda: street.heard(DIRECT).count(WHOLE) == 2, "the answer once more")
        await c.heard(SAYS["reply.again"], where=DIRECT)
        street.redeliver(command)
        await asyncio.sleep(0.5)
        assert street.heard(DIRECT).count(WHOLE) == 2, "a redelivery is no asking"
        assert len(c.model.asked) == 1
