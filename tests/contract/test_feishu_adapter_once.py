"""An answer is never shown twice and never lost, whatever is refused, late or unanswered on the way."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus, Table
from channels.cards.stream import CardStream, Closed
from channels.errors import ChannelError, Rejected
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.feishu_adapter import RUN, Bench, bench, card, until, write

DONE = CardStatus.DONE
CREATE, REPLY, LIST = r"/cardkit/v1/cards$", r"/im/v1/messages/[^/]+/reply$", r"/im/v1/messages$"
NEW_UUID = {"repeat_uuid": "new_code"}


def fault(b: Bench, path: str, times: int = 1, *, method: str = "", skip: int = 0, **action: Any) -> None:
    match = {"path": path} | ({"method": method} if method else {})
    b.sim.faults.add({"match": match, "action": action, "times": times, "skip": skip})


def refuse(b: Bench, path: str, code: int, times: int = 1, **more: Any) -> None:
    fault(b, path, times, status=400, code=code, **more)


async def crashed(b: Bench, lost: str = "open/send") -> tuple[CardOpening, MemoryJournal]:
    """Open a card, and lose what was done before it is recorded; gives the next owner's view."""
    message = await b.asked()
    journal = MemoryJournal()
    journal.lose.add(lost)
    with pytest.raises(asyncio.CancelledError):
        await b.adapter.open_card(CardOpening(message.conversation, RUN, 1, message.message_id, card("x")), journal)
    again = CardOpening(message.conversation, RUN, 2, message.message_id, card("x"))
    return again, journal.next_attempt()


async def opened_at_last(b: Bench, opening: CardOpening, journal: MemoryJournal) -> Any:
    """Try until it opens, as the host does."""
    for _ in range(5):
        try:
            return await b.adapter.open_card(opening, journal)
        except ChannelError as error:
            assert error.works_again, error
    raise AssertionError("never opened")


async def closed(b: Bench, sink: Any, text: str) -> Closed:
    stream = CardStream(sink, pacer=b.adapter.pacer, guard=MemoryJournal().guard, clock=SystemClock())
    return await stream.close(card(text, DONE), within_s=15)


def shown(b: Bench, text: str) -> int:
    return sum(answer["text"].count(text) for answer in b.answers())


# Found again.

SUSPECTS = {
    "history refused for pace": lambda b: fault(b, LIST, 2, method="GET", status=429, code=99991400),
    "history lost": lambda b: fault(b, LIST, 1, method="GET", lost_answer=True),
    "history late": lambda b: fault(b, LIST, 1, method="GET", delay_s=0.5),
    "history not allowed": lambda b: refuse(b, LIST, 230027, -1, method="GET"),
    "message of the card not told": lambda b: fault(b, r"/id_convert$", 1, lost_answer=True),
    "reply refused for pace": lambda b: refuse(b, REPLY, 230020),
    "reply lost": lambda b: fault(b, REPLY, 1, lost_answer=True),
    "reply cut": lambda b: fault(b, REPLY, 2, drop=True),
    "first write lost": lambda b: fault(b, r"/cards/\d+$", 1, method="PUT", lost_answer=True),
    "first write refused for pace": lambda b: fault(b, r"/cards/\d+$", 1, method="PUT", status=429, code=99991400),
    "first write refused": lambda b: refuse(b, r"/cards/\d+$", 300120, method="PUT"),
    "settings late": lambda b: fault(b, r"/settings$", 2, delay_s=0.3),
}


@pytest.mark.parametrize("modes", [NEW_UUID, {"entity_sent_twice": "allow"}, {}], ids=str)
@pytest.mark.parametrize("what", SUSPECTS)
async def test_a_card_is_found_again_and_the_answer_shown_once(what: str, modes: dict[str, Any]) -> None:
    async with bench(settings={"request_timeout_s": 2}, **modes) as b:
        opening, journal = await crashed(b)
        SUSPECTS[what](b)
        sink = await opened_at_last(b, opening, journal)
        end = await closed(b, sink, "the whole answer")
        assert end.seen, end
        assert (len(b.answers()), shown(b, "the whole answer")) == (1, 1)


async def test_an_opening_that_is_tried_again_goes_on_where_it_was() -> None:
    async with bench() as b:
        message = await b.asked()
        refuse(b, REPLY, 230020, 6)
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, card("x"))
        journal = MemoryJournal()
        with pytest.raises(ChannelError):
            await b.adapter.open_card(opening, journal)
        end = await closed(b, await opened_at_last(b, opening, journal), "whole")
        assert end.seen
        assert len(b.answers()) == 1
        assert journal.ran.count("open/entity") == 1


async def test_a_reply_whose_answers_were_all_lost_counts_as_sent_when_opening_is_tried_again() -> None:
    async with bench(**NEW_UUID, entity_sent_twice="allow") as b:
        message = await b.asked()
        fault(b, REPLY, 1, lost_answer=True)
        fault(b, REPLY, 5, drop=True)
        opening, journal = CardOpening(message.conversation, RUN, 1, message.message_id, card("x")), MemoryJournal()
        with pytest.raises(ChannelError):
            await b.adapter.open_card(opening, journal)
        sink = await opened_at_last(b, opening, journal)
        assert sink.receipt().message_ids == (b.answers()[0]["message_id"],)
        assert len(b.answers()) == 1


async def test_an_entity_refused_for_another_reason_is_not_taken_for_sent() -> None:
    async with bench() as b:
        opening, journal = await crashed(b, "open/entity")
        refuse(b, REPLY, 230099, msg="ErrCode: 200800; ErrMsg: universal card failed")
        with pytest.raises(Rejected):
            await b.adapter.open_card(opening, journal)
        assert b.answers() == []


async def test_while_the_conversation_cannot_be_read_nothing_is_decided() -> None:
    async with bench() as b:
        opening, journal = await crashed(b)
        b.sim.advance(3700)  # the uuid is forgotten, only the entity is refused
        fault(b, LIST, 6, method="GET", status=500, code=1)
        with pytest.raises(ChannelError) as caught:
            await b.adapter.open_card(opening, journal)
        assert caught.value.works_again
        end = await closed(b, await b.adapter.open_card(opening, journal), "whole")
        assert end.seen
        assert len(b.answers()) == 1


@pytest.mark.parametrize("modes", [NEW_UUID, {"entity_sent_twice": "allow"}, {}], ids=str)
async def test_a_question_recalled_after_the_crash_does_not_double_its_answer(modes: dict[str, Any]) -> None:
    async with bench(**modes) as b:
        opening, journal = await crashed(b)
        b.sim.recall(opening.reply_to)
        end = await closed(b, await opened_at_last(b, opening, journal), "whole")
        assert end.seen
        assert len(b.answers()) == 1


@pytest.mark.parametrize("modes", [NEW_UUID, {}], ids=str)
async def test_a_plain_card_is_found_again_or_given_up(modes: dict[str, Any]) -> None:
    async with bench(**modes) as b:
        refuse(b, CREATE, 99991672, -1)
        opening, journal = await crashed(b)
        sink = await opened_at_last(b, opening, journal)
        assert sink.mode == "patch"
        end = await closed(b, sink, "whole")
        assert end.seen
        assert (len(b.answers()), shown(b, "whole")) == (1, 1)


# The end.


async def test_a_last_word_the_platform_refuses_as_a_whole_is_completed_in_parts() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        await write(sink, card("one two"))
        refuse(b, r"/cards/\d+$", 10002, -1, method="PUT")
        end = await closed(b, sink, "one two three")
        assert end.seen, end
        (answer,) = b.answers()
        assert "one two three" in answer["text"]
        assert answer["card_state"]["streaming"] is False


async def test_a_last_word_refused_in_every_way_leaves_a_quiet_card_and_goes_into_a_message() -> None:
    async with bench() as b:
        sink, opening, _ = await b.opened(card("one"))
        refuse(b, r"/cards/\d+$|/batch_update$", 10002, -1)
        end = await closed(b, sink, "one two three")
        assert (end.seen, end.permanent) == (False, True)
        await b.adapter.send_final(replace(opening, card=card("one two three", DONE)), MemoryJournal())
        assert shown(b, "one two three") == 1


LONG = "\n\n".join(f"paragraph {n}: " + "word " * 60 for n in range(110))


@pytest.mark.parametrize("step", [CREATE, REPLY])
async def test_when_a_further_card_is_refused_the_first_ends_and_the_answer_comes_whole(step: str) -> None:
    async with bench(card_per_second=1000) as b:
        sink, opening, _ = await b.opened(card("begin"))
        refuse(b, step, 230022, -1)
        for end in [*range(4000, len(LONG), 4000), len(LONG), len(LONG)]:
            try:
                await write(sink, card(LONG[:end]))
            except Rejected:
                continue
        (first,) = b.answers()
        assert "[Stop]" in first["text"], "while it works it can be stopped"
        end = await closed(b, sink, LONG)
        assert (end.seen, end.permanent) == (False, True)
        (first,) = b.answers()
        assert first["card_state"]["streaming"] is False
        assert "[Retry]" in first["text"]
        b.sim.faults.clear()
        receipt = (await b.adapter.send_final(replace(opening, card=card(LONG, DONE)), MemoryJournal())).receipt
        whole = "".join(answer["text"] for answer in b.answers() if answer["message_id"] in receipt.message_ids)
        assert [f"paragraph {n}:" in whole for n in range(110)] == [True] * 110


async def test_a_message_of_several_cards_of_which_one_is_refused_is_complete_and_not_doubled() -> None:
    async with bench() as b:
        message = await b.asked()
        refuse(b, REPLY, 230099, skip=1, msg="ErrCode: 200800")
        rows = tuple((f"key{n}", "value") for n in range(4))
        whole = card(LONG, DONE, Table("t", ("k", "v"), rows))
        await b.sent(message, whole)
        assert len({answer["msg_type"] for answer in b.answers()}) == 2
        read = "\n".join(answer["text"] for answer in b.answers())
        assert [read.count(f"paragraph {n}:") for n in range(110)] == [1] * 110
        assert [read.count(f"key{n}") for n in range(4)] == [1] * 4


async def test_a_message_whose_answer_was_lost_is_sent_once_and_counts_as_sent() -> None:
    async with bench(**NEW_UUID) as b:
        message = await b.asked()
        for _ in range(2):
            fault(b, REPLY, 1, lost_answer=True)
            assert (await b.sent(message, card("whole", DONE))).receipt.route == "message"
        assert shown(b, "whole") == 1


# Whose run it is.


@pytest.mark.parametrize("path", [CREATE, REPLY])
async def test_the_guard_is_asked_before_every_try(path: str) -> None:
    async with bench() as b:
        message = await b.asked()
        fault(b, path, 1, delay_s=0.3, status=429, code=99991400)
        journal = MemoryJournal()
        opening = asyncio.create_task(
            b.adapter.open_card(CardOpening(message.conversation, RUN, 1, message.message_id, card("x")), journal)
        )
        await until(lambda: any(e.fault for e in b.sim.timeline.since()))
        before = [e.path for e in b.sim.timeline.since()]
        journal.is_lost = True
        with pytest.raises(asyncio.CancelledError):
            await opening
        after = [e.path for e in b.sim.timeline.since()][len(before) :]
        assert [each for each in after if "reply" in each or each.endswith("/cards")] == []
        assert b.answers() == []


async def test_a_further_card_takes_the_account_s_room_once() -> None:
    async with bench(card_per_second=1000) as b:
        sink, _, _ = await b.opened(card("begin"))
        stream = CardStream(sink, pacer=b.adapter.pacer, guard=MemoryJournal().guard, clock=SystemClock())
        end = await stream.close(card(LONG, DONE), within_s=15)
        assert end.seen
        granted = {name: method.granted for name, method in b.adapter.pacer.statistics().methods.items()}
        cards = len(b.answers())
        assert cards > 1
        assert (granted["card.create"], granted["message.reply"]) == (cards, cards)


async def test_a_final_message_asks_the_guard_too() -> None:
    async with bench() as b:
        message = await b.asked()
        journal = MemoryJournal()
        journal.is_lost = True
        with pytest.raises(asyncio.CancelledError):
            await b.sent(message, card("x", DONE), journal)
        assert b.answers() == []


async def test_a_press_makes_the_writer_wait_and_is_no_refusal(caplog: pytest.LogCaptureFixture) -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.inbox.gate = asyncio.Event()
        value = card("").actions[0].value()
        pressing = asyncio.create_task(b.sim.click(b.answers()[0]["message_id"], "ou_lin", value))
        await until(lambda: len(b.inbox.items) == 2)
        stream = CardStream(sink, pacer=b.adapter.pacer, guard=MemoryJournal().guard, clock=SystemClock())
        stream.show(card("one two"))
        await until(lambda: any(e.code == 200810 for e in b.calls("/cards/")))
        b.inbox.gate.set()
        await pressing
        await until(lambda: shown(b, "one two") == 1)
        assert (stream.counts["refused"], b.adapter.pacer.statistics().refused) == (0, 0)
        assert not [record for record in caplog.records if record.message == "card.write_refused"]
        stream.abandon()
