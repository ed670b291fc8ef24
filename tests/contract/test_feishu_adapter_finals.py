"""How an answer ends on Feishu when its card cannot show it: as new messages, once; and what is left behind rests."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header, Note, Text
from channels.errors import ChannelError, DeliveryUnknown, MissingScope, Rejected
from channels.feishu.cards import render_card
from channels.feishu.history import History
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import GROUP, LIN, RUN, Bench, bench, card, until, write

DONE = CardStatus.DONE
CREATE, REPLY, SEND = r"/cardkit/v1/cards$", r"/im/v1/messages/[^/]+/reply$", r"/im/v1/messages$"
LONG = "\n\n".join(f"paragraph {n}: " + "word " * 60 for n in range(110))
BELOW = Card(Header("question", DONE, "done"), (Note("n", "The answer is below."),))


def refuse(b: Bench, path: str, code: int, times: int = -1, *, method: str = "", **more: Any) -> None:
    match = {"path": path} | ({"method": method} if method else {})
    b.sim.faults.add({"match": match, "action": {"status": 400, "code": code, **more}, "times": times})


async def killed(b: Bench, opening: CardOpening, lost: str) -> MemoryJournal:
    journal = MemoryJournal()
    journal.lose.add(lost)
    with pytest.raises(asyncio.CancelledError):
        await b.adapter.send_final(opening, journal)
    return journal.next_attempt()


async def final_of(b: Bench, text: str) -> CardOpening:
    message = await b.asked()
    return CardOpening(message.conversation, RUN, 1, message.message_id, card(text, DONE))


async def test_a_text_whose_record_was_lost_is_looked_for_before_it_is_sent_again() -> None:
    async with bench() as b:
        refuse(b, CREATE, 99991672)
        opening = await final_of(b, "the whole answer")
        journal = await killed(b, opening, "final/send/0")
        b.sim.advance(7200)
        sent = await b.adapter.send_final(replace(opening, attempt=2), journal)
        (answer,) = b.answers()
        assert answer["msg_type"] == "text"
        assert sent.receipt.message_ids == (answer["message_id"],)
        assert sent.state is None


async def test_the_same_words_of_another_run_are_not_taken_for_ours() -> None:
    async with bench() as b:
        refuse(b, CREATE, 99991672)
        mine, other = await final_of(b, "pong"), replace(await final_of(b, "pong"), run=RUN[::-1])
        refuse(b, REPLY, 230035, 1)
        journal = MemoryJournal()
        with pytest.raises(Rejected):
            await b.adapter.send_final(mine, journal)
        assert "final/begin/0" in journal.rows
        await b.adapter.send_final(other, MemoryJournal())
        await b.adapter.send_final(replace(mine, attempt=2), journal.next_attempt())
        assert {answer["parent_id"] for answer in b.answers()} == {mine.reply_to, other.reply_to}


async def test_where_the_history_cannot_be_read_nothing_is_repeated_blindly() -> None:
    async with bench() as b:
        refuse(b, CREATE, 99991672)
        opening = await final_of(b, "the whole answer")
        journal = await killed(b, opening, "final/send/0")
        b.sim.advance(7200)
        refuse(b, SEND, 230027, 1, method="GET", msg="im:message.group_msg")
        with pytest.raises(MissingScope):
            await b.adapter.send_final(replace(opening, attempt=2), journal)
        await b.adapter.send_final(replace(opening, attempt=3), journal.next_attempt())
        assert len(b.answers()) == 1


async def test_a_card_whose_record_was_lost_is_looked_for_where_the_platform_would_take_it_twice() -> None:
    async with bench(entity_sent_twice="allow") as b:
        opening = await final_of(b, "the whole answer")
        journal = await killed(b, opening, "final/send/0")
        b.sim.advance(7200)
        await b.adapter.send_final(replace(opening, attempt=2), journal)
        assert len(b.answers()) == 1


async def test_a_new_card_that_is_refused_was_not_sent_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the conversation is: it was made in this moment, so its refusal is one."""

    async def unread(*_: object) -> None:
        raise DeliveryUnknown("not in time")

    monkeypatch.setattr(History, "find_card", unread)
    async with bench() as b:
        refuse(b, REPLY, 230099, 1, msg="ErrCode: 11310")
        opening = await final_of(b, "the whole answer")
        await b.adapter.send_final(opening, MemoryJournal())
        assert [answer["msg_type"] for answer in b.answers()] == ["text"]


@pytest.mark.parametrize("code", [230001, 230011, 230110])
async def test_a_reply_to_nothing_goes_to_the_conversation_once(code: int) -> None:
    async with bench() as b:
        refuse(b, REPLY, code)
        opening = await final_of(b, "the whole answer")
        await b.adapter.open_card(replace(opening, card=card("")), MemoryJournal())
        await b.adapter.send_final(opening, MemoryJournal())
        assert [answer["parent_id"] for answer in b.answers()] == [None, None]
        assert len([each for each in b.calls("/reply") if each.code]) == 2


async def test_a_request_that_is_wrong_in_itself_is_tried_without_its_question_only_once() -> None:
    async with bench() as b:
        refuse(b, REPLY, 230001)
        refuse(b, SEND, 230001, method="POST")
        opening = await final_of(b, "the whole answer")
        with pytest.raises(ChannelError):
            await b.adapter.send_final(opening, MemoryJournal())
        assert len([each for each in b.calls("/im/v1/messages") if each.code == 230001]) == 2


async def test_a_final_as_cards_can_be_pressed_and_changed() -> None:
    async with bench() as b:
        opening = await final_of(b, LONG)
        journal = MemoryJournal()
        sent = await b.adapter.send_final(opening, journal)
        assert sent.state is not None
        assert "[Retry]" in b.answers()[-1]["text"]
        before = len(b.answers())
        sink = b.adapter.reopen_card(replace(opening, attempt=2), sent.state, journal.next_attempt())
        judged = replace(opening.card, actions=(), blocks=(*opening.card.blocks, Note("v", "Lin is content", "info")))
        while not sink.shows(judged):
            await write(sink, judged, final=True)
        assert len(b.answers()) == before
        assert "Lin is content" in b.answers()[-1]["text"]
        assert "[Retry]" not in b.answers()[-1]["text"]


async def test_a_card_that_takes_no_new_contents_loses_at_least_its_button_and_its_spinner() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(card("half of"))
        assert "[Stop]" in b.answers()[0]["text"]
        refuse(b, r"/cards/\d+$", 10002, method="PUT")
        guard = MemoryJournal().guard
        left = await leave_quiet(sink, BELOW, pacer=b.adapter.pacer, guard=guard, within_s=5)
        (answer,) = b.answers()
        assert left == "status"
        assert "[Stop]" not in answer["text"]
        assert answer["card_state"]["streaming"] is False


async def test_what_cannot_be_left_at_rest_is_told() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(card("half of"))
        refuse(b, r"/cardkit/v1/cards/", 200750)
        guard = MemoryJournal().guard
        assert await leave_quiet(sink, BELOW, pacer=b.adapter.pacer, guard=guard, within_s=5) == "active"
        assert len([each for each in b.calls("/cardkit/v1/cards/") if each.code]) <= 3


async def test_a_picture_whose_key_was_made_up_does_not_cost_the_card() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        text = "Before ![the chart](img_v3_0a1b2c) and ![](img_x) after."
        await write(sink, card(text))
        while not sink.shows(card(text, DONE)):
            await write(sink, card(text, DONE), final=True)
        assert "Before the chart and img_x after." in b.answers()[0]["text"]
        assert not [each for each in b.calls("/open-apis/") if each.code]


FAMILY = "👨‍👩‍👧‍👦"


def test_the_line_in_the_list_of_chats_is_cut_between_characters() -> None:
    page = render_card(Card(Header("q", DONE), (Text("t", "x"),), summary="x" * 98 + FAMILY * 3))[0]
    assert page.summary == "x" * 98 + FAMILY + "…"


async def test_a_press_on_a_final_card_reaches_us() -> None:
    async with bench() as b:
        opening = await final_of(b, "the whole answer")
        await b.adapter.send_final(opening, MemoryJournal())
        before = len(b.inbox.items)
        await b.sim.click(b.answers()[0]["message_id"], LIN, opening.card.actions[0].value())
        await until(lambda: len(b.inbox.items) > before)
        assert b.answers()[0]["chat_id"] == GROUP
