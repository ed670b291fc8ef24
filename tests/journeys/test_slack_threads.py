"""Threads and commands in a Slack channel, through the whole gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from channels.simulators.slack.simulator import SlackSimulator
from tests.journeys.scripted_model import Say, Until
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
        assert card["shown"].startswith("lin.wei: weekly report"), "others do not see the command"
        started = [e for e in sim.timeline.since() if e.kind == "rest" and e.path.endswith("chat.postMessage")]
        assert len(started) == 1, "it runs once"
        assert [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot"][-1]["id"] == card["id"]


def growing(sim: SlackSimulator) -> list[dict[str, Any]]:
    return [m for m in sim.state()["messages"] if m["sender"]["type"] == "bot" and "So far." in m["shown"]]


def stopped(sim: SlackSimulator) -> bool:
    return any("Stopped" in m["shown"] for m in growing(sim))


async def test_f28_a_slash_command_stops_the_persons_run_in_a_thread(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        c.model.script([Say("So far. "), Until(asyncio.Event())], when="alpha")
        sim.send(CHANNEL, LIN, "@niuma alpha")
        await until(lambda: growing(sim), sim)
        await sim.command(CHANNEL, CHEN, "/niuma", "stop")
        await asyncio.sleep(0.5)
        assert not stopped(sim), "it is not theirs"
        await sim.command(CHANNEL, LIN, "/niuma", "stop")
        await until(lambda: stopped(sim), sim)
        assert len(growing(sim)) == 1 and len(c.model.asked) == 1


async def test_f28_stop_is_heard_in_the_thread_where_a_direct_chats_answer_grows(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        c.model.script([Say("So far. "), Until(asyncio.Event())], when="alpha")
        root = sim.send("D0LIN", LIN, "alpha").message_id.partition("/")[2]
        await until(lambda: growing(sim), sim)
        assert not stopped(sim) and growing(sim)[0]["thread_ts"] == root
        sim.send("D0LIN", LIN, "/stop", thread_ts=root)
        await until(lambda: stopped(sim), sim)
        assert len(growing(sim)) == 1 and len(c.model.asked) == 1


async def test_a_reply_under_an_answer_in_a_direct_chat_knows_what_was_said_up_to_there(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        root = ""
        for words in ("my cat is Momo", "what does she eat?", "and the weather?"):
            sent = sim.send("D0LIN", LIN, words).message_id.partition("/")[2]
            root = sent if words.startswith("what") else root
            await until(lambda words=words: answers(sim, words), sim)
        sim.send("D0LIN", LIN, "how much of it?", thread_ts=root)
        (answer,) = await until(lambda: answers(sim, "how much of it?"), sim)
        assert answer["thread_ts"] == root
        told = str(c.model.asked[-1])
        assert "my cat is Momo" in told and "You said: what does she eat?" in told
        assert "weather" not in told, "what came later in the chat is not part of the thread"
        assert told.count("what does she eat?") == 2, "its question once, and once in the answer"
        retry = next(e["action_id"] for b in answer["blocks"] for e in b.get("elements", []) if "retry" in str(e))
        await sim.click(answer["id"], LIN, retry)
        await until(lambda: len(c.model.asked) == 5, sim)
        await until(lambda: answers(sim, "how much of it?"), sim)
        assert "my cat is Momo" in str(c.model.asked[-1]), "a further attempt knows it too"
        sim.send("D0LIN", LIN, "/new", thread_ts=root)
        await asyncio.sleep(0.5)
        sim.send("D0LIN", LIN, "who are you?", thread_ts=root)
        await until(lambda: answers(sim, "who are you?"), sim)
        assert "Momo" not in str(c.model.asked[-1])
        sim.send("D0LIN", LIN, "still there?")
        await until(lambda: answers(sim, "still there?"), sim)
        assert "how much" not in str(c.model.asked[-1]) and "Momo" in str(c.model.asked[-1])


async def test_f28_slash_commands_find_the_persons_runs_in_threads(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        gate = asyncio.Event()
        c.model.script([Say("So far. "), Until(gate), Say("All of it.")], when="alpha")
        root = sim.send(CHANNEL, LIN, "@niuma alpha").message_id.partition("/")[2]
        await until(lambda: growing(sim), sim)
        sim.send(CHANNEL, LIN, "and beta", thread_ts=root)

        async def told(words: str, by: str = LIN) -> str:
            before = len([m for m in sim.state()["messages"] if m["ephemeral_to"]])
            answer = await sim.command(CHANNEL, by, "/niuma", words)
            await until(lambda: "text" in str(answer) or len(told_all()) > before, sim)
            return f"{answer} {told_all()[before:]}"

        def told_all() -> list[str]:
            return [m["shown"] for m in sim.state()["messages"] if m["ephemeral_to"]]

        for _ in range(100):
            if "and beta" in (queue := await told("queue")):
                break
            await asyncio.sleep(0.05)
        assert "1. and beta" in queue, "and of nobody else"
        assert "and beta" not in await told("queue", CHEN)
        status = await told("status")
        assert "：alpha（" in status and "排队中：1 条" in status
        assert "1 条" in await told("queue clear")
        gate.set()
        await until(lambda: any("All of it." in m["shown"] and "[Retry]" in m["shown"] for m in growing(sim)), sim)
        assert len(c.model.asked) == 1, "what waited was never begun"
        await told("retry")
        await until(lambda: len(c.model.asked) == 2, sim)
        again = await until(lambda: [m for m in growing(sim) if m["thread_ts"] == root and m["id"]], sim)
        assert all(m["chat_id"] == CHANNEL for m in again)


async def test_an_answer_in_a_thread_comes_once_more_by_slash_command(home: Path) -> None:
    async with chat("slack", home) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        root = sim.send(CHANNEL, LIN, "@niuma alpha").message_id.partition("/")[2]
        await until(lambda: answers(sim, "alpha"), sim)
        await sim.command(CHANNEL, CHEN, "/niuma", "again")
        await sim.command(CHANNEL, LIN, "/niuma", "again")

        def shown() -> list[dict[str, Any]]:
            ours = (m for m in sim.state()["messages"] if m["sender"]["type"] == "bot" and not m["ephemeral_to"])
            return [m for m in ours if "You said: " in m["shown"]]

        await until(lambda: len(shown()) == 2, sim)
        assert [each["thread_ts"] for each in shown()] == [root, root]
        assert {each["chat_id"] for each in shown()} == {CHANNEL}, "nobody else's, nowhere else"
        assert len(c.model.asked) == 1


async def test_a_stream_that_may_not_be_ended_is_ended_later_by_the_deliveries(home: Path) -> None:
    async with chat("slack", home, {"runs.final_try_s": "1"}) as c:
        sim: SlackSimulator = c.town.sim  # type: ignore[attr-defined]
        limited = {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}}
        sim.faults.add({"match": {"path": "stopStream$"}, "action": limited, "times": 3})
        sim.send("D0LIN", LIN, "hello")
        (answer,) = await until(lambda: answers(sim, "hello"), sim, within_s=25)
        assert not answer["streaming"] and answer["shown"].count("You said: hello") == 1
        refused = [
            e for e in sim.timeline.since() if e.kind == "rest" and e.path.endswith("stopStream") and e.status == 429
        ]
        assert len(refused) == 3, "later than one turn waits for"
        sim.send("D0LIN", LIN, "next")
        await until(lambda: answers(sim, "next"), sim)
