"""What goes wrong with a card of the adapter: crashes, lost answers, refusals, recalls."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.errors import ChannelError, DeliveryUnknown, RateLimited, StreamEnded
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import RUN, bench, card, codes, finish, write

DONE = CardStatus.DONE


@pytest.mark.parametrize("repeat_uuid", ["same", "new_code"])
@pytest.mark.parametrize("entity_sent_twice", ["refuse", "allow"])
@pytest.mark.parametrize("lost", ["open/entity", "open/send"])
async def test_after_a_crash_at_either_step_the_same_card_goes_on(repeat_uuid, entity_sent_twice, lost):
    async with bench(repeat_uuid=repeat_uuid, entity_sent_twice=entity_sent_twice) as b:
        message = await b.asked()
        journal = MemoryJournal()
        journal.lose.add(lost)
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, card("be"))
        with pytest.raises(asyncio.CancelledError):
            await b.adapter.open_card(opening, journal)
        again = CardOpening(message.conversation, RUN, 2, message.message_id, card("before"))
        sink = await b.adapter.open_card(again, journal.next_attempt())
        await write(sink, card("before and after"))
        await finish(sink, "before and after")
        (answer,) = b.answers()
        assert "before and after" in answer["text"]
        assert sink.receipt().message_ids == (answer["message_id"],)


async def test_after_the_hour_of_the_uuid_an_entity_is_still_not_sent_twice():
    async with bench() as b:
        message = await b.asked()
        journal = MemoryJournal()
        journal.lose.add("open/send")
        with pytest.raises(asyncio.CancelledError):
            await b.adapter.open_card(CardOpening(message.conversation, RUN, 1, message.message_id, card("x")), journal)
        b.sim.advance(3700)
        again = CardOpening(message.conversation, RUN, 2, message.message_id, card("x"))
        await finish(await b.adapter.open_card(again, journal.next_attempt()), "whole")
        (answer,) = b.answers()
        assert "whole" in answer["text"]


async def test_a_card_is_taken_up_from_its_state_by_a_later_attempt():
    async with bench() as b:
        sink, opening, journal = await b.opened(card("one"))
        await write(sink, card("one two"))
        later = CardOpening(opening.conversation, RUN, 2, opening.reply_to, card("one two"))
        requests = len(b.sim.timeline.since())
        taken = b.adapter.reopen_card(later, sink.state(), journal.next_attempt())
        assert len(b.sim.timeline.since()) == requests
        assert not taken.shows(card("one two"))
        await write(taken, card("one two three"))
        assert await write(taken, card("one two three four")) == ["card.content"]
        await finish(taken, "all of it")
        assert len(b.answers()) == 1
        assert codes(b, "/cards/") == [0] * len(codes(b, "/cards/"))


async def test_a_card_taken_up_twice_in_one_attempt_moves_past_its_own_numbers():
    async with bench() as b:
        sink, opening, journal = await b.opened(card("one"))
        first = b.adapter.reopen_card(opening, sink.state(), journal.next_attempt())
        await write(first, card("one two"))
        second = b.adapter.reopen_card(opening, first.state(), journal.next_attempt())
        await finish(second, "whole")
        assert "whole" in b.answers()[0]["text"]


async def test_a_lost_answer_is_followed_by_a_higher_number():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.sim.faults.add({"match": {"path": "/content$"}, "action": {"lost_answer": True}, "times": 1})
        try:
            await write(sink, card("one two"))
        except DeliveryUnknown:
            assert not sink.shows(card("one two"))
        for text in ("one two three", "one two three four"):
            try:
                await write(sink, card(text))
            except DeliveryUnknown:
                await write(sink, card(text))
        assert sink.shows(card("one two three four"))
        await finish(sink, "end")


@pytest.mark.parametrize("fault", [{"status": 502}, {"drop": True}])
async def test_one_failed_update_does_not_end_streaming(fault):
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.sim.faults.add({"match": {"path": "/elements/"}, "action": fault, "times": 1})
        try:
            await write(sink, card("one two"))
        except DeliveryUnknown:
            assert sink.mode == "stream"
        await write(sink, card("one two three"))
        await finish(sink, "one two three four")
        assert len(b.answers()) == 1


async def test_a_revoked_token_is_replaced_once_for_all():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        tokens = len(b.calls("/tenant_access_token/"))
        b.sim.revoke_token()
        await asyncio.gather(
            write(sink, card("one two")),
            b.adapter.send_notice((await b.asked()).conversation, "hi", reply_to=None, key="n1"),
        )
        assert sink.shows(card("one two"))
        assert len(b.calls("/tenant_access_token/")) == tokens + 1


async def test_a_refusal_for_pace_says_how_long_and_whom():
    async with bench(streaming_exempt=False, api_per_second=2) as b:
        sink, _, _ = await b.opened(card("one"))
        with pytest.raises(RateLimited) as caught:
            for n in range(9):
                await write(sink, card("one" + " more" * n))
        assert (caught.value.scope, caught.value.code) == ("app", "99991400")
        assert 0 < caught.value.retry_after_s <= 60
        assert sink.mode == "stream"


async def test_without_permission_for_entities_one_message_is_replaced_whole():
    async with bench() as b:
        b.sim.faults.add(
            {"match": {"path": "/cardkit/v1/cards$"}, "action": {"status": 400, "code": 99991672}, "times": -1}
        )
        sink, _, _ = await b.opened(card("one"))
        assert sink.mode == "patch"
        assert await write(sink, card("one two")) == ["message.patch"]
        await finish(sink, "one two three")
        (answer,) = b.answers()
        assert "one two three" in answer["text"]
        assert sink.receipt().route == "patch"
        assert b.adapter.reopen_card((await b.opened())[1], sink.state(), MemoryJournal()).mode == "patch"


async def test_a_recalled_card_ends_at_once_and_a_message_is_still_possible():
    async with bench() as b:
        b.sim.faults.add(
            {"match": {"path": "/cardkit/v1/cards$"}, "action": {"status": 400, "code": 10002}, "times": 1}
        )
        sink, opening, _ = await b.opened(card("one"))
        b.sim.recall(b.answers()[0]["message_id"])
        with pytest.raises(StreamEnded) as caught:
            await write(sink, card("one two"))
        assert caught.value.reason == "gone"
        assert sink.mode == "message"
        assert list(sink.plan(card("one two three", DONE), final=True)) == []
        last = replace(opening, card=card("one two three", DONE))
        receipt = (await b.adapter.send_final(last, MemoryJournal())).receipt
        (answer,) = b.answers()
        assert (receipt.route, receipt.message_ids) == ("message", (answer["message_id"],))
        assert "one two three" in answer["text"]


async def test_a_card_the_platform_refuses_is_written_again_more_plainly():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.sim.faults.add(
            {"match": {"path": "/batch_update$|/content$"}, "action": {"status": 400, "code": 300313}, "times": 1}
        )
        with pytest.raises(ChannelError):
            await write(sink, card("one *two*"))
        assert "card.replace" in await write(sink, card("one *two*"))
        b.sim.faults.add(
            {
                "match": {"method": "PUT", "path": "/cards/[0-9]+$"},
                "action": {"status": 400, "code": 200220},
                "times": 1,
            }
        )
        await finish(sink, "one *two* three")
        assert "one &#42;two&#42; three" in b.answers()[0]["text"]
