"""`kill -9` at random moments while all platforms are answered: nothing lost, nothing doubled, in order, same card."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import time
from collections import defaultdict
from pathlib import Path

import pytest

from gateway.texts.en import TEXTS
from tests.journeys.resumes import resumes, told
from tests.journeys.towns.region import Corner, Region, region
from tests.journeys.towns.street import DIRECT, GROUP
from tests.processes.figures import note
from tests.processes.fleet import PROFILES, Fleet, fleet

USUAL = {"sqlite": 12, "postgres": 4}
"""Three replicas take longer to come up, and fail over oftener in other tests."""
ROUNDS = {profile: int(os.environ.get("NIUMA_TEST_KILLS", usual)) for profile, usual in USUAL.items()}
SEED = int(os.environ.get("NIUMA_TEST_SEED", "20261130"))
READY = TEXTS["call.done"].split(",")[0]
"""A call for the person whose answer took long is a message beside its card."""
TOPICS = "oc_topics"
WORDS = 40
"""The answer takes the model a second, so that kills hit every part of a run."""


def places(region: Region) -> list[Corner]:
    """Give nine places of at least seven conversations: topics and Slack's messages each begin one of their own."""
    return [
        *(Corner("feishu", region.feishu, where) for where in (GROUP, DIRECT, TOPICS, TOPICS)),
        *(Corner("slack", region.slack, where) for where in (GROUP, DIRECT)),
        *(Corner("card", region.cards, where) for where in (GROUP, DIRECT)),
        Corner("plain", region.plain, DIRECT, has_card=False),
    ]


class Asked:
    """All questions so far, by place: their marks and answers, in the order they were asked."""

    def __init__(self) -> None:
        self.by_place = defaultdict[tuple[str, str], dict[str, str]](dict)
        self._corners: dict[tuple[str, str], Corner] = {}

    def everywhere(self, region: Region) -> None:
        """Ask once in every place."""
        for corner in places(region):
            mark = region.mark()
            self._corners[corner.name, corner.where] = corner
            self.by_place[corner.name, corner.where][mark] = region.tell(mark, WORDS)
            corner.say(f"about {mark}")

    def said(self, place: tuple[str, str]) -> list[str]:
        """Give the bot's messages in a place."""
        street = self._corners[place].town.street
        return street.said(street.chat(place[1]))

    def open(self) -> list[str]:
        """Give the marks whose whole answer is not seen yet."""
        seen = {place: "\n".join(self.said(place)) for place in self.by_place}
        return [mark for place, each in self.by_place.items() for mark in each if f"{mark}end" not in seen[place]]

    def count(self) -> int:
        """Give how many there are."""
        return sum(map(len, self.by_place.values()))


@pytest.mark.slow
@pytest.mark.timeout(180 + 40 * max(ROUNDS.values()))
@pytest.mark.parametrize("profile", PROFILES)
async def test_random_kills(tmp_path: Path, profile: str) -> None:
    dice, asked, kills = random.Random(SEED), Asked(), defaultdict[Path, list[float]](list)
    async with (
        region() as r,
        fleet(profile, tmp_path, r.environment(), r.connections) as team,
    ):
        await team.fill()
        for _ in range(ROUNDS[profile]):
            asked.everywhere(r)
            await asyncio.sleep(dice.uniform(0.0, 2.5))
            await kill(team, dice, kills)
            await team.fill()
            # Platforms give a message up that several gateways in a row did not acknowledge; that loss is theirs.
            await r.acknowledged()
        await r.settle()
        await team.until(lambda: not asked.open(), lambda: f"answers to {asked.open()}", within_s=120)
        await team.until(lambda: not team.rows("SELECT 1 FROM nm_run WHERE ended_at IS NULL"), "no run in work")
        found = resumes(team, kills, r.writes(mark for each in asked.by_place.values() for mark in each))
        wrong = {**check_answers(asked), **check_history(team, asked.count()), "old writes": r.conflicts()}
        counts = ", ".join(f"{name} {len(each)}" for name, each in wrong.items())
        note(f"{profile}: {ROUNDS[profile]} kills, {asked.count()} messages: {counts}; {told(found)}")
        assert not any(wrong.values()), wrong


async def kill(team: Fleet, dice: random.Random, kills: dict[Path, list[float]]) -> None:
    """Kill one by chance; alone on a folder, an answer is late from the next start on."""
    victim = dice.choice(team.team)
    victim.process.kill()
    await victim.process.ended()
    kills[victim.home].append(time.time())
    await team.end(victim)


def check_answers(asked: Asked) -> dict[str, list[str]]:
    """Give what is wrong with what people see."""
    wrong: dict[str, list[str]] = {"lost": [], "doubled": [], "other cards": []}
    for place, answers in asked.by_place.items():
        said = asked.said(place)
        for mark, words in answers.items():
            whole, with_mark = sum(text.count(words) for text in said), sum(f"{mark}0" in text for text in said)
            wrong["lost"] += [f"{place} {mark}"] if whole == 0 else []
            wrong["doubled"] += [f"{place} {mark}"] if whole > 1 else []
            wrong["other cards"] += [f"{place} {mark} in {with_mark} messages"] if with_mark > 1 else []
        strange = [text[:200] for text in said if not any(word in text for word in (*answers, READY))]
        wrong["other cards"] += [f"{place} {text}" for text in strange]
    return wrong


def check_history(team: Fleet, asked: int) -> dict[str, list[str]]:
    """Give what is wrong in the database. F60: every answer that was visible is in the history."""
    runs = team.rows("SELECT conv, seq, first_at, ended_at FROM nm_run ORDER BY conv, seq")
    pairs = [(before, after) for before, after in itertools.pairwise(runs) if before[0] == after[0]]
    roles = [str(json.loads(body)["role"]) for (body,) in team.rows("SELECT body FROM nm_message")]
    wrong = {
        "out of order": [str(after) for before, after in pairs if before[2] > after[2]],
        "overlaps": [str(after) for before, after in pairs if before[3] > after[2]],
        "history": [] if (roles.count("user"), roles.count("assistant")) == (asked, asked) else roles,
        "runs": [] if len(runs) == asked else [f"{len(runs)} runs of {asked} questions"],
    }
    if team.database is None:
        wrong["damage"] = [str(each) for each in team.rows("PRAGMA integrity_check") if each != ("ok",)]
    return wrong
