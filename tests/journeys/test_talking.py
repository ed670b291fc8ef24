"""Asking and being answered: what counts as one question, whom it is for, and where the answer goes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gateway.texts.en import TEXTS
from gateway.texts.zh import TEXTS as ZH
from tests.journeys.house import CHEN, DIRECT, GROUP, LIN, TOPICS, house
from tests.journeys.scripted_model import Say, Until

POST = [
    [
        {"tag": "text", "text": "Look at "},
        {"tag": "a", "text": "the docs", "href": "https://docs.example.com/?x=1&y=2"},
        {"tag": "text", "text": " with "},
        {"tag": "at", "user_id": "@_user_2", "user_name": "Chen Yu"},
        {"tag": "code_block", "language": "PYTHON", "text": "if a < b:\n    print(1)"},
        {"tag": "md", "text": "**bold** words"},
        {"tag": "img", "image_key": "img_v3_x"},
    ],
    [{"tag": "text", "text": "second paragraph"}, {"tag": "hologram", "data": 7}],
]
IN_ORDER = [
    "Weekly",
    "Look at ",
    "[the docs](https://docs.example.com/?x=1&y=2)",
    "@Chen Yu",
    "```python\nif a < b:\n    print(1)\n```",
    "**bold** words",
    "\nsecond paragraph",
    "[hologram]",
]


async def test_an_answer_grows_on_one_card(home: Path) -> None:
    async with house(home) as h:
        more = asyncio.Event()
        h.model.script([Say("Half of "), Until(more), Say("the answer.")])
        asked = await h.say("@niuma how much?")
        growing = await h.sees(asked, lambda seen: "Half of" in seen.body)
        assert growing.looks_active and growing.buttons == ["stop"]
        more.set()
        answer = await h.finished(asked)
        assert (answer.body.strip(), answer.status, answer.title) == ("Half of the answer.", "Done", "how much?")
        assert len(h.messages()) == 1


@pytest.mark.parametrize("chat", [DIRECT, GROUP])
async def test_f01_a_rich_post_reaches_the_model_whole(home: Path, chat: str) -> None:
    async with house(home) as h:
        names = [("@_user_1", "ou_niuma", "niuma"), ("@_user_2", CHEN, "Chen Yu")]
        mentions = [{"key": key, "id": {"open_id": who}, "name": name} for key, who, name in names]
        to_me = [{"tag": "at", "user_id": "@_user_1", "user_name": "niuma"}, {"tag": "text", "text": " "}]
        body = {"title": "Weekly", "content": [to_me + POST[0], POST[1]]}
        h.sim.world.files["img_v3_x"] = ("image", b"\x89PNG\r\n\x1a\n")
        for shape in (body, {"zh_cn": body}):
            asked = await h.say("", chat=chat, msg_type="post", content=shape, mentions=mentions)
            assert (await h.finished(asked)).status == "Done"
        plain, localised = (asked.question for asked in h.model.asked)
        assert plain == localised and "lies in the workspace at received/image.png" in plain
        places = [plain.find(part) for part in IN_ORDER]
        assert -1 not in places and places == sorted(places), plain


async def test_f02_only_a_mention_of_the_bots_own_id_starts_a_run(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        for open_id, name in (("", "niuma"), ("ou_other_bot", "niuma")):
            mention = {"key": "@_user_1", "id": {"open_id": open_id}, "name": name}
            content = {"text": "@_user_1 hello"}
            await h.say("", msg_type="text", content=content, mentions=[mention])
        await h.say("", msg_type="text", content={"text": "@_all hello"}, mentions=[])
        meant = await h.say("@niuma hello")
        assert (await h.finished(meant)).status == "Done"
        await h.all_acked()
        assert len(h.messages()) == len(h.model.asked) == 1
        assert all(not each["reactions"] for each in h.sim.state()["messages"])


async def test_f02_while_the_own_id_is_unknown_nobody_is_answered_by_guesswork(home: Path) -> None:
    async with house(home, start=False) as h:
        h.sim.faults.add({"match": {"path": "/bot/v3/info"}, "action": {"status": 500, "code": 1}, "times": 1})
        await h.start(wait=False)
        await h.until(lambda: h.sim.sockets.count(h.sim.app_id), why="connected")
        await h.until(lambda: h.calls("/bot/v3/info"), why="asked who it is")
        early = await h.say("@niuma who are you?")
        status, red = await h.readyz()
        assert (status, red) == (503, {"channel:feishu:main": "identity_unknown"})
        assert h.seen(early) is None and not h.model.asked
        await h.until(h.is_ready, why="asked again until it works")
        assert (await h.finished(early)).status == "Done", "it waited for the id instead of being lost"
        assert (await h.finished(await h.say("@niuma and now?"))).status == "Done"
        assert len(h.model.asked) == 2


async def test_f05_one_message_is_one_run_however_often_it_is_delivered(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma ping")
        h.sim.redeliver(asked, new_event_id=False)
        h.sim.redeliver(asked)
        assert (await h.finished(asked)).status == "Done"
        h.sim.advance(240)
        h.sim.redeliver(asked)
        again = await h.say("@niuma ping")
        assert (await h.finished(again)).status == "Done"
        await h.all_acked()
        assert len(h.deliveries(asked)) == 4
        assert len(h.messages()) == 2
        assert [len(each.texts("user")) for each in h.model.asked] == [1, 2]


async def test_f06_a_message_redelivered_after_a_restart_gets_no_second_answer(home: Path) -> None:
    async with house(home) as h:
        asked = await h.say("@niuma once")
        before = await h.finished(asked)
        await h.stop()
        await h.start()
        h.sim.redeliver(asked)
        await h.until(lambda: len(h.deliveries(asked)) == 2)
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma twice"))).status == "Done"
        assert len(h.messages()) == 2
        assert h.now(before).text == before.text


async def test_f10_everything_is_acknowledged_long_before_the_model_is_done(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        done = asyncio.Event()
        h.model.script([Until(done), Say("at last")], for_ever=True)
        chats = [h.sim.add_chat(name, [LIN]) for name in "abc"]
        asked = [await h.say(f"@niuma in {chat}", chat=chat) for chat in chats]
        ignored = await h.say("no mention", chat=chats[0])
        await h.all_acked(within_s=2)
        h.sim.advance(20)
        done.set()
        for each in asked:
            assert (await h.finished(each)).body.strip() == "at last"
        assert [len(h.deliveries(each)) for each in (*asked, ignored)] == [1, 1, 1, 1]
        assert h.seen(ignored) is None


async def test_f11_two_bots_live_in_one_process(home: Path) -> None:
    async with house(home, start=False) as h:
        h.sim.add_app("cli_demo", "secret_demo", "niuma")
        second = h.sim.add_app("cli_second", "secret_second", "helper")
        account: dict[str, Any] = {"app_id": "cli_second", "app_secret": "secret_second", "domain": h.sim.url}
        h.settings |= {f"channels.feishu.second.{key}": value for key, value in account.items()}
        await h.start()
        theirs = h.sim.world.direct_chat(second.app_id, CHEN).chat_id
        mine, other = await h.say("for A", chat=DIRECT), await h.say("for B", chat=theirs, by=CHEN)
        for asked, name in ((mine, "niuma"), (other, "helper")):
            assert (await h.finished(asked)).last["sender"]["name"] == name
        await h.sim.drop("cli_second", "abort")
        assert (await h.finished(await h.say("A again", chat=DIRECT))).status == "Done"
        await h.until(h.is_ready, why="B is back")
        assert (await h.finished(await h.say("B again", chat=theirs, by=CHEN))).last["sender"]["name"] == "helper"


async def test_f17_without_a_mention_there_is_no_sign_at_all(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        unmeant = await h.say("just talking among ourselves")
        await h.all_acked()
        meant = await h.say("@niuma now you")
        assert (await h.finished(meant)).status == "Done"
        assert len(h.messages()) == len(h.model.asked) == 1
        assert h.sim.message(unmeant)["reactions"] == []
        assert not h.calls(unmeant)


async def test_f29_a_quote_is_no_topic_and_topics_share_nothing(home: Path) -> None:
    async with house(home) as h:
        first = await h.say("@niuma alpha")
        await h.finished(first)
        quote = await h.say("@niuma beta", reply_to=first)
        answer = await h.finished(quote)
        assert answer.last["thread_id"] is None
        topics = [await h.say(f"@niuma {word}", chat=TOPICS) for word in ("gamma", "delta")]
        for topic in topics:
            seen = await h.finished(topic)
            assert seen.last["thread_id"] == h.sim.message(topic)["thread_id"]
        beta, gamma, delta = (h.model.about(word)[0].texts("user") for word in ("beta", "gamma", "delta"))
        assert (gamma, delta) == (["gamma"], ["delta"])
        assert beta[0] == "alpha" and beta[1].endswith("beta") and "alpha" in beta[1]


async def test_f34_messages_sent_while_busy_wait_in_order_with_a_sign(home: Path) -> None:
    async with house(home) as h:
        done = asyncio.Event()
        h.model.script([Until(done), Say("answer to first")], when="first")
        words = ["first", "second", "third", "fourth"]
        asked = [await h.say(f"@niuma {words[0]}")]
        await h.sees(asked[0], lambda seen: seen.looks_active)
        asked += [await h.say(f"@niuma {word}", by=CHEN) for word in words[1:]]
        await h.until(lambda: all(h.sim.message(each)["reactions"] for each in asked[1:]), why="a sign on each")
        assert [h.seen(each) for each in asked[1:]] == [None, None, None]
        done.set()
        answers = [await h.finished(each) for each in asked]
        assert [word in answer.body for word, answer in zip(words, answers, strict=True)] == [True] * 4
        assert [each.question.rpartition("] ")[2] for each in h.model.asked] == words
        assert len(h.messages()) == 4
        await h.until(lambda: not any(h.sim.message(each)["reactions"] for each in asked), why="no sign left")


async def test_f72_bots_do_not_talk_to_each_other(home: Path) -> None:
    async with house(home, group_messages="all") as h:
        for open_id in ("ou_other_bot", "ou_niuma"):
            sender = {"sender_id": {"open_id": open_id}, "sender_type": "app", "tenant_key": "tenant_demo"}
            mention = {"key": "@_user_1", "id": {"open_id": "ou_niuma"}, "name": "niuma"}
            message = {"message_id": f"om_{open_id}", "chat_id": GROUP, "chat_type": "group", "message_type": "text"}
            told = {**message, "content": '{"text":"@_user_1 hi"}', "create_time": "1", "mentions": [mention]}
            h.sim.push_event("im.message.receive_v1", {"sender": sender, "message": told})
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma hi"))).status == "Done"
        assert len(h.messages()) == len(h.model.asked) == 1


async def test_an_unknown_kind_of_message_gets_one_short_notice(home: Path) -> None:
    async with house(home) as h:
        strange = await h.say("", chat=DIRECT, msg_type="sticker", content={"file_key": "v3_x"})
        told = await h.until(lambda: h.messages(DIRECT), why="a notice")
        assert told[0]["msg_type"] == "text" and "sticker" in told[0]["text"] and len(told[0]["text"]) < 120
        h.sim.redeliver(strange)
        await h.all_acked()
        assert (await h.finished(await h.say("words", chat=DIRECT))).status == "Done"
        assert len(h.messages(DIRECT)) == 2 and len(h.model.asked) == 1


async def test_a_bare_mention_is_told_how_to_ask(home: Path) -> None:
    async with house(home) as h:
        bare = await h.say("@niuma ")
        told = await h.until(lambda: h.messages(), why="a notice")
        assert told[0]["parent_id"] == bare and told[0]["text"] in (TEXTS["notice.empty"], ZH["notice.empty"])
        h.sim.redeliver(bare)
        await h.all_acked()
        assert (await h.finished(await h.say("@niuma words"))).status == "Done"
        assert len(h.messages()) == 2 and len(h.model.asked) == 1


async def test_a_chinese_question_is_answered_on_a_chinese_card(home: Path) -> None:
    async with house(home) as h:
        answer = await h.finished(await h.say("@niuma 今天有什么消息?"))
        assert (answer.status, answer.title) == (ZH["status.done"], "今天有什么消息?")
        assert "[" + ZH["button.satisfied"] + "]" in answer.text
        assert await h.press(answer, "satisfied") == ZH["toast.verdict"]
        await h.until(
            lambda: ZH["verdict.satisfied"].format(name="Lin Wei") in h.now(answer).body, why="the verdict on the card"
        )


async def test_rubbish_on_the_wire_is_acknowledged_and_disturbs_nobody(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(home) as h:
        done = asyncio.Event()
        h.model.script([Say("One, "), Until(done), Say("two.")])
        asked = await h.say("@niuma count")
        await h.sees(asked, lambda seen: "One" in seen.body)
        h.sim.push_event("im.message.receive_v1", {"sender": 7})
        h.sim.push_event("im.message.receive_v1", {"sender": {"sender_type": "user"}, "message": None})
        h.sim.push_event("card.action.trigger", {"operator": {}, "action": []})
        h.sim.push_event("never.heard.of_v9", {"x": 1})
        connection = h.sim.sockets.pick(h.sim.app_id)
        assert connection is not None
        await connection.socket.send_bytes(b"\xff\xfenot a frame")
        await h.all_acked()
        done.set()
        assert (await h.finished(asked)).body.strip() == "One, two."
        assert len(h.messages()) == 1 and await h.is_ready()
        assert len([each for each in caplog.records if "malformed" in each.getMessage()]) >= 3
