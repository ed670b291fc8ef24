"""What the adapter does beside its cards: signs, notices, where an answer lands, the pace of one chat."""

from __future__ import annotations

import asyncio

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import GROUP, RUN, bench, card, codes, finish, until

DONE = CardStatus.DONE


async def test_signs_come_and_go_and_never_raise():
    async with bench() as b:
        message = await b.asked()
        await b.adapter.react(message.conversation, message.message_id, "working", on=True)
        emojis = [r["emoji_type"] for r in b.sim.message(message.message_id)["reactions"]]
        assert emojis == ["Typing"]
        await b.adapter.react(message.conversation, message.message_id, "working", on=False)
        assert b.sim.message(message.message_id)["reactions"] == []
        await b.adapter.react(message.conversation, "om_unknown", "queued", on=True)


async def test_a_notice_repeated_under_its_key_is_one_message_in_its_place():
    async with bench() as b:
        message = await b.asked()
        for _ in range(2):
            await b.adapter.send_notice(message.conversation, "not supported", reply_to=message.message_id, key="k")
        (notice,) = b.answers()
        assert (notice["text"], notice["parent_id"]) == ("not supported", message.message_id)


async def test_when_what_was_asked_is_recalled_the_answer_goes_to_the_chat():
    async with bench() as b:
        message = await b.asked()
        b.sim.recall(message.message_id)
        opening = CardOpening(message.conversation, RUN, 1, message.message_id, card("one"))
        await finish(await b.adapter.open_card(opening, MemoryJournal()), "whole")
        (answer,) = b.answers()
        assert (answer["chat_id"], answer["parent_id"]) == (GROUP, None)


async def test_a_burst_into_one_chat_is_spread_and_all_of_it_arrives():
    async with bench() as b:
        message = await b.asked()
        sends = [b.adapter.send_notice(message.conversation, f"n{n}", reply_to=None, key=f"k{n}") for n in range(8)]
        await asyncio.gather(*sends)
        assert len(b.answers()) == 8
        # All at once would be refused three times or more; on a busy machine requests may still bunch up on the way.
        assert codes(b, "/im/v1/messages").count(230020) < 3


async def test_a_push_into_a_topic_stays_in_it():
    async with bench() as b:
        b.sim.send("oc_topics", "ou_lin", "@niuma in a topic")
        await until(lambda: len(b.inbox.items) == 1)
        topic = b.inbox.items[0].conversation
        await b.adapter.send_notice(topic, "pushed", reply_to=None, key="k")
        opening = CardOpening(topic, RUN, 1, None, card("one"))
        await finish(await b.adapter.open_card(opening, MemoryJournal()), "whole")
        assert [answer["thread_id"] for answer in b.answers()] == [topic.thread, topic.thread]
