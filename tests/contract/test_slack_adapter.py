"""What people do on Slack arrives once, in our words, and is acked only when it is stored."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from channels.cards.model import CardStatus
from channels.errors import NotSupported
from channels.events import (
    AttachmentHandle,
    CardAction,
    ChatEntered,
    Edited,
    InboundMessage,
    MembershipChanged,
    Reacted,
    Recalled,
    StopPressed,
    Toast,
)
from tests.contract.slack_adapter import BOT, CHANNEL, CHEN, DIRECT, LIN, bench, card, until, write


async def test_f07_a_mention_that_comes_twice_has_one_key() -> None:
    async with bench() as b:
        first = await b.asked("@niuma hello")
        assert len(b.inbox.items) == 2, "the platform sends two events"
        assert len({item.dedupe for item in b.inbox.items}) == 1
        assert all(isinstance(item, InboundMessage) and item.mentions_me for item in b.inbox.items)
        assert first.text == "hello"
        assert first.dedupe.key == first.message_id
        assert first.conversation.thread == first.message_id.split("/")[2], "in a channel a message begins a thread"


async def test_f05_a_redelivery_has_the_same_key() -> None:
    async with bench() as b:
        message = await b.asked("hi", chat=DIRECT)
        b.sim.redeliver("/".join(message.message_id.split("/")[1:]))
        await until(lambda: len(b.inbox.items) == 2)
        assert b.inbox.items[0].dedupe == b.inbox.items[1].dedupe


async def test_what_the_handler_refused_comes_again() -> None:
    async with bench(ack_within_s=0.3) as b:
        b.inbox.raises = RuntimeError("the database is away")
        b.sim.send(DIRECT, LIN, "hi")
        await until(lambda: len(b.inbox.items) == 1)
        b.inbox.raises = None
        b.sim.advance(70)
        await until(lambda: len(b.inbox.items) >= 2)
        assert b.inbox.items[0].dedupe == b.inbox.items[1].dedupe


async def test_f10_an_unknown_event_is_acked() -> None:
    async with bench(ack_within_s=0.3) as b:
        b.sim.push_event({"type": "emoji_changed", "subtype": "add", "name": "x", "event_ts": "1.2"})
        b.sim.push_event({"type": "message", "subtype": "message_changed", "channel": CHANNEL})
        await asyncio.sleep(0.8)
        sent = [e for e in b.sim.timeline.since() if e.kind == "out" and e.method not in ("hello", "disconnect")]
        assert b.inbox.items == []
        assert len(sent) == 2, "no redelivery, also not of one that cannot be read"


async def test_a_direct_chat_is_one_conversation_and_its_threads_are_others() -> None:
    async with bench() as b:
        message = await b.asked("hi", chat=DIRECT)
        assert (message.chat_kind, message.conversation.thread, message.mentions_me) == ("direct", None, False)
        ts = message.message_id.split("/")[2]
        reply = await b.asked("and?", chat=DIRECT, thread_ts=ts)
        assert reply.conversation.thread == ts
        assert reply.quoted_message_id == message.message_id


async def test_f30_a_reply_in_a_thread_is_delivered_without_a_mention() -> None:
    async with bench() as b:
        root = await b.asked("@niuma hello")
        ts = root.message_id.split("/")[2]
        reply = await b.asked("thanks", thread_ts=ts)
        assert (reply.chat_kind, reply.mentions_me, reply.conversation) == ("topic", False, root.conversation)
        wide = await b.asked("all of you", thread_ts=ts, broadcast=True)
        assert wide.conversation == root.conversation


async def test_f72_our_own_messages_never_come_in_and_other_bots_are_told_apart() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("changed"))
        await b.settled()
        assert all(item.sender is not None and item.sender.id == LIN for item in b.inbox.items)
        count = len(b.inbox.items)
        b.sim.push_event(
            {
                "type": "message",
                "subtype": "bot_message",
                "bot_id": "B0OTHER",
                "text": "deploy done",
                "ts": "1796000000.1",
            }
            | {"channel": CHANNEL, "channel_type": "channel", "username": "CI"}
        )
        await until(lambda: len(b.inbox.items) > count)
        other = b.inbox.items[-1]
        assert other.sender is not None and other.sender.is_bot and other.sender.name == "CI"


async def test_a_file_comes_with_its_words() -> None:
    async with bench() as b:
        b.sim.upload(DIRECT, LIN, "report.pdf", b"%PDF-1.7 data", text="what is in it?")
        await until(lambda: len(b.inbox.items) == 1)
        message = b.inbox.items[0]
        assert isinstance(message, InboundMessage)
        assert message.text == "what is in it?"
        (handle,) = message.attachments
        assert (handle.name, handle.kind, handle.size_bytes) == ("report.pdf", "file", 13)
        assert (await b.adapter.fetch(handle, max_bytes=1000)).content == b"%PDF-1.7 data"


async def test_edits_recalls_and_signs() -> None:
    async with bench() as b:
        message = await b.asked("helo", chat=DIRECT)
        name = "/".join(message.message_id.split("/")[1:])
        b.sim.edit(name, "hello &amp; more")
        b.sim.react(name, LIN, "thumbsup")
        b.sim.react(name, LIN, "thumbsup", removed=True)
        b.sim.delete(name)
        await until(lambda: len(b.inbox.items) >= 5)
        edited, on, off, recalled = b.inbox.items[1:5]
        assert isinstance(edited, Edited)
        assert edited.message_id == message.message_id
        assert isinstance(on, Reacted) and isinstance(off, Reacted)
        assert (on.sign, on.on, off.on, on.message_id) == ("thumbsup", True, False, message.message_id)
        assert isinstance(recalled, Recalled) and recalled.message_id == message.message_id
        assert recalled.conversation == message.conversation


async def test_a_link_that_unfolds_is_no_edit() -> None:
    async with bench() as b:
        words = {"type": "message", "user": LIN, "text": "see this", "ts": "1796000000.000100"}
        changed = {"type": "message", "subtype": "message_changed", "channel": DIRECT, "channel_type": "im"}
        b.sim.push_event(changed | {"message": {**words, "attachments": [{"title": "x"}]}, "previous_message": words})
        await b.settled()
        assert b.inbox.items == []


async def test_opening_the_chat_and_joining_a_channel() -> None:
    async with bench() as b:
        b.sim.open_home(LIN)
        await until(lambda: any(isinstance(item, ChatEntered) for item in b.inbox.items))
        b.sim.push_event({"type": "member_joined_channel", "user": BOT, "channel": CHANNEL, "inviter": CHEN})
        b.sim.push_event({"type": "member_joined_channel", "user": CHEN, "channel": CHANNEL, "inviter": LIN})
        await until(lambda: any(isinstance(item, MembershipChanged) for item in b.inbox.items))
        await b.settled()
        (joined,) = [item for item in b.inbox.items if isinstance(item, MembershipChanged)]
        assert joined.is_in and joined.sender is not None and joined.sender.id == CHEN


async def test_f28_the_platforms_own_stop_names_the_conversation_of_its_question() -> None:
    async with bench() as b:
        sink, opening, _ = await b.opened(chat=DIRECT)
        assert sink.mode == "stream"
        thread = b.answers()[-1]["thread_ts"]
        b.sim.stop_session(DIRECT, thread, LIN)
        await until(lambda: any(isinstance(item, StopPressed) for item in b.inbox.items))
        (stop,) = [item for item in b.inbox.items if isinstance(item, StopPressed)]
        assert stop.conversation == opening.conversation
        assert stop.sender is not None and stop.sender.id == LIN


async def test_f27_a_slash_command_is_answered_at_once_and_once() -> None:
    async with bench() as b:
        b.inbox.toast = Toast("info", "working on it")
        answer = await b.sim.command(CHANNEL, LIN, "/niuma", "weekly report <now>")
        (command,) = b.inbox.items
        assert isinstance(command, InboundMessage)
        assert command.is_command and command.text == "weekly report <now>"
        assert command.message_id == "" and command.conversation.thread is None
        assert "working on it" in str(answer) or any("working on it" in m["shown"] for m in b.ephemerals())
        sink, _, _ = await b.opened(message=command)
        await write(sink, card("the report"))
        shown = b.answers()[-1]
        assert "the report" in shown["shown"] and shown["thread_ts"] is None


@pytest.mark.parametrize("place", ["channel", "thread"])
async def test_a_press_comes_back_and_its_toast_is_seen_by_one(place: str) -> None:
    async with bench() as b:
        b.inbox.toast = Toast("success", "stopping <soon>")
        message = await b.asked("@niuma hello")
        sink, _, _ = await b.opened(card("working"), message=message)
        del sink
        shown = b.answers()[-1]
        button = next(block for block in shown["blocks"] if block["type"] == "actions")["elements"][0]
        await b.sim.click(shown["id"], LIN, button["action_id"])
        await until(lambda: isinstance(b.inbox.items[-1], CardAction))
        press = b.inbox.items[-1]
        assert isinstance(press, CardAction)
        assert press.conversation == message.conversation and press.value["do"] == "stop" and "at" not in press.value
        await until(lambda: bool(b.ephemerals()))
        told = b.ephemerals()[-1]
        assert told["ephemeral_to"] == LIN and "stopping <soon>" in told["shown"]


async def test_a_toast_is_beside_its_card_also_where_the_card_is_in_a_thread() -> None:
    async with bench() as b:
        b.inbox.toast = Toast("info", "noted")
        sink, opening, _ = await b.opened(chat=DIRECT)
        assert opening.conversation.thread is None
        await write(sink, card("the answer", CardStatus.DONE), final=True)
        shown = b.answers()[-1]
        button = next(block for block in shown["blocks"] if block["type"] == "actions")["elements"][0]
        await b.sim.click(shown["id"], LIN, button["action_id"])
        await until(lambda: bool(b.ephemerals()))
        press = b.inbox.items[-1]
        assert isinstance(press, CardAction) and press.conversation == opening.conversation
        assert b.ephemerals()[-1]["thread_ts"] == shown["thread_ts"] is not None


async def test_names_are_learnt_beside_the_work() -> None:
    async with bench() as b:
        await b.asked("hi", chat=DIRECT)
        await until(lambda: bool(b.calls("users.info")))
        await asyncio.sleep(0.1)
        later = await b.asked("hi again", chat=DIRECT)
        assert later.sender.name == "Lin Wei"
        await b.sim.command(CHANNEL, LIN, "/niuma", "by a command")
        await until(lambda: isinstance(b.inbox.items[-1], InboundMessage) and b.inbox.items[-1].is_command)
        sink, _, _ = await b.opened()
        await write(sink, card("an answer", CardStatus.DONE), final=True)
        shown = b.answers()[-1]
        button = next(block for block in shown["blocks"] if block["type"] == "actions")["elements"][0]
        await b.sim.click(shown["id"], LIN, button["action_id"])
        await until(lambda: isinstance(b.inbox.items[-1], CardAction))
        told = [item for item in b.inbox.items if isinstance(item, CardAction | InboundMessage)]
        assert [item.sender.name for item in told if isinstance(item, CardAction) or item.is_command] == ["Lin Wei"] * 2


async def test_a_thread_that_began_without_us_can_be_read() -> None:
    async with bench() as b:
        root: Any = b.sim.send(CHANNEL, CHEN, "the build is red")
        ts = root.message_id.partition("/")[2]
        await b.settled()
        reply = await b.asked("@niuma why?", thread_ts=ts)
        assert reply.quoted_message_id is not None
        (quote,) = await b.adapter.read(reply.quoted_message_id)
        assert quote.text == "the build is red" and not quote.by_us


async def test_signs_are_put_on_and_taken_off_and_never_raise() -> None:
    async with bench() as b:
        message = await b.asked("hi", chat=DIRECT)
        name = "/".join(message.message_id.split("/")[1:])
        for _ in range(2):
            await b.adapter.react(message.conversation, message.message_id, "working", on=True)
        assert b.sim.message(name)["reactions"]
        for _ in range(2):
            await b.adapter.react(message.conversation, message.message_id, "working", on=False)
        assert not b.sim.message(name)["reactions"]
        await b.adapter.react(message.conversation, "", "working", on=True)


async def test_a_file_that_lies_elsewhere_is_not_fetched_for_anybody() -> None:
    asked = list[str]()

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(text="what only this machine may read")

    inside = web.Application()
    inside.router.add_get("/secret", answer)
    async with bench() as b, TestServer(inside) as server:
        handle = AttachmentHandle("file", str(server.make_url("/secret")), "m", "plan.pdf")
        with pytest.raises(NotSupported):
            await b.adapter.fetch(handle, max_bytes=1000)
        assert asked == []
