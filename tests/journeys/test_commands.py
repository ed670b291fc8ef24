"""Commands: carried out at once, once, beside whatever runs; and what only looks like one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gateway.texts.en import TEXTS
from gateway.texts.zh import TEXTS as ZH
from tests.journeys.house import CHEN, DIRECT, GROUP, LIN, House, house
from tests.journeys.scripted_model import Call, Say, Until

NEW = TEXTS["notice.new_session"]


async def told(h: House, command: str, words: str = NEW) -> None:
    """Wait for the short reply to a command."""
    seen = await h.until(lambda: h.seen(command), why="a reply")
    assert (len(seen.messages), seen.last["msg_type"], seen.last["text"]) == (1, "text", words)


async def test_new_begins_the_next_session_and_says_so_once(home: Path) -> None:
    async with house(home) as h:
        await h.finished(await h.say("@niuma alpha"))
        command = await h.say("@niuma /new")
        await told(h, command)
        h.sim.redeliver(command)
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma beta"))).status == "Done"
        assert h.model.about("beta")[0].texts("user") == ["beta"]
        assert len(h.model.asked) == 2 and len(h.messages()) == 3


async def test_new_with_a_question_answers_it_in_the_new_session(home: Path) -> None:
    async with house(home) as h:
        await h.finished(await h.say("alpha", chat=DIRECT))
        answer = await h.finished(await h.say("／NEW\nbeta", chat=DIRECT))
        assert (answer.title, answer.body.strip()) == ("beta", "You said: beta")
        await h.finished(await h.say("gamma", chat=DIRECT))
        assert h.model.asked[-1].texts("user") == ["beta", "gamma"]
        assert len(h.messages()) == 3, "the answer says it"


async def test_a_chinese_person_is_told_in_chinese(home: Path) -> None:
    async with house(home) as h:
        await h.finished(await h.say("@niuma 今天有什么消息?"))
        await told(h, await h.say("@niuma /new"), ZH["notice.new_session"])
        await h.say("", msg_type="sticker", content={"file_key": "v3_x"}, chat=DIRECT)
        notice = await h.until(lambda: h.messages(DIRECT), why="a notice")
        assert notice[0]["text"] == ZH["notice.unsupported"].format(kind="sticker")
        await h.finished(await h.say("in English please", chat=DIRECT))
        strange = await h.say("", msg_type="sticker", content={"file_key": "v3_x"}, chat=DIRECT)
        await told(h, strange, TEXTS["notice.unsupported"].format(kind="sticker"))


@pytest.mark.parametrize("words", ["/newsletter please", "/etc/hosts", "please /new", "/ new"])
async def test_what_only_looks_like_a_command_is_a_message(home: Path, words: str) -> None:
    async with house(home) as h:
        await h.finished(await h.say("@niuma alpha"))
        assert (await h.finished(await h.say(f"@niuma {words}"))).body.strip() == f"You said: {words}"
        assert h.model.asked[-1].texts("user") == ["alpha", words]


async def test_f36_new_while_a_run_works_stops_it_and_nothing_of_it_reaches_the_new_session(home: Path) -> None:
    async with house(home) as h:
        gate = asyncio.Event()
        scans = [[Say(f"step {n}"), Call("read_file", json.dumps({"file_path": f"{n}.md"}))] for n in range(2)]
        h.model.script(*scans, [Until(gate), Say("late")], when="loop")
        asked = await h.say("@niuma loop over tools")
        await h.sees(asked, lambda seen: "step 1" in seen.body)
        await h.until(lambda: len(h.model.about("loop")) == 3, why="the last request is on its way")
        waiting = await h.say("@niuma and loop again")
        began = asyncio.get_running_loop().time()
        await told(h, await h.say("@niuma /new"))
        stopped = await h.finished(asked)
        assert (stopped.status, "step 1" in stopped.body) == ("Stopped", True)
        assert (await h.finished(waiting)).status == "Stopped", "what was asked before is told, not lost"
        assert asyncio.get_running_loop().time() - began < 3
        gate.set()
        assert (await h.finished(await h.say("@niuma beta"))).status == "Done"
        assert len(h.model.about("loop")) == 3 and h.model.about("beta")[0].texts("user") == ["beta"]
        assert "late" not in h.now(stopped).text and h.model.complaints == []


async def test_one_persons_new_does_not_stop_anothers_run(home: Path) -> None:
    async with house(home) as h:
        gate = asyncio.Event()
        h.model.script([Say("For Lin: "), Until(gate), Say("done.")], when="Lin")
        asked = await h.say("@niuma for Lin")
        await h.sees(asked, lambda seen: "For Lin" in seen.body)
        await told(h, await h.say("@niuma /new", by=CHEN), TEXTS["notice.new_session"])
        gate.set()
        assert (await h.finished(asked)).body.strip() == "For Lin: done."
        await h.finished(await h.say("@niuma beta", by=CHEN))
        assert h.model.asked[-1].texts("user") == ["beta"] and h.model.asked[-1].texts("assistant") == []


async def test_retry_and_revise_of_an_older_session_answer_there(home: Path) -> None:
    async with house(home) as h:
        first = await h.finished(await h.say("@niuma alpha"))
        await told(h, await h.say("@niuma /new"))
        await h.finished(await h.say("@niuma beta"))
        assert await h.press(first, "revise") == TEXTS["toast.revising"]
        await h.until(lambda: len(h.model.asked) == 3, why="revised")
        assert h.model.asked[-1].texts("user") == ["alpha", TEXTS["prompt.revise"]]
        await h.until(lambda: len([each for each in h.messages() if each["card_state"]]) == 3)
        await h.finished(await h.say("@niuma gamma"))
        assert h.model.asked[-1].texts("user") == ["beta", "gamma"]


async def test_f06_a_command_from_before_the_restart_is_not_carried_out(home: Path) -> None:
    async with house(home) as h:
        await h.finished(await h.say("@niuma alpha"))
        await h.stop()
        old = await h.say("@niuma /new")
        await h.start()
        h.sim.advance(16)
        await told(h, old, TEXTS["notice.old_command"].format(command="/new"))
        await h.all_acked()
        await h.finished(await h.say("@niuma beta"))
        assert h.model.asked[-1].texts("user") == ["alpha", "beta"]


async def test_f06_a_command_that_the_line_held_back_for_hours_is_not_carried_out(home: Path) -> None:
    async with house(home) as h:
        await h.finished(await h.say("@niuma alpha"))
        hour_ago_ms = h.sim.clock.now_ms() - 3_600_000
        late = await h.say("@niuma /new and what now?", create_time_ms=hour_ago_ms)
        await told(h, late, TEXTS["notice.old_command"].format(command="/new"))
        await h.finished(await h.say("@niuma beta"))
        assert h.model.asked[-1].texts("user") == ["alpha", "beta"]


async def test_f33_what_others_write_meanwhile_is_not_the_askers_words(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        topics = h.sim.add_chat("topics", [LIN, CHEN], type="topic")
        asked = await h.say("@niuma check this", chat=topics)
        other = await h.say("something unrelated", chat=topics, by=CHEN)
        answer = await h.finished(asked)
        await h.all_acked()
        assert answer.last["thread_id"] == h.sim.message(asked)["thread_id"]
        assert len(h.model.asked) == 1 and h.model.asked[0].texts("user") == ["check this"]
        assert h.seen(other) is None and h.sim.message(other)["reactions"] == []


async def test_f35_conversations_never_mix_though_they_speak_at_once(home: Path) -> None:
    async with house(home) as h:
        chats = {"red": (GROUP, "@niuma "), "green": (h.sim.add_chat("green", [LIN]), "@niuma "), "blue": (DIRECT, "")}
        asked = [
            (name, chat, await h.say(f"{to}{name} {n}", chat=chat))
            for n in range(5)
            for name, (chat, to) in chats.items()
        ]
        for name, chat, question in asked:
            answer = await h.finished(question, within_s=20)
            assert f"You said: {name}" in answer.body and answer.last["chat_id"] == chat
        for each in h.model.asked:
            words = each.texts("user") + each.texts("assistant")
            assert len({word.removeprefix("You said: ").split()[0] for word in words}) == 1, words
        assert [len(h.model.about(name)) for name in chats] == [5, 5, 5]
