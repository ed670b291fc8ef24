"""Commands that speak to a run: what its buttons do, written as words, with a code or without."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gateway.texts.commands_en import TEXTS as SAYS
from gateway.texts.commands_zh import TEXTS as SAYS_ZH
from gateway.texts.en import TEXTS
from gateway.texts.zh import TEXTS as ZH
from tests.journeys.house import CHEN, DIRECT, GROUP, LIN, House, house
from tests.journeys.scripted_model import Call, Say, Until
from tests.journeys.seen import Seen

NOTE = Call("send_note", json.dumps({"text": "see you at ten"}))
WU = "ou_wu"
ADMIN = {"access.admins": '["feishu:main:ou_chen"]'}


async def greeted(h: House, chat: str = GROUP) -> None:
    """Let people speak once in a chat: their names and their language are known then."""
    for by in (LIN, CHEN):
        await h.finished(await h.say("@niuma hello", by=by, chat=chat))


async def told(h: House, command: str, words: str) -> None:
    """Wait for the short reply to a command, which is all that answers it."""
    seen = await h.until(lambda: h.seen(command), why="a reply")
    assert (len(seen.messages), seen.last["msg_type"], seen.last["text"]) == (1, "text", words)


async def at_work(h: House, word: str, gate: asyncio.Event, **more: str) -> tuple[str, Seen]:
    """Ask for something that goes on until the gate opens."""
    h.model.script([Say("So far. "), Until(gate), Say("Whole.")], when=word)
    asked = await h.say(f"@niuma {word}", **more)
    return asked, await h.sees(asked, lambda seen: "So far." in seen.body)


async def asking(h: House, **more: str) -> tuple[str, Seen]:
    """Ask for something that needs approval."""
    h.model.script([Say("I will send it."), NOTE], [Say("It is sent.")], when="note")
    asked = await h.say("@niuma send a note please", **more)
    return asked, await h.sees(asked, lambda seen: "approve" in seen.buttons)


def notes(h: House) -> list[str]:
    return [line for outbox in h.home.rglob("outbox.txt") for line in outbox.read_text().splitlines()]


async def test_f28_stop_in_a_group_is_carried_out_at_once_and_the_text_so_far_stays(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        scans = [[Say(f"step {n}"), Call("read_file", json.dumps({"file_path": f"{n}.md"}))] for n in range(2)]
        h.model.script(*scans, [Until(asyncio.Event())], when="many")
        asked = await h.say("@niuma many tools")
        await h.sees(asked, lambda seen: "step 1" in seen.body)
        await h.until(lambda: len(h.model.about("many")) == 3, why="the last request is on its way")
        began = asyncio.get_running_loop().time()
        command = await h.say("@niuma /stop")
        await told(h, command, TEXTS["toast.stopping"])
        answer = await h.finished(asked)
        assert asyncio.get_running_loop().time() - began < 3
        assert answer.status == "Stopped" and "step 1" in answer.body
        await asyncio.wait_for(h.model.asked[-1].over.wait(), 3)
        assert not h.model.asked[-1].whole and h.model.about("/stop") == [], "closed, and the command is no question"
        h.sim.redeliver(command)
        assert (await h.finished(await h.say("@niuma next"))).status == "Done", "a redelivered stop stops nothing else"
        await told(h, command, TEXTS["toast.stopping"])


async def test_stop_is_the_persons_own_an_admins_is_anybodys(home: Path) -> None:
    async with house(home, ADMIN) as h:
        await greeted(h)
        crew = h.sim.add_chat("crew", [LIN, CHEN, WU])
        await greeted(h, crew)
        asked, _ = await at_work(h, "alpha", asyncio.Event(), chat=crew)
        not_yours = SAYS["reply.not_yours"].format(name="Lin Wei")
        await told(h, await h.say("@niuma /stop", by=WU, chat=crew), not_yours)
        await told(h, await h.say("@niuma /停止", by=CHEN, chat=crew), ZH["toast.stopping"])
        assert (await h.finished(asked)).status == "Stopped"
        await told(h, await h.say("@niuma /stop", by=CHEN, chat=crew), SAYS["reply.nothing_runs"])


async def test_a_code_names_the_run_in_its_own_chat_only(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        await h.finished(await h.say("hello", chat=DIRECT))
        first, seen = await at_work(h, "alpha", gate)
        waiting = await h.say("@niuma beta")
        code = seen.run[-8:]
        await told(h, await h.say(f"/stop {code}", chat=DIRECT), SAYS["reply.no_such_code"].format(code=code))
        await told(h, await h.say("@niuma /stop nothing!"), SAYS["reply.no_such_code"].format(code="nothing!"))
        await told(h, await h.say(f"@niuma /stop {code.lower()}"), TEXTS["toast.stopping"])
        assert [(await h.finished(each)).status for each in (first, waiting)] == ["Stopped", "Done"]
        await told(h, await h.say(f"@niuma /stop {code}"), TEXTS["toast.already_ended"])


async def test_retry_tries_the_persons_last_question_again(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        chat = h.sim.add_chat("fresh", [LIN])
        await told(h, await h.say("@niuma /重试", chat=chat), SAYS_ZH["reply.nothing_ended"])
        mine = await h.finished(await h.say("@niuma alpha"))
        await h.finished(await h.say("@niuma beta", by=CHEN))
        command = await h.say("@niuma /retry")
        await told(h, command, TEXTS["toast.retrying"])
        await h.until(lambda: len(h.model.about("alpha")) == 2, why="asked again")
        h.sim.redeliver(command)
        await h.all_acked()
        await told(h, await h.say(f"@niuma /retry {mine.run[-8:]}"), TEXTS["toast.newer"])
        assert len(h.model.about("alpha")) == 2 and len(h.model.asked) == 5


async def test_approve_and_deny_answer_the_one_open_question(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        await told(h, await h.say("@niuma /approve"), SAYS["reply.nothing_asked"])
        asked, _ = await asking(h)
        await told(h, await h.say("@niuma /approve", by=CHEN), SAYS["reply.not_yours"].format(name="Lin Wei"))
        assert notes(h) == []
        await told(h, await h.say("@niuma /approve"), TEXTS["toast.approved"])
        assert "It is sent." in (await h.finished(asked)).body and notes(h) == ["see you at ten"]
        again, seen = await asking(h, chat=GROUP)
        await told(h, await h.say(f"@niuma /deny {seen.run[-8:]}"), TEXTS["toast.denied"])
        assert TEXTS["approval.denied"].format(name="Lin Wei") in (await h.finished(again)).body
        assert notes(h) == ["see you at ten"]


async def test_f65_no_admins_approve_counts_for_somebody_else(home: Path) -> None:
    async with house(home, ADMIN) as h:
        await greeted(h)
        asked, seen = await asking(h)
        code = seen.run[-8:]
        not_yours = SAYS["reply.not_yours"].format(name="Lin Wei")
        await told(h, await h.say("@niuma /approve", by=CHEN), not_yours)
        await told(h, await h.say(f"@niuma /approve {code}", by=CHEN), not_yours)
        assert notes(h) == [] and "approve" in h.now(seen).buttons
        await told(h, await h.say("@niuma /deny"), TEXTS["toast.denied"])
        await h.finished(asked)


@pytest.mark.parametrize(("by", "command", "said"), [(CHEN, "/stop", "stopping"), (LIN, "/deny", "denied")])
async def test_a_group_that_waits_for_an_answer_is_freed(home: Path, by: str, command: str, said: str) -> None:
    async with house(home, ADMIN) as h:
        crew = h.sim.add_chat("crew", [LIN, CHEN, WU])
        await greeted(h, crew)
        asked, _ = await asking(h, chat=crew)
        waiting = await h.say("@niuma and mine?", by=WU, chat=crew)
        behind = TEXTS["notice.behind"].format(name="Lin Wei")
        await h.sees(waiting, lambda seen: behind in seen.text)
        await told(h, await h.say(f"@niuma {command}", by=by, chat=crew), TEXTS[f"toast.{said}"])
        await h.finished(asked)
        await h.sees(waiting, lambda seen: "and mine?" in seen.text and "Done" in seen.text)
        assert notes(h) == []


async def test_taking_a_command_back_does_nothing_to_the_run_it_spoke_to(home: Path) -> None:
    async with house(home) as h:
        await greeted(h)
        gate = asyncio.Event()
        h.model.script([Say("I will send it."), NOTE], [Say("And now: "), Until(gate), Say("it is sent.")], when="note")
        asked = await h.say("@niuma send a note please")
        await h.sees(asked, lambda seen: "approve" in seen.buttons)
        command = await h.say("@niuma /approve")
        await h.sees(asked, lambda seen: "And now:" in seen.body)
        h.sim.recall(command)
        await h.all_acked()
        gate.set()
        answer = await h.finished(asked)
        assert answer.status == "Done" and "it is sent." in answer.body and notes(h) == ["see you at ten"]


@pytest.mark.parametrize("words", ["/stop", "/queue clear", "/model default"])
async def test_f06_no_command_from_before_a_restart_is_carried_out(home: Path, words: str) -> None:
    async with house(home) as h:
        await greeted(h)
        await h.stop()
        old = await h.say(f"@niuma {words}")
        await h.start()
        asked, _ = await at_work(h, "alpha", gate := asyncio.Event())
        h.sim.advance(16)
        await told(h, old, TEXTS["notice.old_command"].format(command=f"/{words[1:].split()[0]}"))
        gate.set()
        assert (await h.finished(asked)).status == "Done"
