"""Platforms deliver the same message again and again, to any connection, at any time: it is answered once.

`NIUMA_TEST_DELIVERIES` sets how many deliveries there are; every hundredth is a new message.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.journeys.test_one_conversation import PLATFORMS, chat
from tests.journeys.towns.region import Corner, Region, region
from tests.journeys.towns.street import DIRECT, GROUP
from tests.processes.figures import note
from tests.processes.fleet import PROFILES, Fleet, fleet

DELIVERIES = int(os.environ.get("NIUMA_TEST_DELIVERIES", "400"))
MESSAGES = max(12, DELIVERIES // 100)
SEED = int(os.environ.get("NIUMA_TEST_SEED", "20261201"))
BATCH = 40
"""So many are on their way at once."""
PUSHES = ("event", "events_api", "push")


class Flood:
    """Questions, and their deliveries."""

    def __init__(self, region: Region, team: Fleet) -> None:
        self.region = region
        self.team = team
        self.asked: list[tuple[Corner, str, str]] = []
        """Where, the message's id, its mark."""
        self._dice = random.Random(SEED)
        self._places = [
            *(Corner("feishu", region.feishu, where) for where in (GROUP, DIRECT, "oc_topics")),
            *(Corner("slack", region.slack, where) for where in (GROUP, DIRECT)),
            Corner("card", region.cards, GROUP),
            Corner("plain", region.plain, DIRECT, has_card=False),
        ]

    def ask(self) -> None:
        """Write one more message somewhere."""
        corner, mark = self._places[len(self.asked) % len(self._places)], self.region.mark()
        self.region.tell(mark, 6)
        self.asked.append((corner, corner.say(f"about {mark}"), mark))

    def again(self) -> None:
        """Have a platform deliver any of the messages once more."""
        corner, message, _ = self._dice.choice(self.asked)
        corner.town.street.redeliver(message)

    async def until_pushed(self, count: int, *, asks: int) -> None:
        """Let there be `count` deliveries in all, with `asks` messages among them."""
        while self.pushed() < count:
            for number in range(BATCH):
                if number % 8 == 0 and len(self.asked) < asks:
                    self.ask()
                self.again()
            await self.team.until(lambda: len(self.region.waiting()) < BATCH, "acknowledgements", within_s=90)

    def pushed(self) -> int:
        """Give how many deliveries reached a gateway's connection."""
        return sum(each.method in PUSHES for town in self.region.towns for each in town.street.entries("out"))

    def said(self) -> list[str]:
        """Give all that the bot said."""
        places = {(each.name, each.where): each.town.street for each in self._places}
        return [text for (_, where), street in places.items() for text in street.said(street.chat(where))]

    def seen(self) -> Counter[str]:
        """Give in how many of the bot's messages each answer stands."""
        said = self.said()
        return Counter({mark: sum(f"{mark}end" in text for text in said) for _, _, mark in self.asked})


@pytest.mark.parametrize("name", PLATFORMS)
async def test_repeats_of_a_platform_use_up_nobodys_room(name: str, home: Path) -> None:
    async with chat(name, home, {"access.per_person_per_minute": "3"}) as c:
        asked = c.town.street.say("ping", where=DIRECT)
        await c.heard("You said: ping", where=DIRECT)
        for count in range(2, 7):
            c.town.street.redeliver(asked)
            await c.until(lambda count=count: c.town.street.pushed(asked) >= count, "a delivery")
        await asyncio.sleep(0.3)
        c.town.street.say("pong", where=DIRECT)
        assert "You said: pong" in await c.heard("You said: pong", where=DIRECT)
        assert len(c.model.asked) == 2


@pytest.mark.slow
@pytest.mark.timeout(200 + DELIVERIES // 10)
@pytest.mark.parametrize("profile", PROFILES)
async def test_delivered_many_times_answered_once(tmp_path: Path, profile: str) -> None:
    async with (
        region() as r,
        fleet(profile, tmp_path, r.environment(), r.connections) as team,
    ):
        flood = Flood(r, team)
        await team.fill()
        for third in (1, 2, 3):
            await flood.until_pushed(third * DELIVERIES // 3, asks=third * MESSAGES // 3)
            await restart(team, hard=third == 1)
            await r.settle()
        await team.until(lambda: all(flood.seen().values()), "every answer", within_s=120)
        await team.until(lambda: not team.rows("SELECT 1 FROM nm_run WHERE ended_at IS NULL"), "no run in work")
        for corner, message, _ in flood.asked:
            corner.town.street.redeliver(message)
        await r.settle()
        await team.until(lambda: not r.waiting(), "also what comes after the end is acknowledged", within_s=90)
        await asyncio.sleep(0.5)
        figures = f"{flood.pushed()} deliveries of {len(flood.asked)} messages, {len(flood.said())} answers"
        note(f"{profile}: {figures}")
        assert set(flood.seen().values()) == {1}, "each once, and whole"
        assert len(flood.said()) == len(flood.asked) == MESSAGES
        assert len(team.rows("SELECT id FROM nm_run")) == MESSAGES
        assert flood.pushed() >= DELIVERIES


async def restart(team: Fleet, *, hard: bool) -> None:
    """Let one go, by force or politely, and another come."""
    leaver = team.team[0]
    end: Callable[[], None] = leaver.process.kill if hard else leaver.process.terminate
    end()
    assert await leaver.process.ended() == (-9 if hard else 0), team.logs()
    await team.end(leaver)
    await team.fill()
