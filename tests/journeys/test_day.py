"""A day in the life: twenty-four hours of traffic with bad weather, on one clock that the test moves."""

from __future__ import annotations

import asyncio
import random
import re
from pathlib import Path

import pytest

from tests.journeys.house import CHEN, DIRECT, GROUP, LIN, TOPICS, House, house
from tests.journeys.scripted_model import Say, Until

HOUR_S = 3600.0
CALM = {
    "channels.feishu.main.ping_every_s": "25",
    "channels.feishu.main.silence_s": "60",
    "runs.late_after_s": "0",
    "cards.call_after_s": "0",
}
"""So that a step of the clock is no silence; whoever waits for hours for the right secret is answered unasked."""
STORY = "the long story"
LONG_PARTS = 34
TOLD = " ".join(f"part {n}" for n in range(LONG_PARTS))
PLACES = [(DIRECT, LIN), (GROUP, LIN), (GROUP, CHEN), (TOPICS, CHEN)]


class Day:
    """The hours, one after the other; keeps what was asked."""

    def __init__(self, h: House) -> None:
        self.h = h
        self.dice = random.Random(24)
        self.asked: dict[str, str] = {}
        self.slow = 0
        """How many answers take their time now."""

    async def ask(self, text: str, chat: str = GROUP, by: str = LIN) -> str:
        message = await self.h.say(f"@niuma {text}" if chat != DIRECT else text, chat=chat, by=by)
        self.asked[message] = text
        return message

    async def pass_time(self, seconds: float) -> None:
        """Move the clock in steps short enough for every timer on the way, and let each do its work.

        What takes real milliseconds must not look like seconds to it: quick answers end before the clock moves.
        """
        while seconds > 0:
            await self.h.until(lambda: len(self.h.runtime._runs.replica.active) <= self.slow, why="quick answers end")
            step_s = min(seconds, 15.0)
            self.h.sim.advance(step_s)
            await asyncio.sleep(0.01)
            seconds -= step_s

    async def hour(self, number: int) -> None:
        """An ordinary hour: some questions, one of them delivered twice, one whose ack gets lost."""
        for n in range(2):
            chat, by = self.dice.choice(PLACES)
            await self.ask(f"hour {number} question {n}", chat, by)
            await self.pass_time(self.dice.uniform(1, 300))
        if number % 6 == 1:
            self.h.sim.faults.add({"match": {"event": "receive"}, "action": {"lost_ack": True}, "times": 1})
        if number % 6 == 2:
            self.h.sim.faults.add({"match": {"event": "receive"}, "action": {"duplicate": True}, "times": 1})
        await self.pass_time(HOUR_S / 4)


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_a_day_in_the_life(home: Path) -> None:
    async with house(home, CALM, start=False) as h:
        h.shares_clock = True
        await h.start()
        day = Day(h)
        parts = [asyncio.Event() for _ in range(LONG_PARTS)]
        h.model.script([act for n, part in enumerate(parts) for act in (Say(f"part {n} "), Until(part))], when=STORY)
        for number in range(24):
            if number in (5, 14):
                await h.sim.drop(how="abort" if number == 5 else "freeze")
            if number == 15:
                # A platform notices in the end that nobody is there; until then it may give events to the dead end.
                h.sim.sockets.cut_frozen(h.sim.app_id)
            if number == 9:
                await rotate_secret(day)
            if number == 12:
                await tell_a_long_story(day, parts)
            await day.hour(number)
        await day.pass_time(6.2 * HOUR_S)
        await check(day)


async def tell_a_long_story(day: Day, parts: list[asyncio.Event]) -> None:
    """An answer that grows for eleven minutes: longer than the platform lets a card stream."""
    asked = await day.ask(STORY)
    day.slow = 1
    for n, part in enumerate(parts):
        await day.h.sees(asked, lambda seen, word=f"part {n}": word in seen.body, within_s=15)
        await day.pass_time(20)
        part.set()
    day.slow = 0


async def rotate_secret(day: Day) -> None:
    """The secret is changed, somebody asks meanwhile, and half an hour later the old one is back in force."""
    app = day.h.sim.world.apps["cli_demo"]
    app.app_secret, old = "rotated", app.app_secret
    day.h.sim.revoke_token()
    await day.h.sim.drop()
    await day.ask("asked while the secret was wrong")
    await day.pass_time(1800)
    app.app_secret = old
    await day.pass_time(120)


async def check(day: Day) -> None:
    for message, text in day.asked.items():
        answer = await day.h.finished(message, within_s=20)
        wanted = TOLD if text == STORY else f"You said: {text}"
        assert re.sub(r"\[[^\]]*\] ", "", " ".join(answer.body.split())) == wanted, text
        assert len(answer.messages) == 1, text
    assert len(day.h.messages()) == len(day.asked)
    assert day.h.unacked() == 0
