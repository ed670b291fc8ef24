"""`kill -9` at random moments while five conversations are answered: nothing lost, nothing doubled, same card."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.storage.database import FILE_NAME
from tests.journeys.scripted_model import Say, ScriptedModel, scripted_model
from tests.processes.feishu import FeishuWorld, feishu_world
from tests.processes.gateway import gateway

ROUNDS = int(os.environ.get("NIUMA_TEST_KILLS", "12"))
SEED = int(os.environ.get("NIUMA_TEST_SEED", "20261130"))
PEOPLE = {"oc_team": "ou_lin", "oc_dm_lin": "ou_lin", "oc_topics": "ou_chen"}
PLACES = ["oc_team", "oc_dm_lin", "oc_topics", "oc_topics", "oc_topics"]
"""In the group, in the direct chat, and in three topics: five conversations."""
WORDS = 40


def settings(model: ScriptedModel) -> dict[str, str]:
    main = {"MODEL": "openai/main", "API_BASE": model.url, "API_KEY": "sk-key-of-the-scripted-model"}
    return {
        "NIUMA_TESTING": "1",
        "NIUMA_RUNS__LEASE_TTL_S": "2",
        "NIUMA_MODELS__DEFAULT": "main",
        **{f"NIUMA_MODELS__MAIN__{key}": value for key, value in main.items()},
    }


def answer_to(mark: str) -> str:
    """Give what the model says about a question; it takes a second, so that kills hit every part of a run."""
    return " ".join(f"{mark}.{number}" for number in range(WORDS))


async def ask_five(world: FeishuWorld, model: ScriptedModel, round_: int) -> dict[str, str]:
    """Ask in every conversation; gives the messages' ids and what is to be answered."""
    asked: dict[str, str] = {}
    for number, chat in enumerate(PLACES):
        mark = f"q{round_:02}{number}"
        model.script([Say(answer_to(mark), piece=10, every_s=0.03)], when=mark, for_ever=True)
        asked[await world.say(f"@niuma about {mark}", chat=chat, by=PEOPLE[chat])] = answer_to(mark)
    return asked


@pytest.mark.slow
@pytest.mark.timeout(60 + 20 * ROUNDS)
async def test_random_kills(tmp_path: Path) -> None:
    dice = random.Random(SEED)
    asked: dict[str, str] = {}
    async with feishu_world() as world, scripted_model() as model:
        for round_ in range(ROUNDS):
            async with gateway(tmp_path, world.url, **settings(model)) as process:
                await world.connected()
                asked |= await ask_five(world, model, round_)
                await asyncio.sleep(dice.uniform(0.0, 2.5))
                process.kill()
                await process.ended()
        async with gateway(tmp_path, world.url, **settings(model)) as process:
            await world.connected()
            await world.advance(16)
            await world.advance(300)
            try:
                answers = [await world.finished(question, within_s=90) for question in asked]
            except AssertionError as error:
                raise AssertionError(f"{error}\n{process.log()[-8000:]}") from error
        await check_all(world, asked, answers)
    check_history(tmp_path, len(asked))


async def check_all(world: FeishuWorld, asked: dict[str, str], answers: list[dict[str, Any]]) -> None:
    for question in asked:
        found = await world.answer_to(question)
        assert len(found) == 1, f"{question}: {len(found)} answers"
    assert len(await world.answers()) == len(asked)
    for answer, words in zip(answers, asked.values(), strict=True):
        assert answer["text"].count(words) == 1, "complete, and once"
    refused = [each for each in await world.timeline() if each.get("code") == 300317]
    assert not refused, "no write of an old owner came after one of the new"


def check_history(home: Path, asked: int) -> None:
    """F60: every answer that was visible is in the history, and the database is sound."""
    with sqlite3.connect(home / FILE_NAME) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM nm_message")]
    roles = [str(body["role"]) for body in bodies]
    assert (roles.count("user"), roles.count("assistant")) == (asked, asked)
