"""What people send, from the simulator's wire to our own words; what is acknowledged, and when."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from channels.errors import NotSupported
from channels.events import InboundMessage
from tests.contract.dingtalk_adapter import CHEN, DIRECT, GROUP, LIN, Bench, bench, until

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def acks(b: Bench) -> list[dict[str, Any]]:
    """Give the acknowledgements of pushes that the platform got."""
    found = [entry.body for entry in b.sim.timeline.since() if entry.kind == "in"]
    bodies = [json.loads(each) if isinstance(each, str) else each for each in found]
    return [each for each in bodies if isinstance(each, dict) and "response" in str(each.get("data"))]


async def test_a_mention_in_a_group() -> None:
    async with bench() as b:
        message = await b.asked("@niuma hello there")
        assert (message.text, message.mentions_me, message.chat_kind) == ("hello there", True, "group")
        assert message.conversation.chat == f"group.{GROUP}"
        assert message.sender.id == LIN and message.sender.tenant == message.conversation.tenant


async def test_a_single_chat_is_told_by_its_type_and_not_by_its_id() -> None:
    async with bench() as b:
        message = await b.asked("hello", chat=DIRECT)
        assert (message.chat_kind, message.conversation.chat) == ("direct", f"user.{LIN}")


async def test_f04_no_message_type_is_dropped_without_a_word() -> None:
    async with bench() as b:
        picture = b.sim.upload("p.png", PNG, "image")
        document = b.sim.upload("a.pdf", b"%PDF-1.7", "file")
        parts = [{"text": "look "}, {"file_id": picture, "type": "picture"}, {"text": "what is it"}]
        rich = await b.asked("", chat=DIRECT, msg_type="richText", parts=parts)
        assert [each.kind for each in rich.attachments] == ["image"]
        assert rich.text.split("\n") == ["look ", "what is it"]
        lone = await b.asked("", chat=DIRECT, msg_type="picture", file=picture)
        assert [each.kind for each in lone.attachments] == ["image"] and lone.text == ""
        paper = await b.asked("", chat=DIRECT, msg_type="file", file=document)
        assert [(each.kind, each.name) for each in paper.attachments] == [("file", "a.pdf")]
        strange = await b.asked("", chat=DIRECT, msg_type="unknownMsgType", content={"unknownMsgType": "dance"})
        assert strange.unsupported == "dance"
        await until(lambda: len(acks(b)) == 4)


async def test_spoken_words_come_as_text() -> None:
    async with bench() as b:
        voice = b.sim.upload("v.amr", b"#!AMR", "voice")
        content = {"recognition": "good morning", "duration": 4000}
        heard = await b.asked("", chat=DIRECT, msg_type="audio", file=voice, content=content)
        assert (heard.text, heard.attachments) == ("good morning", ())
        mute = await b.asked("", chat=DIRECT, msg_type="audio", file=voice, content={"duration": 4000})
        assert [each.kind for each in mute.attachments] == ["audio"]


async def test_a_quote_is_read_from_what_came_with_it() -> None:
    async with bench() as b:
        first = await b.asked("the first thing", chat=DIRECT)
        message = await b.asked("what about this?", chat=DIRECT, quote=first.message_id)
        assert message.text == "what about this?"
        assert message.quoted_message_id is not None
        (quote,) = await b.adapter.read(message.quoted_message_id)
        assert (quote.text, quote.by_us) == ("the first thing", False)
        with pytest.raises(NotSupported):
            await b.adapter.read("msg of another day")


async def test_f05_a_message_that_is_pushed_again_has_the_same_key() -> None:
    async with bench() as b:
        first = await b.asked("once")
        b.sim.redeliver(first.message_id)
        await until(lambda: len(b.inbox.items) == 2)
        again = b.inbox.items[-1]
        assert isinstance(again, InboundMessage) and again.dedupe == first.dedupe
        assert (await b.asked("once")).dedupe != first.dedupe


async def test_f10_a_message_is_acknowledged_when_it_is_stored_and_not_before() -> None:
    async with bench() as b:
        b.inbox.gate = asyncio.Event()
        await b.asked("wait")
        await asyncio.sleep(0.05)
        assert acks(b) == []
        b.inbox.gate.set()
        await until(lambda: len(acks(b)) == 1)
        assert acks(b)[0]["code"] == 200


async def test_what_could_not_be_stored_is_pushed_again() -> None:
    async with bench(redeliver_after_s=0.3) as b:
        b.inbox.raises = RuntimeError("the disk is full")
        first = await b.asked("please keep")
        b.inbox.raises = None
        await until(lambda: len(b.inbox.items) >= 2)
        again = b.inbox.items[-1]
        assert isinstance(again, InboundMessage) and again.dedupe == first.dedupe
        await until(lambda: len(acks(b)) == 1)


async def test_a_month_without_messages_left_is_told_by_the_health() -> None:
    async with bench(monthly_messages=1) as b:
        await b.asked("the last one")
        b.sim.send(GROUP, LIN, "@niuma nobody hears this")
        await until(lambda: not b.adapter.health().ok)
        assert (b.adapter.health().code, len(b.inbox.items)) == ("quota_used_up", 1)
        assert b.adapter.health().advice == "quota_used_up"
        await until(lambda: len(acks(b)) == 2)


async def test_f35_each_conversation_has_an_address_of_its_own() -> None:
    async with bench() as b:
        other = b.sim.add_chat("Another team", [LIN, CHEN])
        messages = [await b.asked("@niuma hi", chat=chat) for chat in (GROUP, other)]
        messages.append(await b.asked("hi", chat=DIRECT))
        assert len({str(each.conversation) for each in messages}) == 3


async def test_f33_a_burst_of_pictures_arrives_whole() -> None:
    async with bench() as b:
        picture = b.sim.upload("p.png", PNG, "image")
        for _ in range(9):
            b.sim.send(DIRECT, LIN, "", msg_type="picture", file=picture)
        await until(lambda: len(b.inbox.items) == 9)
        await until(lambda: len(acks(b)) == 9)


async def test_what_nobody_can_read_is_acknowledged_and_harms_nothing() -> None:
    async with bench() as b:
        b.sim.push_event("chat_update_title", {"x": 1})
        await b.asked("still here")


async def test_f11_a_message_for_two_robots_has_a_key_for_each() -> None:
    from channels.dingtalk.inbound import Heard, parse_message

    body = {"msgId": "m1", "conversationId": "c1", "conversationType": "2", "senderId": "s", "msgtype": "text"}
    keys = [parse_message("main", {**body, "robotCode": code}, 1) for code in ("a", "b")]
    assert isinstance(keys[0], Heard) and isinstance(keys[1], Heard)
    assert keys[0].message.dedupe != keys[1].message.dedupe


async def test_files_are_fetched_by_their_code_and_not_beyond_their_limit() -> None:
    from channels.errors import TooLong

    async with bench() as b:
        picture = b.sim.upload("p.png", PNG, "image")
        message = await b.asked("", chat=DIRECT, msg_type="picture", file=picture)
        fetched = await b.adapter.fetch(message.attachments[0], max_bytes=1000)
        assert fetched.content == PNG
        with pytest.raises(TooLong):
            await b.adapter.fetch(message.attachments[0], max_bytes=5)
