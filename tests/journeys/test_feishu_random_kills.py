"""`kill -9` at random moments while five conversations are answered: nothing lost, nothing doubled, same card."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.processes.feishu import FeishuWorld, feishu_world
from tests.processes.gateway import gateway

ROUNDS = int(os.environ.get("NIUMA_TEST_KILLS", "12"))
SEED = int(os.environ.get("NIUMA_TEST_SEED", "20261130"))
PEOPLE = {"oc_team": "ou_lin", "oc_dm_lin": "ou_lin", "oc_topics": "ou_chen"}
QUICK = {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": "2"}


async def ask_five(world: FeishuWorld, round_: int) -> list[str]:
    """Ask in the group, in the direct chat, and in three topics: five conversations."""
    places = ["oc_team", "oc_dm_lin", "oc_topics", "oc_topics", "oc_topics"]
    return [
        await world.say(f"@niuma question {round_}.{n}: hello", chat=chat, by=PEOPLE[chat])
        for n, chat in enumerate(places)
    ]


@pytest.mark.slow
@pytest.mark.timeout(60 + 20 * ROUNDS)
async def test_random_kills(tmp_path: Path) -> None:
    dice = random.Random(SEED)
    asked: list[str] = []
    async with feishu_world() as world:
        for round_ in range(ROUNDS):
            async with gateway(tmp_path, world.url, **QUICK) as process:
                await world.connected()
                asked += await ask_five(world, round_)
                await asyncio.sleep(dice.uniform(0.0, 2.5))
                process.kill()
                await process.ended()
        async with gateway(tmp_path, world.url, **QUICK) as process:
            await world.connected()
            await world.advance(16)
            await world.advance(300)
            try:
                answers = [await world.finished(question, within_s=90) for question in asked]
            except AssertionError as error:
                raise AssertionError(f"{error}\n{process.log()[-8000:]}") from error
        await check_all(world, asked, answers)


async def check_all(world: FeishuWorld, asked: list[str], answers: list[dict[str, Any]]) -> None:
    for question in asked:
        found = await world.answer_to(question)
        assert len(found) == 1, f"{question}: {len(found)} answers"
    assert len(await world.answers()) == len(asked)
    texts = {text_without_title(each) for each in answers}
    assert all(texts), "no answer is empty"
    refused = [each for each in await world.timeline() if each.get("code") == 300317]
    assert not refused, "no write of an old owner came after one of the new"


def text_without_title(message: dict[str, Any]) -> str:
    return "\n".join(str(message["text"]).splitlines()[1:])
