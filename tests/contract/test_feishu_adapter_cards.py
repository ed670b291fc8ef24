"""Live cards of the adapter against the simulator: streaming, crashes, faults, fallbacks."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus, Note, Text, ToolPanel
from channels.errors import ChannelError, DeliveryUnknown, RateLimited, StreamEnded
from channels.testing.journal import MemoryJournal
from tests.contract.feishu_adapter import GROUP, RUN, bench, card, until, write

DONE = CardStatus.DONE


def codes(b, path: str) -> list[int]:
    return [entry.code for entry in b.calls(path)]


async def finish(sink, text: str) -> None:
    """Write the last word as the card writer does: plan again until it is shown."""
    for _ in range(8):
        try:
            await write(sink, card(text, DONE), final=True)
        except ChannelError:
            continue
        if sink.shows(card(text, DONE)):
            return
    raise AssertionError("never shown")


async def test_text_is_typed_and_the_end_is_whole_and_closed():
    async with bench() as b:
        sink, _, journal = await b.opened()
        assert journal.ran == ["open/entity", "open/send"]
        assert await write(sink, card("one")) == ["card.batch"]
        assert await write(sink, card("one two")) == ["card.content"]
        assert await write(sink, card("one two")) == []
        assert not sink.shows(card("one two three", DONE))
        assert await write(sink, card("one two three", DONE), final=True) == ["card.replace", "card.settings"]
        assert sink.shows(card("one two three", DONE))
        (answer,) = b.answers()
        assert "one two three" in answer["text"]
        assert answer["card_state"]["streaming"] is False
        assert answer["card"]["config"]["summary"]["content"] == "summary"
        assert sink.receipt().message_ids == (answer["message_id"],)
        sequences = [s["sequence"] for s in b.sim.card_history(answer["card_state"]["card_id"])]
        assert sequences == [0, 100_001, 100_002, 100_003, 100_004]


async def test_a_tick_is_one_text_and_one_batch_and_a_reply_stays_in_its_chat():
    async with bench() as b:
        sink, opening, _ = await b.opened(card("one"))
        panel = ToolPanel("tool", "bash", "ls", "in_progress")
        assert await write(sink, card("one two", CardStatus.WORKING, panel)) == ["card.content", "card.batch"]
        done = ToolPanel("tool", "bash", "ls", "success", "a\nb", "terminal")
        assert await write(sink, card("one two", CardStatus.WORKING, done)) == ["card.batch"]
        text = b.answers()[0]["text"]
        assert text.index("✅ ls") < text.index("one two")
        assert b.answers()[0]["parent_id"] == opening.reply_to
        assert b.answers()[0]["thread_id"] is None


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


async def test_after_ten_minutes_streaming_is_opened_again_with_one_refusal():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.sim.advance(601)
        with pytest.raises(StreamEnded) as caught:
            await write(sink, card("one two"))
        assert caught.value.reason == "lifetime"
        assert await write(sink, card("one two")) == ["card.settings", "card.content"]
        await finish(sink, "one two three")
        refused = [code for code in codes(b, "/cardkit/v1/cards/") if code]
        assert refused == [200850]


async def test_the_renewal_gives_the_stream_ten_more_minutes():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        assert b.adapter.capabilities.renew_after_s == 510
        b.sim.advance(510)
        for step in sink.renewal():
            await sink.send(step)
        b.sim.advance(300)
        assert await write(sink, card("one two")) == ["card.content"]
        assert sink.shows(card("one two"))


async def test_where_streaming_cannot_be_opened_again_the_text_goes_on_in_batches():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.sim.faults.add({"match": {"path": "/content$"}, "action": {"status": 400, "code": 300309}, "times": -1})
        for _ in range(2):
            with pytest.raises(StreamEnded):
                await write(sink, card("one two"))
        methods = await write(sink, card("one two"))
        assert "card.content" not in methods
        assert "card.batch" in methods
        assert await write(sink, card("one two three")) == ["card.batch"]
        await finish(sink, "end")
        assert codes(b, "/content").count(300309) == 2


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


async def test_while_somebody_presses_writes_wait_shortly():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        b.inbox.gate = asyncio.Event()
        pressing = asyncio.create_task(b.sim.click(b.answers()[0]["message_id"], "ou_lin", card("").actions[0].value()))
        await until(lambda: len(b.inbox.items) == 2)
        with pytest.raises(RateLimited) as caught:
            await write(sink, card("one two"))
        assert (caught.value.scope, caught.value.code) == ("card", "200810")
        b.inbox.gate.set()
        await pressing
        await write(sink, card("one two"))
        assert sink.shows(card("one two"))


async def test_waiting_for_a_person_closes_the_stream_and_working_opens_it_again():
    async with bench() as b:
        sink, _, _ = await b.opened(card("one"))
        await write(sink, card("one", CardStatus.WAITING, Note("ask", "May I?", "warning")))
        assert b.answers()[0]["card_state"]["streaming"] is False
        await write(sink, card("one two"))
        assert b.answers()[0]["card_state"]["streaming"] is True
        assert await write(sink, card("one two three")) == ["card.content"]


@pytest.mark.parametrize("letter", ["word ", "中文字"])
async def test_a_long_answer_is_complete_over_several_elements_and_cards(letter):
    async with bench(card_per_second=1000) as b:
        sink, _, journal = await b.opened()
        whole = "\n\n".join(f"{n} " + letter * 40 for n in range(150))
        for end in range(500, len(whole), 3000):
            for _ in range(4):
                await write(sink, card(whole[:end]))
                if sink.shows(card(whole[:end])):
                    break
            assert sink.shows(card(whole[:end]))
        await finish(sink, whole)
        answers = b.answers()
        read = "".join("".join(answer["text"].split()) for answer in answers)
        at = -1
        for paragraph in whole.split("\n\n"):
            at = read.index("".join(paragraph.split()), at + 1)
        assert len(answers) > 1
        assert [answer["card_state"]["streaming"] for answer in answers] == [False] * len(answers)
        assert f"open/send/{len(answers) - 1}" in journal.ran
        assert {code for code in codes(b, "/cardkit/") if code} == set()


async def test_six_tables_with_prose_between_them_are_all_visible_without_a_refusal():
    table = "| name | value |\n| --- | --- |\n| cell{0}a | cell{0}b |"
    text = "\n\n".join(f"prose {n}\n\n" + table.format(n) for n in range(6))
    async with bench(card_per_second=1000) as b:
        sink, _, _ = await b.opened()
        for end in range(10, len(text), 25):
            await write(sink, card(text[:end]))
        await finish(sink, text)
        read = b.answers()[0]["text"]
        places = [read.index(word) for n in range(6) for word in (f"prose {n}", f"cell{n}a", f"cell{n}b")]
        assert places == sorted(places)
        assert {code for code in codes(b, "/cardkit/") if code} == set()


async def test_a_picture_by_address_becomes_a_link():
    text = "before ![chart](https://img.example.com/a.png) after"
    async with bench(card_per_second=1000) as b:
        sink, _, _ = await b.opened()
        for end in range(3, len(text), 4):
            await write(sink, card(text[:end]))
        await finish(sink, text)
        assert "before [chart](https://img.example.com/a.png) after" in b.answers()[0]["text"]
        assert {code for code in codes(b, "/cardkit/") if code} == set()


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


async def test_withdrawn_text_disappears_from_the_card():
    async with bench() as b:
        sink, _, _ = await b.opened(card("kept", CardStatus.WORKING, Text("draft", "withdrawn", True)))
        await write(sink, card("kept"))
        text = b.answers()[0]["text"]
        assert "withdrawn" not in text
        assert "kept" in text
