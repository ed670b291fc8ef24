"""Live cards of the adapter against the simulator: typing, streaming and its renewal, long answers, tables."""

from __future__ import annotations

import asyncio

import pytest

from channels.cards.model import CardStatus, Note, Text, ToolPanel
from channels.errors import RateLimited, StreamEnded
from tests.contract.feishu_adapter import bench, card, codes, finish, until, write

DONE = CardStatus.DONE


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
        assert text.index("✅ 💻 ls") < text.index("one two")
        assert b.answers()[0]["parent_id"] == opening.reply_to
        assert b.answers()[0]["thread_id"] is None


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


async def test_withdrawn_text_disappears_from_the_card():
    async with bench() as b:
        sink, _, _ = await b.opened(card("kept", CardStatus.WORKING, Text("draft", "withdrawn", True)))
        await write(sink, card("kept"))
        text = b.answers()[0]["text"]
        assert "withdrawn" not in text
        assert "kept" in text
