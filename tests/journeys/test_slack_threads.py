"""Threads and commands in a Slack channel, through the whole gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from channels.simulators.slack.simulator import SlackSimulator
from tests.journeys.test_one_conversation import chat

CHANNEL, LIN, CHEN = "C0TEAM", "U0LIN", "U0CHEN"


async def until(ready: Callable[[], Any], sim: SlackSimulator, within_s: float = 15.0) -> Any:
    deadline = asyncio.get_running_loop().time() + within_s
    while not (found := ready()):
        assert asyncio.get_running_loop().time() < deadline, [m["shown"] for m in sim.state()["messages"]]
        await asyncio.sleep(0.05)
    return found


def answers(sim: SlackSimulator, words: str) -> list[dict[str, Any]]:
    ours = [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["ephemeral_to"]]
    said = [(m, m["shown"].partition("You said: ")[2].partition("\n")[0]) for m in ours if "[Retry]" in m["shown"]]
    return [m for m, what in said if what.endswith(words)]


async def test_f30_a_thread_the_bot_answers_in_is_followed_and_no_other(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        root = sim.send(CHANNEL, LIN, "@niuma hello").message_id.partition("/")[2]
        other = sim.send(CHANNEL, CHEN, "lunch?").message_id.partition("/")[2]
        await until(lambda: answers(sim, "hello"), sim)
        sim.send(CHANNEL, CHEN, "and then?", thread_ts=root)
        sim.send(CHANNEL, LIN, "where?", thread_ts=other)
        (followed,) = await until(lambda: answers(sim, "and then?"), sim)
        assert followed["thread_ts"] == root
        await asyncio.sleep(0.5)
        assert answers(sim, "where?") == [] and len(answers(sim, "hello")) == 1


async def test_f27_a_slash_command_is_answered_by_a_card_in_the_channel(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        await sim.command(CHANNEL, LIN, "/niuma", "weekly report")
        (card,) = await until(lambda: answers(sim, "weekly report"), sim)
        assert card["thread_ts"] is None and card["chat_id"] == CHANNEL
        started = [e for e in sim.timeline.since() if e.kind == "rest" and e.path.endswith("chat.postMessage")]
        assert len(started) == 1, "it runs once"
        assert [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot"][-1]["id"] == card["id"]
