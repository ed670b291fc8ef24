"""Killed where Feishu leaves open what a repeated call does: the card, or what stands in its place, is there once."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.storage.database import FILE_NAME
from tests.processes.feishu import FeishuWorld, feishu_world
from tests.processes.gateway import gateway

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

QUICK = {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": "2"}


async def answer_after_kill(world: FeishuWorld, home: Path, failpoint: str, question: str) -> dict[str, Any]:
    """Ask, be killed at the failpoint, start again, and give the finished answer."""
    async with gateway(home, world.url, **QUICK, NIUMA_FAILPOINT=failpoint) as first:
        await world.connected()
        asked = await world.say(question)
        assert await first.ended() == -9, first.log()
    async with gateway(home, world.url, **QUICK) as second:
        await world.connected()
        await world.advance(16)  # the platform's first redelivery of what was not acked
        try:
            answer = await world.finished(asked)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{second.log()}") from error
        assert len(await world.answer_to(asked)) == 1, "one answer, on its first card"
        second.terminate()
        assert await second.ended() == 0, second.log()
    return answer


@pytest.mark.parametrize("modes", [{"repeat_uuid": "new_code"}, {"entity_sent_twice": "allow"}], ids=str)
@pytest.mark.parametrize("failpoint", ["after_create:1", "after_send:1"])
async def test_the_card_is_found_again_in_both_modes(tmp_path: Path, failpoint: str, modes: dict[str, str]) -> None:
    async with feishu_world() as world:
        await world.options(**modes)
        await answer_after_kill(world, tmp_path, failpoint, "@niuma hello")


@pytest.mark.parametrize("modes", [{"repeat_uuid": "new_code"}, {}], ids=["new code", "same"])
@pytest.mark.parametrize(("code", "kind"), [(200220, "text"), (None, "interactive")], ids=["text", "card"])
async def test_a_message_in_the_place_of_the_card_is_sent_once(
    tmp_path: Path, code: int | None, kind: str, modes: dict[str, str]
) -> None:
    """Killed between the sending of the message and its record; the next process starts two hours later."""
    async with feishu_world() as world:
        await world.options(**modes)
        refusal: dict[str, Any] = {"path": "/cardkit/v1/cards$" if code else "/reply$"}
        await world.faults(
            {"match": refusal, "action": {"status": 400, "code": code or 230022}, "times": -1 if code else 1}
        )
        async with gateway(tmp_path, world.url, **QUICK, NIUMA_FAILPOINT="after_send:1") as first:
            await world.connected()
            await world.say("@niuma hello")
            assert await first.ended() == -9, first.log()
        await world.advance(7200)
        async with gateway(tmp_path, world.url, **QUICK) as second:
            await world.connected()
            await world.until(lambda: has_step(tmp_path, "surface/final/done"), why="the receipt")
            found = await world.answers()
            assert [each["msg_type"] for each in found] == [kind], second.log()


async def has_step(home: Path, path: str) -> bool:
    """Tell whether a run recorded this step."""
    with sqlite3.connect(home / FILE_NAME) as database:
        return database.execute("SELECT 1 FROM nm_step WHERE path = ?", [path]).fetchone() is not None
