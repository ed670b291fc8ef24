"""What waits, and what becomes of words that come while a run works."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.en import TEXTS
from tests.journeys.house import CHEN, GROUP, House, house
from tests.journeys.scripted_model import Call, Say, Until
from tests.journeys.test_run_commands import asking, at_work, greeted, notes, told


def mode(name: str) -> str:
    return SAYS["reply.queue_mode"].format(mode=SAYS[f"reply.mode_{name}"])


async def reply(h: House, command: str) -> list[str]:
    seen = await h.until(lambda: h.seen(command), why="a reply")
    return str(seen.last["text"]).splitlines()


def signs(h: House, message: str) -> list[str]:
    return [each["emoji_type"] for each in h.sim.message(message)["reactions"]]


async def test_f34_what_waits_is_shown_in_its_order_and_cleared_by_its_writers(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        assert await reply(h, await h.say("@niuma /queue")) == [SAYS["reply.queue_empty"], mode("queue")]
        asked, _ = await at_work(h, "alpha", gate)
        mine = [await h.say(f"@niuma beta {n} " + "words " * 20) for n in range(2)]
        await h.until(lambda: all(signs(h, each) for each in mine), why="signs")
        others = await h.say("@niuma gamma", by=CHEN)
        await h.until(lambda: all(signs(h, each) for each in (*mine, others)), why="signs")
        head, *lines, rest = await reply(h, await h.say("@niuma /queue"))
        assert head == SAYS["reply.queue"].format(count=3) and rest == mode("queue")
        assert [line.split()[:3] for line in lines] == [
            ["1.", "beta", "0"],
            ["2.", "beta", "1"],
            ["3.", "gamma", lines[2].split()[2]],
        ]
        assert "Lin Wei" in lines[0] and all(len(line) < 80 for line in lines)
        command = await h.say("@niuma /queue clear")
        await told(h, command, SAYS["reply.queue_cleared"].format(count=2))
        gate.set()
        assert [(await h.finished(each)).status for each in (asked, *mine, others)] == [
            "Done",
            "Stopped",
            "Stopped",
            "Done",
        ]
        assert h.model.about("beta") == [] and len(h.model.about("gamma")) == 1


async def test_steer_words_reach_the_run_and_the_card_says_so(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        await told(h, await h.say("@niuma /queue mode steer"), mode("steer"))
        look = Call("read_file", json.dumps({"file_path": "a.md"}))
        h.model.script([Say("Looking."), Until(gate), look], when="alpha")
        h.model.script([Say("In short: yes.")], when="short")
        asked = await h.say("@niuma alpha")
        await h.sees(asked, lambda seen: "Looking." in seen.body)
        steered = await h.say("@niuma keep it short")
        others = await h.say("@niuma gamma", by=CHEN)
        await h.until(lambda: signs(h, steered) == ["OnIt"], why="a sign that it came")
        gate.set()
        answer = await h.finished(asked)
        assert TEXTS["notice.steered"].format(words="keep it short") in answer.body and "In short: yes." in answer.body
        assert h.model.about("short")[0].texts("user")[-2:] == ["[Lin Wei] alpha", "[Lin Wei] keep it short"]
        await h.finished(others)
        await h.until(lambda: signs(h, steered) == [], why="the sign is gone")
        assert h.seen(steered) is None and len(h.model.about("short")) == 1 and h.model.complaints == []


async def test_a_late_steer_is_a_message(home: Path) -> None:
    async with house(home, {"runs.while_busy": "steer"}) as h:
        await greeted(h)
        gate = asyncio.Event()
        asked, _ = await at_work(h, "alpha", gate)
        late = await h.say("@niuma beta")
        await h.until(lambda: signs(h, late) == ["OnIt"], why="a sign that it came")
        gate.set()
        assert (await h.finished(asked)).body.strip() == "So far. Whole."
        assert (await h.finished(late)).body.strip() == "You said: [Lin Wei] beta"
        await h.until(lambda: signs(h, late) == [], why="the sign is gone")


async def test_interrupt_stops_the_persons_run_and_answers_the_new_words(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        await told(h, await h.say("@niuma /queue mode interrupt"), mode("interrupt"))
        asked, _ = await at_work(h, "alpha", asyncio.Event())
        others = await h.say("@niuma gamma", by=CHEN)
        instead = await h.say("@niuma beta")
        answers = [await h.finished(each) for each in (asked, others, instead)]
        assert [each.status for each in answers] == ["Stopped", "Done", "Done"]


async def test_interrupt_frees_a_group_that_waits_for_the_persons_answer(home: Path) -> None:
    async with house(home, {"runs.while_busy": "interrupt"}) as h:
        await greeted(h)
        asked, _ = await asking(h)
        behind = await h.say("@niuma and mine?", by=CHEN)
        await h.sees(behind, lambda seen: TEXTS["notice.behind"].format(name="Lin Wei") in seen.text)
        instead = await h.say("@niuma never mind")
        assert (await h.finished(asked)).status == "Stopped" and notes(h) == []
        assert "You said: " in (await h.sees(behind, lambda seen: "You said: " in seen.text)).text
        seen = await h.finished(instead)
        assert (seen.body.strip(), len(seen.messages)) == ("You said: [Lin Wei] never mind", 1), (
            "nobody is told to answer first"
        )


async def test_an_unknown_mode_is_told_what_there_is(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        for words in ("/queue mode faster", "/queue mode", "/queue all"):
            [said] = await reply(h, await h.say(f"@niuma {words}"))
            assert "queue | steer | interrupt" in said
        assert len(h.model.asked) == 2


@pytest.mark.slow
async def test_the_sign_of_a_message_that_waits_goes_after_a_restart(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        asked, _ = await at_work(h, "alpha", gate)
        waiting = await h.say("@niuma beta")
        await h.until(lambda: signs(h, waiting) == ["OnIt"], why="a sign that it waits")
        h.sim.people.react(waiting, CHEN, "OnIt")
        await h.stop()
        gate.set()
        await h.start()
        assert [(await h.finished(each)).status for each in (asked, waiting)] == ["Done", "Done"]
        await h.until(lambda: len(signs(h, waiting)) == 1, why="our sign is gone")
        assert h.sim.message(waiting)["reactions"][0]["by"] == CHEN
        fresh = await h.say("@niuma gamma", chat=GROUP)
        await h.finished(fresh)
        assert [each for each in h.calls("/reactions", method="GET") if fresh in each.path] == []
