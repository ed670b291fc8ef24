"""What people do besides writing and pressing: they take words back, put signs, choose from the menu, come and go."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from channels.simulators.feishu import events
from engine.errors import StorageError
from gateway.texts.en import TEXTS
from tests.journeys.house import DIRECT, GROUP, LIN, House, house
from tests.journeys.scripted_model import Say, Stall, Until
from tests.journeys.seen import Seen

ENTERED = "im.chat.access_event.bot_p2p_chat_entered_v1"
REMOVED = "im.chat.member.bot.deleted_v1"
MENU = "application.bot.menu_v6"


def hellos(h: House, chat: str, key: str) -> list[dict[str, Any]]:
    return [each for each in h.messages(chat) if TEXTS[key] in each["text"]]


async def push(h: House, kind: str, body: dict[str, Any]) -> None:
    h.sim.push_event(kind, body)
    await h.all_acked()
    assert h.unacked() == 0


async def test_a_recalled_message_stops_its_run(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("So far "), Stall()])
        asked = await h.say("@niuma something long")
        await h.sees(asked, lambda seen: "So far" in seen.body)
        h.sim.recall(asked)
        stopped = await h.finished(asked)
        assert stopped.status == "Stopped" and "So far" in stopped.body and stopped.buttons == ["retry"]
        assert len(h.messages()) == 1
        await h.all_acked()


async def test_a_recall_of_anything_else_stops_nothing(home: Path) -> None:
    async with house(home) as h:
        go_on = asyncio.Event()
        h.model.script([Say("Half "), Until(go_on), Say("whole.")])
        other = await h.say("no question at all")
        asked = await h.say("@niuma go on")
        await h.sees(asked, lambda seen: "Half" in seen.body)
        h.sim.recall(other)
        await h.all_acked()
        go_on.set()
        assert (await h.finished(asked)).body.strip() == "Half whole."


async def test_a_message_that_is_delivered_after_its_recall_is_not_answered(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(home) as h:

        async def refuse(*_: Any, **__: Any) -> None:
            raise StorageError("database is locked", code="storage_locked")

        with monkeypatch.context() as broken:
            broken.setattr(h.runtime, "submit", refuse)
            asked = await h.say("@niuma forget this")
            await h.until(lambda: h.deliveries(asked))
            h.sim.recall(asked)
            await h.until(lambda: h.unacked() == 1, why="the recall is stored, the message is not")
        h.sim.advance(16)
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma hello"))).body.strip() == "You said: hello"
        assert len(h.messages()) == len(h.model.asked) == 1


async def test_a_group_is_greeted_once_and_again_only_after_the_bot_was_put_out(home: Path) -> None:
    async with house(home) as h:
        chat = h.sim.add_chat("New group", [LIN], announce=True)
        await h.until(lambda: len(hellos(h, chat, "notice.hello_group")) == 1, why="a greeting")
        added = events.bot_added_event(h.sim.world.chats[chat], LIN)
        await push(h, events.BOT_ADDED, added)
        assert len(hellos(h, chat, "notice.hello_group")) == 1
        await push(h, REMOVED, added)
        await push(h, events.BOT_ADDED, added)
        await h.until(lambda: len(hellos(h, chat, "notice.hello_group")) == 2, why="greeted after coming back")
        assert len(h.messages(chat)) == 2


async def test_a_direct_chat_is_greeted_when_it_is_entered_for_the_first_time(home: Path) -> None:
    async with house(home) as h:
        entered = {"chat_id": DIRECT, "operator_id": events.ids_of(LIN), "last_message_id": ""}
        await push(h, ENTERED, entered)
        await h.until(lambda: len(hellos(h, DIRECT, "notice.hello")) == 1, why="a greeting")
        await h.stop()
        await h.start()
        await push(h, ENTERED, entered)
        assert (await h.finished(await h.say("hello", chat=DIRECT))).status == "Done"
        assert len(hellos(h, DIRECT, "notice.hello")) == 1


async def test_a_menu_entry_is_asked_like_a_message_and_answered_in_the_direct_chat(home: Path) -> None:
    async with house(home) as h:
        who = {"operator_name": "Lin Wei", "operator_id": events.ids_of(LIN)}
        await push(h, MENU, {"operator": who, "event_key": "what is new?", "timestamp": h.sim.clock.now_ms() // 1000})
        answer = await h.until(lambda: [each for each in h.messages(DIRECT) if "what is new?" in each["text"]])
        assert len(answer) == 1
        await h.until(lambda: "You said: what is new?" in h.messages(DIRECT)[0]["text"], why="the answer")
        assert len(h.model.asked) == len(h.messages()) == 1


async def test_signs_on_messages_start_nothing_and_our_own_signs_make_no_loop(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma hello")
        answer = await h.finished(asked)
        h.sim.people.react(answer.last["message_id"], LIN, "THUMBSUP")
        h.sim.people.react(asked, LIN, "OK")
        await h.all_acked()
        assert len(h.model.asked) == 1 and len(h.messages()) == 1


async def test_a_mention_of_everybody_does_nothing(home: Path) -> None:
    async with house(home) as h:
        body = {"text": "@_all lunch is here"}
        await h.say("", content=body, msg_type="text", chat=GROUP)
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma hello"))).status == "Done"
        assert len(h.messages()) == 1


async def choose(h: House, entry: str) -> None:
    who = {"operator_name": "Lin Wei", "operator_id": events.ids_of(LIN)}
    await push(h, MENU, {"operator": who, "event_key": entry, "timestamp": h.sim.clock.now_ms() // 1000 + 1})


async def test_the_buttons_of_an_answer_to_a_menu_entry_work_also_while_no_chat_is_known(home: Path) -> None:
    async with house(home) as h:
        h.model.script([Say("So far "), Stall()])
        await choose(h, "what is new?")
        await h.until(lambda: "So far" in "".join(each["text"] for each in h.messages(DIRECT)))
        assert await h.press(Seen(h.messages(DIRECT)), "stop") == TEXTS["toast.stopping"]
        await h.until(lambda: "Stopped" in Seen(h.messages(DIRECT)).text)


async def test_a_menu_entry_goes_on_in_the_direct_chat_also_after_a_restart(home: Path) -> None:
    async with house(home) as h:
        assert (await h.finished(await h.say("my name is Ada", chat=DIRECT))).status == "Done"
        await h.stop()
        await h.start()
        await choose(h, "what is my name?")
        await h.until(lambda: len(h.model.asked) == 2)
        assert "Ada" in str(h.model.asked[1].body)


async def test_new_from_the_menu_begins_a_new_conversation_in_the_direct_chat(home: Path) -> None:
    async with house(home) as h:
        assert (await h.finished(await h.say("my name is Ada", chat=DIRECT))).status == "Done"
        await choose(h, "/new")
        assert (await h.finished(await h.say("who am I?", chat=DIRECT))).status == "Done"
        assert "Ada" not in str(h.model.asked[1].body)


async def test_people_of_other_organisations_are_not_greeted(home: Path) -> None:
    async with house(home) as h:
        entered = {"chat_id": DIRECT, "operator_id": events.ids_of(LIN), "operator_tenant_key": "foreign"}
        await push(h, ENTERED, entered)
        await asyncio.sleep(0.5)
        assert h.messages() == []
        await push(h, ENTERED, {**entered, "operator_tenant_key": ""})
        await h.until(lambda: len(hellos(h, DIRECT, "notice.hello")) == 1, why="a greeting")
        assert len(h.messages()) == 1
