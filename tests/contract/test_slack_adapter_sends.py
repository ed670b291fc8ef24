"""What the Slack adapter sends beside live cards: finals as text, files, calls, commands' answers, signs of life."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from channels.base import CardOpening
from channels.cards.model import (
    Call,
    CardStatus,
)
from channels.errors import ChannelError, NotSupported
from channels.events import OutFile
from channels.testing.journal import MemoryJournal
from tests.contract.slack_adapter import CHEN, DIRECT, LIN, RUN, bench, card, until, write

DONE = CardStatus.DONE


async def test_a_final_goes_as_text_where_no_blocks_are_taken() -> None:
    async with bench() as b:
        refused = {"status": 200, "error": "invalid_blocks"}
        b.sim.faults.add({"match": {"path": "postMessage$"}, "action": refused})
        message = await b.asked()
        sent = await b.sent(message, card("the whole answer", DONE))
        assert sent.state is None and "the whole answer" in b.answers()[-1]["shown"]


async def test_a_command_where_we_are_no_member_is_answered_by_its_address() -> None:
    async with bench() as b:
        chat = b.sim.add_chat("elsewhere", [LIN, CHEN])
        b.sim.world.chats[chat].bots.clear()
        await b.sim.command(chat, LIN, "/niuma", "report")
        (command,) = b.inbox.items
        opening = CardOpening(command.conversation, RUN, 1, None, card(""))
        sink = await b.adapter.open_card(opening, MemoryJournal())
        assert sink.mode == "message" and not sink.plan(card("x"), final=False)
        journal = MemoryJournal()
        for known in (journal, journal.next_attempt()):
            await b.adapter.send_final(replace(opening, card=card("the report", DONE)), known)
        shown = [m for m in b.sim.state()["messages"] if "the report" in m["shown"]]
        assert len(shown) == 1 and not shown[0]["ephemeral_to"]


async def test_a_file_is_sent_once_by_three_calls() -> None:
    async with bench() as b:
        message, journal = await b.asked(), MemoryJournal()
        file = OutFile("plot.png", "image/png", b"\x89PNG data")
        for known in (journal, journal.next_attempt()):
            receipt = await b.adapter.send_file(
                message.conversation, file, known, reply_to=message.message_id, key="plot"
            )
            assert receipt.message_ids
        await until(lambda: any(m["files"] for m in b.answers()))
        (shown,) = [m for m in b.answers() if m["files"]]
        assert shown["thread_ts"] == message.conversation.thread and shown["files"][0]["name"] == "plot.png"
        assert journal.ran == ["file/plot/begin", "file/plot"]


async def test_a_lost_answer_to_the_last_of_the_three_calls_shares_no_second_file() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": "completeUploadExternal$"}, "action": {"lost_answer": True}})
        message = await b.asked()
        file = OutFile("plot.png", "image/png", b"PNG data")
        await b.adapter.send_file(message.conversation, file, MemoryJournal(), reply_to=None, key="plot")
        await b.settled()
        assert len([m for m in b.answers() if m["files"]]) == 1


async def test_a_call_rings_one_person() -> None:
    async with bench() as b:
        message = await b.asked()
        call = Call(CHEN, "end", "please <look>")
        for _ in range(2):
            await b.adapter.call(message.conversation, call, reply_to=message.message_id, key="c1")
        (shown,) = b.answers()
        assert shown["shown"] == "@Chen Yu please <look>"
        assert shown["thread_ts"] == message.conversation.thread
        with pytest.raises(NotSupported):
            await b.adapter.call(message.conversation, Call("!channel", "end", "x"), reply_to=None, key="c2")


async def test_f32_a_sign_in_page_is_no_file() -> None:
    async with bench(withheld_scopes=["files:read"]) as b:
        b.sim.upload(DIRECT, LIN, "screenshot.png", b"\x89PNG data", text="what is on this?")
        await until(lambda: len(b.inbox.items) == 1)
        (handle,) = b.inbox.items[0].attachments
        with pytest.raises(ChannelError) as refused:
            await b.adapter.fetch(handle, max_bytes=10_000)
        assert refused.value.code == "file_sign_in_page" and refused.value.advice == "file_scope_missing"


async def test_many_live_cards_show_life_by_the_threads_status() -> None:
    async with bench() as b:
        sinks = []
        for number in range(7):
            message = await b.asked(f"@niuma question {number}")
            opening = CardOpening(message.conversation, f"run{number}", 1, message.message_id, card(""))
            sinks.append(await b.adapter.open_card(opening, MemoryJournal()))
            b.sim.advance(2)
        used = await write(sinks[-1], card("text"))
        assert used[-1] == "assistant.threads.setStatus" and b.sim.state()["statuses"]
        assert "assistant.threads.setStatus" not in await write(sinks[-1], card("text more"))
        b.sim.faults.add({"match": {"path": "setStatus$"}, "action": {"status": 200, "error": "not_agent_app"}})
        await write(sinks[-2], card("text"))
        assert "assistant.threads.setStatus" not in await write(sinks[-3], card("text"))
        await asyncio.sleep(0)


async def test_a_file_of_a_direct_chat_lies_in_the_thread_of_the_answer() -> None:
    for streams, is_thread in (("direct", True), ("off", False)):
        async with bench(settings={"native_streams": streams}) as b:
            message = await b.asked(chat=DIRECT)
            file = OutFile("plot.png", "image/png", b"\x89PNG data")
            asked = message.message_id
            await b.adapter.send_file(message.conversation, file, MemoryJournal(), reply_to=asked, key="plot")
            await until(lambda b=b: any(m["files"] for m in b.answers()))
            (shown,) = [m for m in b.answers() if m["files"]]
            assert shown["thread_ts"] == (asked.partition("/")[2].rpartition("/")[2] if is_thread else None)
