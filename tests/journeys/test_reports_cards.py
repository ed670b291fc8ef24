"""Public bug reports about growing answers, one script for every platform and each of its ways to show one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from tests.journeys.scripted_model import Act, Call, Refuse, Say, Stall, Until
from tests.journeys.test_one_conversation import Chat, chat
from tests.journeys.towns.street import DIRECT, GROUP

WAYS = [("feishu", GROUP), ("slack", GROUP), ("slack", DIRECT), ("dingtalk", GROUP)]
"""On Slack answers in channels are edited, in direct chats they are streamed."""
EVERY_WAY = pytest.mark.parametrize(("name", "where"), WAYS)
WORDS = "".join(f"word{n} " for n in range(120))
QUICK = {"models.main.first_byte_s": "0.5", "models.main.stall_s": "0.5"}
SHORTEST_S = 0.2


def squeezed(text: str) -> str:
    return "".join(text.split())


async def whole(c: Chat, question: str, text: str, *, messages: int = 1) -> None:
    """See the end of an answer: all of its words, once, in one place."""
    answer = await c.finished(question)
    assert squeezed(answer.text).count(squeezed(text)) == 1, answer.text[-400:]
    assert answer.messages == messages


@EVERY_WAY
async def test_f13_failed_updates_do_not_end_the_growing(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        street = c.town.street
        street.fault(street.shows, {"status": 502, "code": 502, "error": "internal_error"}, skip=1)
        street.fault(street.shows, {"drop": True}, skip=3)
        c.model.script([Say(WORDS, piece=12, every_s=0.08)])
        question = street.say("a long one", where=where)
        await whole(c, question, WORDS)
        faults = [each.fault for each in street.entries("rest") if each.fault]
        assert "drop" in faults and len(faults) == 2
        assert street.count(where) == 1


@pytest.mark.alone
@EVERY_WAY
async def test_f15_five_hundred_pieces_in_a_second_are_a_few_updates(name: str, where: str, home: Path) -> None:
    async with chat(name, home) as c:
        text = "".join(f"w{n:03} " for n in range(500))
        c.model.script([Say(text, piece=5, every_s=0.002)])
        question = c.town.street.say("fast", where=where)
        await whole(c, question, text)
        writes: defaultdict[str, list[float]] = defaultdict(list)
        for each in c.town.street.entries("rest"):
            if any(part in each.path for part in ("/content", "/api/chat.append", "/api/chat.update", "/streaming")):
                writes[each.path].append(each.mono_s)
        assert writes and sum(map(len, writes.values())) <= 9, dict(writes)
        gaps = [after - before for times in writes.values() for before, after in pairwise(times)]
        assert not gaps or min(gaps) >= 0.75 * SHORTEST_S, gaps


@EVERY_WAY
@pytest.mark.parametrize("acts", [[Refuse(500, "Traceback (most recent call last)")], [Stall()]], ids=["500", "silent"])
async def test_f16_a_failing_model_leaves_a_failed_card(name: str, where: str, acts: list[Act], home: Path) -> None:
    async with chat(name, home, QUICK) as c:
        c.model.script(acts, for_ever=True, when="doomed")
        question = c.town.street.say("a doomed question", where=where)
        failed = await c.finished(question)
        assert "retry" in failed.buttons and "Traceback" not in failed.text and failed.messages == 1
        assert "Failed" in failed.text or "✗" in failed.text or "❌" in failed.text, failed.text
        again = c.town.street.say("are you well?", where=where)
        assert "You said: are you well?" in (await c.finished(again)).text


@EVERY_WAY
@pytest.mark.parametrize("times", [1, 3], ids=["once", "thrice"])
async def test_f18_refused_progress_does_not_fail_the_run(name: str, where: str, times: int, home: Path) -> None:
    async with chat(name, home) as c:
        street, gate = c.town.street, asyncio.Event()
        street.fault(street.shows, {"status": 400, "code": 1, "error": "invalid_arguments"}, times=times)
        c.model.script([Say("Looking. "), Call("project_scan", "{}")], [Say("Half, "), Until(gate), Say("whole.")])
        question = street.say("look", where=where)
        await c.until(lambda: any(each.fault for each in street.entries("rest")), "a refused update")
        gate.set()
        answer = await c.finished(question)
        assert answer.text.count("Half, whole.") == 1
        assert street.heard(where).count("Half, whole.") == 1


async def test_f19_a_message_that_was_deleted_ends_its_card_and_the_answer_is_a_new_one(home: Path) -> None:
    async with chat("slack", home) as c:
        street, gate = c.town.street, asyncio.Event()
        c.model.script([Say("Some of it, "), Until(gate), Say(WORDS, piece=40, every_s=0.01)])
        question = street.say("tell me", where=GROUP)
        await c.sees(question, lambda look: "Some of it" in look.text)
        card = next(each["id"] for each in street.sim.state()["messages"] if each["sender"]["type"] == "bot")
        street.sim.delete(card)
        gate.set()
        await c.sees(question, lambda look: look.is_over)
        await whole(c, question, WORDS)
        assert len(street.refused()) <= 2, street.refused()
