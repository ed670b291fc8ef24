"""Killed at every failpoint on DingTalk, on cards and without: the answer complete, shown once, nothing repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from tests.contract.dingtalk_adapter import DIRECT, GROUP, LIN, TEMPLATE, example_template
from tests.processes.gateway import GatewayProcess, gateway

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ON_CARDS = [
    ("before_ingest:1", "direct"),
    ("after_ingest:1", "group"),
    ("after_send:1", "direct"),
    ("after_send:1", "group"),
    ("mid_stream:1", "group"),
    ("mid_stream:3", "direct"),
    ("after_final:1", "group"),
]
WITHOUT = [("before_ingest:1", "group"), ("after_ingest:1", "direct"), ("after_final:1", "direct")]
CHATS = {"group": (GROUP, "@niuma hello"), "direct": (DIRECT, "hello")}
_REDELIVERED_S = 61


@asynccontextmanager
async def serving(sim: DingTalkSimulator, home: Path, template: str, **more: str) -> AsyncIterator[GatewayProcess]:
    account = {
        "CLIENT_ID": sim.app_id,
        "CLIENT_SECRET": sim.app_secret,
        "CARD_TEMPLATE_ID": template,
        "API_BASE": sim.url,
        "OAPI_BASE": sim.url,
        "EDITION": "pack",
    }
    env = {f"NIUMA_CHANNELS__DINGTALK__MAIN__{key}": value for key, value in account.items()}
    env |= {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": "2", "NIUMA_CHANNELS__FEISHU__MAIN__ENABLED": "false"}
    async with gateway(home, sim.url, **env, **more) as process:
        await until(lambda: sim.sockets.count(sim.app_id) == 1 or not process.is_alive, process, within_s=40)
        yield process


async def until(ready: Callable[[], Any], process: GatewayProcess, *, within_s: float = 60.0) -> Any:
    deadline = asyncio.get_running_loop().time() + within_s
    while not (found := ready()):
        assert asyncio.get_running_loop().time() < deadline, f"not within {within_s} s\n{process.log()}"
        await asyncio.sleep(0.05)
    return found


@asynccontextmanager
async def town() -> AsyncIterator[DingTalkSimulator]:
    sim = DingTalkSimulator(api_per_second=60, monthly_calls=1_000_000, lost_with_socket=False)
    sim.add_template(TEMPLATE, **example_template())
    await sim.start()
    try:
        yield sim
    finally:
        await sim.stop()


def answers(sim: DingTalkSimulator) -> list[dict[str, Any]]:
    return [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["recalled"]]


def is_over(message: dict[str, Any]) -> bool:
    return message["card"] is None or message["card"]["flow_status"] in ("3", "FINISHED")


@pytest.mark.parametrize(("failpoint", "chat"), ON_CARDS)
async def test_killed_at_a_failpoint_with_a_card(tmp_path: Path, failpoint: str, chat: str) -> None:
    where, words = CHATS[chat]
    async with town() as sim:
        async with serving(sim, tmp_path, TEMPLATE, NIUMA_FAILPOINT=failpoint) as first:
            sim.send(where, LIN, words)
            assert await first.ended() == -9, first.log()
        await _is_answered_once(sim, tmp_path, TEMPLATE)
        refused = {e.code for e in sim.timeline.since() if e.kind == "rest" and e.code}
        assert refused <= {"param.cardAlreadyExist", "unknownError"}, refused


@pytest.mark.parametrize(("failpoint", "chat"), WITHOUT)
async def test_killed_at_a_failpoint_without_a_card(tmp_path: Path, failpoint: str, chat: str) -> None:
    where, words = CHATS[chat]
    async with town() as sim:
        async with serving(sim, tmp_path, "", NIUMA_FAILPOINT=failpoint) as first:
            sim.send(where, LIN, words)
            assert await first.ended() == -9, first.log()
        await _is_answered_once(sim, tmp_path, "")


async def test_killed_while_a_message_waits_out_a_refusal_the_answer_is_sent_by_the_next(tmp_path: Path) -> None:
    async with town() as sim:
        busy = {"status": 403, "code": "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"}
        sim.faults.add({"match": {"path": "sendBySession"}, "action": busy, "times": -1})
        async with serving(sim, tmp_path, "") as first:
            sim.send(DIRECT, LIN, "hello")
            await until(lambda: [e for e in sim.timeline.since() if "sendBySession" in e.path], first)
            await asyncio.sleep(0.3)
            first.kill()
            await first.ended()
        sim.faults.clear()
        await _is_answered_once(sim, tmp_path, "")


async def _is_answered_once(sim: DingTalkSimulator, home: Path, template: str) -> None:
    async with serving(sim, home, template) as second:
        sim.advance(_REDELIVERED_S)
        await until(lambda: answers(sim) and is_over(answers(sim)[-1]), second)
        await asyncio.sleep(1.5)
        (answer,) = answers(sim)
        shown = sim.message(answer["id"], LIN)["text"]
        assert shown.count("offline demo model") == 1, shown
        second.terminate()
        assert await second.ended() == 0, second.log()
