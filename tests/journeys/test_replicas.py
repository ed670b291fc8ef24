"""Several gateways on one Postgres and one platform: they share the load, and any of them may go at any moment."""

from __future__ import annotations

import asyncio
import bisect
import itertools
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from gateway.texts.en import TEXTS
from tests.journeys.house import TOPICS, house
from tests.journeys.scripted_model import Say, ScriptedModel, scripted_model
from tests.processes.feishu import FeishuWorld, buttons_of, feishu_world
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.replicas import TTL_S, Replica, replicas

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PLACES = ["oc_team", "oc_dm_lin", "oc_topics", "oc_topics", "oc_topics", "oc_topics"]
"""In the group, in the direct chat, and in topics: each a conversation."""
PEOPLE = {"oc_team": "ou_lin", "oc_dm_lin": "ou_lin", "oc_topics": "ou_chen"}
LONG = [f"word{number}" for number in range(160)]


@pytest.fixture
def database() -> Iterator[PostgresPlace]:
    with empty_database() as database:
        yield database


class Town:
    """The platform, the model, and the replicas between them."""

    def __init__(self, world: FeishuWorld, model: ScriptedModel, team: list[Replica], database: PostgresPlace) -> None:
        self.world = world
        self.model = model
        self.team = team
        self.database = database

    async def ask(self, mark: str, words: str, *, chat: str = "oc_team", every_s: float = 0.03) -> str:
        self.model.script([Say(words, piece=10, every_s=every_s)], when=mark, for_ever=True)
        return await self.world.say(f"@niuma about {mark}", chat=chat, by=PEOPLE[chat])

    async def in_work(self, asked: str, *, beyond: str = "word5") -> tuple[str, Replica]:
        """Wait until an answer grows; gives its run and who works on it."""

        async def shown() -> list[dict[str, Any]]:
            return [each for each in await self.world.answer_to(asked) if beyond in each["text"]]

        card = (await self.world.until(shown, why=f"{beyond} on the card"))[0]
        run = run_of(card)
        return run, next(each for each in self.team if each.works_on(run))

    async def answered_once(self, asked: str, words: str) -> dict[str, Any]:
        """Wait for the end; the answer must be whole, and the only one."""
        try:
            answer = await self.world.finished(asked, within_s=60)
        except AssertionError as error:
            raise AssertionError(
                "\n".join([str(error), *(each.process.log()[-4000:] for each in self.team)])
            ) from error
        assert answer["text"].count(words) == 1, "complete, and once"
        assert len(await self.world.answer_to(asked)) == 1, "on its first card"
        return answer

    async def writes(self) -> list[tuple[float, int]]:
        """Give all writes to cards so far: when (monotonic seconds), and their sequence."""
        entries = [each for each in await self.world.timeline() if "/cardkit/v1/cards/" in each["path"]]
        return [(each["mono_s"], each["body"]["sequence"]) for each in entries if "sequence" in (each["body"] or {})]


@asynccontextmanager
async def town(count: int, home: Path, database: PostgresPlace, **environment: str) -> AsyncIterator[Town]:
    """Start everything; all replicas are connected inside the block."""
    async with (
        feishu_world() as world,
        scripted_model() as model,
        replicas(count, home, database, world.url, **model_at(model.url), **environment) as team,
    ):
        try:
            await world.connected(count)
            for each in team:
                await world.until(each.is_ready, why="it is ready")
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *(each.process.log()[-4000:] for each in team)])) from error
        yield Town(world, model, team, database)


def model_at(url: str) -> dict[str, str]:
    main = {"MODEL": "openai/main", "API_BASE": url, "API_KEY": "sk-key-of-the-scripted-model"}
    return {"NIUMA_MODELS__DEFAULT": "main"} | {f"NIUMA_MODELS__MAIN__{key}": value for key, value in main.items()}


def seconds_between(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()


def run_of(card: dict[str, Any]) -> str:
    def find(node: Any) -> str:
        if isinstance(node, list):
            return next((found for each in node if (found := find(each))), "")
        if isinstance(node, dict):
            return str(node.get("run") or next((found for each in node.values() if (found := find(each))), ""))
        return ""

    return find(card["card"])


def attempt_of(sequence: int) -> int:
    return sequence // 100_000


async def test_three_boot_at_once_on_an_empty_database_and_share_the_load(
    tmp_path: Path, database: PostgresPlace
) -> None:
    async with town(3, tmp_path, database) as t:
        asked: dict[str, str] = {}
        for round_ in range(3):
            for number, chat in enumerate(PLACES):
                mark = f"q{round_}{number}"
                words = " ".join(f"{mark}.{count}" for count in range(12))
                asked[await t.ask(mark, words, chat=chat)] = words
        for question, words in asked.items():
            await t.answered_once(question, words)
        assert len(await t.world.answers()) == len(asked)
        began = database.rows("SELECT conv, seq, first_at, ended_at FROM nm_run ORDER BY conv, seq")
        for before, after in itertools.pairwise(began):
            assert before[0] != after[0] or before[3] <= after[2], "one at a time, in the order of arrival"
        assert sum(bool(each.told("run_claimed")) for each in t.team) >= 2, "the load is shared"


async def test_the_owner_is_killed_and_another_goes_on_on_the_same_card(
    tmp_path: Path, database: PostgresPlace
) -> None:
    async with town(2, tmp_path, database) as t:
        words = " ".join(LONG)
        asked = await t.ask("long", words)
        run, owner = await t.in_work(asked)
        owner.process.kill()
        killed_s = time.monotonic()
        await t.answered_once(asked, words)
        [other] = [each for each in t.team if each is not owner]
        assert other.works_on(run)
        first_s = min(at_s for at_s, sequence in await t.writes() if attempt_of(sequence) == 2)
        assert first_s - killed_s <= TTL_S + 1.0
        assert [attempt_of(each) for _, each in await t.writes()] == sorted(attempt_of(e) for _, e in await t.writes())


async def test_sigterm_hands_over_at_once(tmp_path: Path, database: PostgresPlace) -> None:
    async with town(2, tmp_path, database, NIUMA_RUNS__DRAIN_S="0.2") as t:
        words = " ".join(LONG)
        asked = await t.ask("long", words)
        run, owner = await t.in_work(asked)
        owner.process.terminate()
        assert await owner.process.ended() == 0, owner.process.log()
        await t.answered_once(asked, words)
        [given_at] = [each["at"] for each in owner.told("drain_ends")]
        [taken_at] = [each["at"] for each in t.team[1 - t.team.index(owner)].told("run_claimed", run=run)]
        assert abs(seconds_between(given_at, taken_at)) < 0.7, "called out, not found at the next look"
        [other] = [each for each in t.team if each is not owner]
        assert other.works_on(run)
        gave_at_ms = database.rows("SELECT stuck FROM nm_run WHERE id = %s", run)
        assert gave_at_ms == [(0,)], "a hand-over is no suspicion"


async def test_a_zombie_that_wakes_writes_nothing_and_starts_again_as_another_replica(
    tmp_path: Path, database: PostgresPlace
) -> None:
    async with town(2, tmp_path, database) as t:
        words = " ".join(LONG)
        asked = await t.ask("long", words)
        run, owner = await t.in_work(asked)
        owner.process.freeze()
        [other] = [each for each in t.team if each is not owner]

        async def taken() -> bool:
            return other.works_on(run)

        await t.world.until(taken, why="the run is taken over")
        await asyncio.sleep(0.3)
        before = {row[0] for row in database.rows("SELECT id FROM nm_replica")}
        owner.process.wake()
        await t.world.until(lambda: is_lost(owner), why="it finds out")
        await t.world.connected(1, within_s=5)
        await t.answered_once(asked, words)
        sequences = [sequence for _, sequence in await t.writes()]
        assert [attempt_of(each) for each in sequences] == sorted(attempt_of(each) for each in sequences)
        refused = [each for each in await t.world.timeline() if each.get("code") == 300317]
        assert not refused, "no write of the old owner came after one of the new"
        await t.world.connected(2)
        await t.world.until(owner.is_ready, why="it is ready again, as another replica")
        after = {row[0] for row in database.rows("SELECT id FROM nm_replica")}
        assert len(before) == 1 and before < after and len(after) == 2
        for number in range(6):
            words = f"still here {number}"
            answer = await t.answered_once(await t.ask(f"again{number}", words, chat="oc_topics"), words)
            assert words in answer["text"]
        assert len(owner.told("run_claimed")) > 1, "it shares the load again"


async def test_together_they_stay_inside_the_accounts_limits(tmp_path: Path, database: PostgresPlace) -> None:
    """Each alone would write a thousand requests a minute, which is what the platform takes of both."""
    async with town(2, tmp_path, database, NIUMA_CHANNELS__FEISHU__MAIN__APP_LIMIT="counted") as t:
        await t.world.options(streaming_exempt=False)
        asked: dict[str, str] = {}
        for number in range(24):
            words = " ".join(f"m{number:02}.{count}" for count in range(150))
            asked[await t.ask(f"m{number:02}", words, chat="oc_topics", every_s=0.45)] = words
        for question, words in asked.items():
            await t.answered_once(question, words)
        claimed = [len(each.told("run_claimed")) for each in t.team]
        assert min(claimed) >= 2, f"both write much: {claimed}"
        timeline = await t.world.timeline()
        assert not [each for each in timeline if each["kind"] == "rest" and each["status"] == 429]
        assert most_in_a_minute(timeline) > 700, "so much that two who do not share would be refused"
        shares = database.rows("SELECT held FROM nm_share")
        assert len(shares) == 2 and sum(held for (held,) in shares) <= 1.0 + 1e-6


def most_in_a_minute(timeline: list[dict[str, Any]]) -> int:
    """Give the most texts that were written in any minute."""
    at = [each["mono_s"] for each in timeline if each["kind"] == "rest" and each["path"].endswith("/content")]
    return max(bisect.bisect_left(at, start_s + 60) - number for number, start_s in enumerate(at))


async def is_lost(replica: Replica) -> bool:
    return (await replica.red()).get("runs") == "lost"


async def test_buttons_reach_the_run_wherever_it_lives(tmp_path: Path, database: PostgresPlace) -> None:
    """The platform gives each press to a replica of its choice; twelve of them do not all meet the owner."""
    async with house(tmp_path / "platform", start=False) as h:
        async with replicas(2, tmp_path, database, h.sim.url, **model_at(h.model.url)):
            await h.until(lambda: h.sim.sockets.count(h.sim.app_id) == 2, within_s=30)
            for number in range(6):
                h.model.script([Say(" ".join(LONG), piece=10, every_s=0.03)], when=f"long{number}")
                asked = await h.say(f"@niuma long{number}", chat=TOPICS)
                growing = await h.sees(asked, lambda seen: "word5" in seen.text)
                [stop] = [each for each in buttons_of(growing.last["card"]) if each.get("do") == "stop"]
                assert await h.press(growing, "stop") == TEXTS["toast.stopping"]
                stopped = await h.finished(asked, within_s=5)
                assert "word159" not in stopped.text
                assert await h.press_late(growing, stop) == TEXTS["toast.already_ended"]
        routes = database.rows("SELECT route FROM nm_inbox WHERE kind = 'action'")
        assert sorted(row[0] for row in routes) == ["control"] * 6 + ["ignored"] * 6
