"""Killed at every failpoint: the answer complete, shown once, on the first card, nothing repeated."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.storage.database import FILE_NAME
from tests.processes.feishu import FeishuWorld, buttons_of, feishu_world, is_finished
from tests.processes.gateway import gateway

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

POINTS = [
    "before_ingest:1",
    "after_ingest:1",
    "after_create:1",
    "after_send:1",
    "mid_stream:1",
    "mid_stream:6",
    "after_final:1",
]
QUICK = {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": "2"}
UNDISTURBED: list[str] = []
"""What a reader sees when nothing goes wrong: asked once, it takes seconds."""


def visible_text(message: dict[str, Any]) -> str:
    return str(message["text"])


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


@pytest.mark.parametrize("failpoint", POINTS)
async def test_killed_at_a_failpoint(tmp_path: Path, failpoint: str) -> None:
    async with feishu_world() as world:
        answer = await answer_after_kill(world, tmp_path, failpoint, "@niuma hello")
        if not UNDISTURBED:
            UNDISTURBED.append(await undisturbed(world, tmp_path / "other", "@niuma hello"))
        assert body(answer) == UNDISTURBED[0]


async def undisturbed(world: FeishuWorld, home: Path, question: str) -> str:
    async with gateway(home, world.url, **QUICK):
        await world.connected()
        return body(await world.finished(await world.say(question)))


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


async def test_a_tool_with_an_effect_asks_again_when_it_was_cut(tmp_path: Path) -> None:
    async with feishu_world() as world:
        async with gateway(tmp_path, world.url, **QUICK, NIUMA_FAILPOINT="after_once:1") as first:
            await world.connected()
            asked = await world.say("@niuma send a note")
            question = await asking(world, asked)
            await world.press(question, "approve")
            assert await first.ended() == -9, first.log()
        async with gateway(tmp_path, world.url, **QUICK) as second:
            again = await asking(world, asked, instead_of=nonce_of(question))
            await world.press(again, "deny")
            await world.finished(asked)
            assert len(await world.answer_to(asked)) == 1, second.log()
    written = [path.read_text() for path in tmp_path.rglob("outbox.txt")]
    assert [len(text.splitlines()) for text in written] == [1], "the effect happened once"


async def test_killed_while_draining(tmp_path: Path) -> None:
    async with feishu_world() as world:
        drains = {**QUICK, "NIUMA_RUNS__DRAIN_S": "0.2", "NIUMA_FAILPOINT": "during_drain:1"}
        async with gateway(tmp_path, world.url, **drains) as first:
            await world.connected()
            asked = await world.say("@niuma hello")
            await world.until(lambda: world.answer_to(asked), why="a card")
            first.terminate()
            assert await first.ended() == -9, first.log()
        async with gateway(tmp_path, world.url, **QUICK):
            await world.finished(asked, within_s=60)
        assert len(await world.answer_to(asked)) == 1


async def asking(world: FeishuWorld, asked: str, *, instead_of: str = "") -> dict[str, Any]:
    """Wait until the card asks a person, something else than the question with the nonce `instead_of`."""

    async def ready() -> dict[str, Any] | None:
        found = [each for each in await world.answer_to(asked) if nonce_of(each) not in ("", instead_of)]
        return found[0] if found else None

    return await world.until(ready, why="a card that asks")


def nonce_of(message: dict[str, Any]) -> str:
    """Give which question a card asks; empty when it asks none."""
    return next((value["nonce"] for value in buttons_of(message["card"]) if value.get("do") == "approve"), "")


def body(message: dict[str, Any]) -> str:
    """Give what a person reads, without what differs between two runs of the same question (seconds)."""
    assert is_finished(message)
    return re.sub(r"\d+(\.\d+)? s\b", "_ s", visible_text(message))
