"""Without a card template: a sign at once, links for buttons, one message at the end."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.model import Action, Card, CardStatus, Header, Note, Text
from channels.cards.stream import CardStream
from channels.dingtalk.adapter import Adapter
from channels.dingtalk.plain import PlainSink
from channels.errors import ChannelError, DeliveryUnknown, NotDispatched, NotSupported, Rejected
from channels.events import ConversationRef, InboundMessage, OutFile
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.dingtalk_adapter import DIRECT, GROUP, LIN, RUN, bench, card, settings_for, until, write

PLAIN = {"card_template_id": ""}
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


def last_card(text: str = "the whole answer", status: CardStatus = CardStatus.DONE) -> Card:
    return card(text, status)


def opening_for(message: InboundMessage, last: Card) -> CardOpening:
    return CardOpening(message.conversation, RUN, 1, message.message_id, last)


async def owned() -> None:
    return None


async def test_it_says_so_in_its_capabilities() -> None:
    async with bench(settings=PLAIN) as b:
        assert not b.adapter.capabilities.can_update_cards
        assert not b.adapter.capabilities.can_press_buttons


async def test_a_message_gets_a_sign_at_once_and_loses_it_again() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked("hello", chat=DIRECT)
        await b.adapter.react(message.conversation, message.message_id, "working", on=True)
        shown = next(m for m in b.sim.state()["messages"] if m["id"] == message.message_id)
        assert len(shown["emotions"]) == 1
        await b.adapter.react(message.conversation, message.message_id, "working", on=False)
        assert b.sim.message(message.message_id)["emotions"] == []


async def test_a_refused_sign_is_tried_three_times_and_harms_nothing() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked("hello")
        b.sim.faults.add(
            {"match": {"path": "emotion"}, "action": {"status": 400, "code": "resource.not.found"}, "times": -1}
        )
        await b.adapter.react(message.conversation, message.message_id, "queued", on=True)
        assert len(b.calls("emotion/reply")) == 3


async def test_the_answer_comes_as_one_message_through_the_session() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked()
        sink = await b.adapter.open_card(opening_for(message, card("")), MemoryJournal())
        assert isinstance(sink, PlainSink)
        assert list(sink.plan(card("Hello"), final=False)) == []
        stream = CardStream(sink, pacer=b.adapter.pacer, guard=owned, clock=b.adapter.pacer.clock)
        closed = await stream.close(last_card(), within_s=2)
        assert not closed.seen and closed.permanent, "the gateway sends it as a message"
        sent = await b.adapter.send_final(opening_for(message, last_card()), MemoryJournal())
        (shown,) = b.answers()
        assert "the whole answer" in shown["text"] and sent.state is None
        assert b.calls("groupMessages/send") == [] == b.calls("createAndDeliver")
        (call,) = b.calls("sendBySession")
        assert call.body["at"]["atUserIds"] == [LIN] and f"@{LIN}" in call.body["markdown"]["text"]


@pytest.mark.parametrize(("chat", "path"), [(GROUP, "groupMessages/send"), (DIRECT, "oToMessages/batchSend")])
async def test_f41_an_answer_after_the_session_goes_by_the_robots_own_calls(chat: str, path: str) -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked(chat=chat)
        session = b.adapter._sessions.of_message(message.message_id)  # pyright: ignore[reportPrivateUsage]
        assert session is not None
        b.sim.advance(6 * 3600)
        # Our own clock did not move: the platform refuses the address, and that is found out.
        await b.adapter.send_final(opening_for(message, last_card()), MemoryJournal())
        assert len(b.calls("sendBySession")) == 1 and len(b.calls(path)) == 1
        await b.adapter.send_notice(message.conversation, "later", reply_to=message.message_id, key="k")
        assert len(b.calls("sendBySession")) == 1, "a refused address is not tried again"
        assert [m["chat_id"] for m in b.answers()] == [chat, chat]


async def test_a_push_needs_no_message_before() -> None:
    async with bench(settings=PLAIN) as b:
        for number, where in enumerate((f"user.{LIN}", f"group.{GROUP}", LIN)):
            place = ConversationRef("dingtalk", "main", "corp", where)
            receipt = await b.adapter.send_notice(place, f"news {number}", reply_to=None, key=f"n{number}")
            assert receipt.message_ids
        assert [m["chat_id"] for m in b.answers()] == [DIRECT, GROUP, DIRECT]


async def test_a_person_whom_the_platform_does_not_know_is_an_error() -> None:
    async with bench(settings=PLAIN) as b:
        nobody = ConversationRef("dingtalk", "main", "corp", "user.nobody")
        with pytest.raises(Rejected):
            await b.adapter.send_notice(nobody, "hello?", reply_to=None, key="n")


async def test_a_question_is_asked_at_once_with_links_that_send_commands() -> None:
    async with bench(settings=PLAIN) as b:
        sink, _, _ = await b.opened()
        ask = tuple(Action(name, name.title(), RUN, "appr1", audience=LIN) for name in ("approve", "deny"))
        waiting = Card(Header("question", CardStatus.WAITING, "may I?"), (Note("n", "rm -rf build"),), ask)
        assert await write(sink, waiting) == ["message.webhook"]
        (shown,) = b.answers()
        assert "rm -rf build" in shown["text"]
        (call,) = b.calls("sendBySession")
        links = [each["actionURL"] for each in call.body["actionCard"]["btns"]]
        assert list(sink.plan(waiting, final=False)) == [], "once"
        b.sim.press_link(GROUP, LIN, links[0])
        await until(lambda: len(b.inbox.items) == 2)
        typed = b.inbox.items[-1]
        assert isinstance(typed, InboundMessage) and typed.text == f"/approve {RUN[-8:]}"


async def test_a_long_run_is_told_with_a_way_to_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("channels.dingtalk.plain.EARLY_S", 0.0)
    async with bench(settings=PLAIN) as b:
        sink, _, _ = await b.opened()
        assert await write(sink, card("working on it")) == ["message.webhook"]
        (call,) = b.calls("sendBySession")
        (button,) = call.body["actionCard"]["btns"]
        assert button["actionURL"].endswith("content=%2Fstop%20" + RUN[-8:])


async def test_a_way_to_stop_that_may_have_arrived_does_not_come_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("channels.dingtalk.plain.EARLY_S", 0.0)
    async with bench(settings=PLAIN) as b:
        sink, _, _ = await b.opened()
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"lost_answer": True}, "times": 1})
        assert await write(sink, card("working on it")) == ["message.webhook"]
        assert await write(sink, card("working on it still")) == []
        assert len(b.calls("sendBySession")) == 1


async def test_an_answer_that_may_have_arrived_stays_owed_and_is_not_doubled() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked()
        journal = MemoryJournal()
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": {"lost_answer": True}, "times": 1})
        for attempt in (journal, journal.next_attempt(), journal.next_attempt()):
            with pytest.raises(DeliveryUnknown):
                await b.adapter.send_final(opening_for(message, last_card()), attempt)
        assert len(b.answers()) == 1


@pytest.mark.parametrize(
    "action",
    [{"status": 500, "code": "system.busy"}, {"status": 403, "code": "Forbidden.AccessDenied.IpNotInWhiteList"}],
)
async def test_an_answer_that_was_surely_not_sent_is_sent_later(action: dict[str, Any]) -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked()
        attempt = MemoryJournal()
        b.sim.faults.add({"match": {"path": "sendBySession"}, "action": action, "times": 4})
        for _ in range(6):
            with suppress(ChannelError):
                await b.adapter.send_final(opening_for(message, last_card()), attempt)
            attempt = attempt.next_attempt()
        assert len(b.answers()) == 1


async def test_a_platform_that_cannot_be_reached_gets_the_answer_later() -> None:
    async with bench(settings={**PLAIN, "api_base": "http://127.0.0.1:9"}, wait=False) as b:
        place = ConversationRef("dingtalk", "main", "corp", f"user.{LIN}")
        opening, journal = CardOpening(place, RUN, 1, None, last_card()), MemoryJournal()
        for attempt in (journal, journal.next_attempt()):
            with pytest.raises(NotDispatched):
                await b.adapter.send_final(opening, attempt)
        again = Adapter(settings_for(b.sim, **PLAIN), SystemClock())
        await again.start(b.inbox)
        await again.send_final(opening, journal.next_attempt())
        await again.stop()
        assert len(b.answers()) == 1


async def test_a_file_whose_answer_was_lost_is_not_sent_twice() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked(chat=DIRECT)
        journal = MemoryJournal()
        b.sim.faults.add({"match": {"path": "batchSend"}, "action": {"lost_answer": True}, "times": 1})
        for attempt in (journal, journal.next_attempt()):
            with pytest.raises(DeliveryUnknown):
                file = OutFile("report.pdf", "application/pdf", b"%PDF")
                await b.adapter.send_file(message.conversation, file, attempt, reply_to=None, key="f")
        assert len(b.answers()) == 1


async def test_a_failed_run_has_a_link_to_ask_again() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked()
        await b.adapter.send_final(opening_for(message, card("no luck", CardStatus.FAILED)), MemoryJournal())
        (call,) = b.calls("sendBySession")
        assert f"sendMessage?content=%2Fretry%20{RUN[-8:]}" in call.body["markdown"]["text"]


async def test_f22_a_long_answer_arrives_complete_in_messages() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked()
        sentences = [f"第{number}句话，说明一些内容。" for number in range(1500)]
        text = "\n\n".join(sentences)
        answer = Card(Header("q", CardStatus.DONE), (Text("t", text),))
        b.sim.advance(6 * 3600)
        await b.adapter.send_final(opening_for(message, answer), MemoryJournal())
        visible = "\n\n".join(m["text"] for m in b.answers())
        assert [visible.count(each) for each in sentences] == [1] * len(sentences)
        calls = [call for call in b.calls("groupMessages/send") if not call.code]
        assert all(len(call.body["msgParam"].encode()) <= 15_000 for call in calls)


async def test_files_and_pictures_go_out_once() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked(chat=DIRECT)
        journal = MemoryJournal()
        for number, file in enumerate(
            (OutFile("chart.png", "image/png", PNG), OutFile("report.pdf", "application/pdf", b"%PDF"))
        ):
            where = message.conversation
            await b.adapter.send_file(where, file, journal, reply_to=message.message_id, key=f"f{number}")
            again = journal.next_attempt()
            await b.adapter.send_file(where, file, again, reply_to=None, key=f"f{number}")
        assert [path for path in journal.ran if path.count("/") == 1] == ["file/f0", "file/f1"]
        keys = [call.body["msgKey"] for call in b.calls("oToMessages/batchSend")]
        assert keys == ["sampleImageMsg", "sampleFile"]


async def test_a_file_the_platform_does_not_take_is_told_with_its_reason() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked(chat=DIRECT)
        with pytest.raises(NotSupported, match=r"\.csv"):
            file = OutFile("a.csv", "text/csv", b"1,2")
            await b.adapter.send_file(message.conversation, file, MemoryJournal(), reply_to=None, key="f")
        assert b.calls("media/upload") == []


async def test_a_guest_is_answered_in_their_session_only() -> None:
    async with bench() as b:
        guest = ConversationRef("dingtalk", "main", "corp", "guest.cidx")
        with pytest.raises(Rejected) as raised:
            await b.adapter.send_notice(guest, "hello", reply_to=None, key="n")
        assert raised.value.code == "session_over"


async def test_the_sign_of_work_is_on_at_once_and_off_with_the_answer() -> None:
    async with bench(settings=PLAIN) as b:
        message = await b.asked(chat=DIRECT)
        await b.adapter.open_card(opening_for(message, card("")), MemoryJournal())
        await until(lambda: bool(b.sim.message(message.message_id)["emotions"]))
        await b.adapter.send_final(opening_for(message, last_card()), MemoryJournal())
        await until(lambda: b.sim.message(message.message_id)["emotions"] == [])
