"""What may go wrong between a bot and any platform: each answer is whole, there once, and has the right buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest

from tests.journeys.scripted_model import Say, Until
from tests.journeys.test_one_conversation import Chat, chat
from tests.journeys.towns.town import FaultyTown, Look

Fault = Callable[[FaultyTown, str], Awaitable[None]]
"""Does something to the platform while the question with this name is answered."""
FIRST = [f"first {number}." for number in range(12)]
SECOND = [f"second {number}." for number in range(12)]
_CUTTING = ("connections_cut", "all_at_once")
"""A question on a connection that breaks before it was taken in is the platform's to lose, as on DingTalk."""
_SETTLED_S = 0.6
"""So long nothing may change any more after an answer has ended."""
_WITHIN_S = 25.0


async def refused(town: FaultyTown, _question: str) -> None:
    town.refuse_writes(3)


async def lost(town: FaultyTown, _question: str) -> None:
    town.lose_next_answer()


async def broken(town: FaultyTown, _question: str) -> None:
    town.break_next_write()


async def again(town: FaultyTown, question: str) -> None:
    town.deliver_again(question)


async def ended(town: FaultyTown, _question: str) -> None:
    town.end_streams()


async def cut(town: FaultyTown, _question: str) -> None:
    await town.cut_connections()


async def all_at_once(town: FaultyTown, question: str) -> None:
    town.lose_next_answer()
    town.refuse_writes(2)
    town.deliver_again(question)
    town.end_streams()
    await town.cut_connections()


FAULTS: dict[str, Fault] = {
    "writes_refused": refused,
    "answer_lost": lost,
    "write_broken": broken,
    "delivered_twice": again,
    "streams_ended": ended,
    "connections_cut": cut,
    "all_at_once": all_at_once,
}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["feishu", "slack", "dingtalk"])
async def test_an_answer_is_whole_and_there_once(name: str, fault: str, home: Path) -> None:
    async with chat(name, home) as c:
        first = "taken" if fault in _CUTTING else "asked"
        for moment in (first, "growing", "ending"):
            look = await _asks(c, moment, FAULTS[fault])
            assert [look.text.count(each) for each in (*FIRST, *SECOND)] == [1] * 24, (moment, look.text)
            assert sorted(look.buttons) == sorted(set(look.buttons)), (moment, look.buttons)
            assert {"retry", "satisfied"} & set(look.buttons) and "stop" not in look.buttons, (moment, look.buttons)
            assert len(c.model.about(f"question {moment}")) == 1, "one question is one run"


async def _asks(c: Chat, moment: str, fault: Fault) -> Look:
    """Ask, let the fault happen at this moment, and give what the person sees when nothing moves any more."""
    growing, ending = asyncio.Event(), asyncio.Event()
    script = [Until(growing), Say(" ".join(FIRST) + " ", piece=20, every_s=0.05)]
    c.model.script([*script, Until(ending), Say(" ".join(SECOND), piece=60, every_s=0.05)], when=f"question {moment}")
    town = cast("FaultyTown", c.town)
    sim = town.street.sim
    await c.until(lambda: sim.sockets.count(sim.app_id), "it is connected again; DingTalk loses what finds nobody")
    asked = await town.ask(f"question {moment}")
    if moment == "asked":
        await fault(town, asked)
    if moment == "taken":
        async with asyncio.timeout(_WITHIN_S):
            while not c.model.about(f"question {moment}"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await fault(town, asked)
    growing.set()
    if moment == "growing":
        await c.sees(asked, lambda look: FIRST[0] in look.text)
        await fault(town, asked)
    if moment == "ending":
        await c.sees(asked, lambda look: FIRST[-1] in look.text, within_s=40)
        await fault(town, asked)
    ending.set()
    await c.sees(asked, lambda look: look.is_over and SECOND[-1] in look.text, within_s=_WITHIN_S)
    return await _at_rest(c, asked)


async def _at_rest(c: Chat, asked: str) -> Look:
    look, since_s = c.town.look(asked), 0.0
    while since_s < _SETTLED_S:
        await asyncio.sleep(0.1)
        before, look = look, c.town.look(asked)
        since_s = since_s + 0.1 if look == before else 0.0
    assert look is not None
    return look
