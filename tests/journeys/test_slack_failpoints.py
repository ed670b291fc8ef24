"""Killed at every failpoint on Slack: the answer complete, shown once, on the first message, nothing repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.slack.simulator import SlackSimulator
from tests.processes.gateway import GatewayProcess, gateway

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

POINTS = ["before_ingest:1", "after_ingest:1", "after_send:1", "mid_stream:1", "after_final:1"]
"""Not `after_create`: here a message is created by sending it."""
CHATS = {"channel": ("C0TEAM", "@niuma hello"), "direct": ("D0LIN", "hello")}


@asynccontextmanager
async def serving(sim: SlackSimulator, home: Path, **more: str) -> AsyncIterator[GatewayProcess]:
    account = {"BOT_TOKEN": sim.bot_token, "APP_TOKEN": sim.app_token, "BASE_URL": sim.api_url}
    env = {f"NIUMA_CHANNELS__SLACK__MAIN__{key}": value for key, value in account.items()}
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


def answers(sim: SlackSimulator) -> list[dict[str, Any]]:
    messages = sim.state()["messages"]
    return [m for m in messages if m["sender"]["type"] == "bot" and not m["deleted"] and not m["ephemeral_to"]]


def finished(sim: SlackSimulator) -> dict[str, Any] | None:
    over = [m for m in answers(sim) if (not m["streaming"] and "Done" in m["shown"]) or "完成" in m["shown"]]
    return over[0] if over else None


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("failpoint", POINTS)
async def test_killed_at_a_failpoint(tmp_path: Path, failpoint: str, chat: str) -> None:
    where, words = CHATS[chat]
    sim = SlackSimulator()
    await sim.start()
    try:
        async with serving(sim, tmp_path, NIUMA_FAILPOINT=failpoint) as first:
            sim.send(where, "U0LIN", words)
            assert await first.ended() == -9, first.log()
        async with serving(sim, tmp_path) as second:
            sim.advance(70)  # redeliveries of what was not acked
            answer = await until(lambda: finished(sim), second)
            assert len(answers(sim)) == 1, "one answer, on its first message"
            assert answer["shown"].count("You said") <= 1
            second.terminate()
            assert await second.ended() == 0, second.log()
        refused = [(e.path, e.code) for e in sim.timeline.since() if e.kind == "rest" and e.code]
        # The next owner stops a stream that may have been stopped, and takes away a sign that may not be there.
        assert {code for _, code in refused} <= {"message_not_in_streaming_state", "no_reaction"}
    finally:
        await sim.stop()
