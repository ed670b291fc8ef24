"""What goes wrong with cards: refused, throttled, used up, half done, taken over after a crash."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Action, Card, CardStatus, Header, Note, Text, Thinking
from channels.cards.stream import CardStream, Closed
from channels.dingtalk.plain import PlainSink
from channels.dingtalk.stream import DingtalkSink
from channels.events import CardAction
from channels.testing.journal import MemoryJournal
from tests.contract.dingtalk_adapter import (
    DIRECT,
    GROUP,
    LIN,
    RUN,
    TEMPLATE,
    Bench,
    bench,
    card,
    example_template,
    until,
    write,
)

QPS = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"
QUOTA = "Forbidden.AccessDenied.ApiCountLimitForOrg"
STREAMING, INSTANCES = r"/card/streaming$", r"/card/instances$"
DONE = CardStatus.DONE


def fault(b: Bench, path: str, times: int = 1, **action: Any) -> None:
    b.sim.faults.add({"match": {"path": path}, "action": action, "times": times})


async def owned() -> None:
    return None


def stream_over(b: Bench, sink: Any) -> CardStream:
    return CardStream(sink, pacer=b.adapter.pacer, guard=owned, clock=b.adapter.pacer.clock)


async def closed_with(b: Bench, sink: Any, last: Card) -> Closed:
    return await stream_over(b, sink).close(last, within_s=10)


async def test_a_card_that_was_created_and_not_delivered_is_no_card() -> None:
    """HTTP 200 and `success` hide it (cc-connect #1144); the answer comes as a message, later attempts know."""
    async with bench() as b:
        message = await b.asked(chat=DIRECT)
        wrong = CardOpening(
            message.conversation.__class__("dingtalk", "main", message.conversation.tenant, f"user.{GROUP}"),
            RUN,
            1,
            None,
            card(""),
        )
        journal = MemoryJournal()
        assert isinstance(await b.adapter.open_card(wrong, journal), PlainSink)
        assert isinstance(await b.adapter.open_card(wrong, journal.next_attempt()), PlainSink)
        assert len(b.calls("createAndDeliver")) == 1


@pytest.mark.parametrize("template", [{"published": False}, None])
async def test_a_template_that_is_not_there_leads_to_a_message(template: dict[str, Any] | None) -> None:
    async with bench(settings={"card_template_id": "other.schema"}) as b:
        if template is not None:
            b.sim.add_template("other.schema", **example_template(), **template)
        sink, opening, journal = await b.opened()
        assert isinstance(sink, PlainSink)
        last = CardOpening(opening.conversation, RUN, 1, opening.reply_to, card("all of it", DONE))
        await b.adapter.send_final(last, journal)
        (shown,) = b.answers()
        assert shown["card"] is None and "all of it" in shown["text"]


async def test_a_missing_scope_leads_to_a_message() -> None:
    async with bench(withheld_scopes=["Card.Instance.Write"]) as b:
        sink, _, _ = await b.opened()
        assert isinstance(sink, PlainSink)


@pytest.mark.parametrize("mode", ["403", "unknownError"])
async def test_without_the_scope_for_streaming_the_text_goes_by_the_other_call(mode: str) -> None:
    async with bench(withheld_scopes=["Card.Streaming.Write"], streaming_without_scope=mode) as b:
        sink, _, _ = await b.opened()
        stream = stream_over(b, sink)
        for number in range(6):
            stream.show(card("word " * (number + 1)))
            await asyncio.sleep(0.25)
        closed = await stream.close(card("all of it", DONE), within_s=10)
        assert closed.seen, closed
        assert "all of it" in b.answers()[0]["text"]


async def test_a_template_without_the_failed_state_ends_a_failed_run_all_the_same() -> None:
    async with bench() as b:
        b.sim.add_template(TEMPLATE, **{**example_template(), "has_failed_state": False})
        sink, _, _ = await b.opened()
        failed = Card(Header("q", CardStatus.FAILED, "failed"), (Text("t", "half"), Note("n", "the model is away")))
        assert (await closed_with(b, sink, failed)).seen
        (shown,) = b.answers()
        assert "the model is away" in shown["text"] and "half" in shown["text"]


async def test_a_failed_run_shows_as_failed() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        failed = Card(Header("q", CardStatus.FAILED, "failed"), (Note("n", "the model is away"),))
        assert (await closed_with(b, sink, failed)).seen
        assert b.answers()[0]["card"]["flow_status"] in ("5", "FAILED")


async def test_an_empty_answer_ends_and_shows_no_empty_shell() -> None:
    """QwenPaw #5057, dsh-dingtalk #16: finalised on empty output it stayed "processing", or blank."""
    async with bench() as b:
        sink, _, _ = await b.opened()
        assert (await closed_with(b, sink, Card(Header("q", DONE)))).seen
        (shown,) = b.answers()
        assert shown["card"]["flow_status"] in ("3", "FINISHED") and shown["text"].strip()


async def test_f22_a_long_answer_is_on_several_cards_none_of_them_blank() -> None:
    """soimy #615: above about 3,000 characters the card is blank while every call succeeds."""
    async with bench() as b:
        sink, _, _ = await b.opened()
        sentences = [f"第{number}句话，说明一些内容。" for number in range(900)]
        stream = stream_over(b, sink)
        for part in (200, 500):
            stream.show(card("\n\n".join(sentences[:part])))
            await asyncio.sleep(0.5)
        closed = await stream.close(card("\n\n".join(sentences), DONE), within_s=20)
        assert closed.seen, closed
        cards = [each["card"] for each in b.answers()]
        assert len(cards) > 3 and not any(each["blank"] for each in cards)
        assert all(each["flow_status"] in ("3", "FINISHED") for each in cards)
        visible = "\n\n".join(each["text"] for each in b.answers())
        assert [visible.count(each) for each in sentences] == [1] * len(sentences)


async def test_f23_a_code_block_over_two_cards_is_a_code_block_on_both() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        lines = [f"value_{number} = compute({number})" for number in range(200)]
        code = "```python\n" + "\n".join(lines) + "\n```"
        assert (await closed_with(b, sink, card(code, DONE))).seen
        texts = [b.sim.cards.by_id[f"{RUN}-{number}"].params["content"] for number in range(len(b.answers()))]
        assert len(texts) > 1 and all(text.count("```") == 2 for text in texts)


async def test_a_storm_of_refusals_for_pace_ends_complete() -> None:
    """conn #404, #444: updates skipped, the card never finalised, the gateway down."""
    async with bench() as b:
        sink, _, _ = await b.opened()
        stream = stream_over(b, sink)
        fault(b, STREAMING, times=3, status=403, code=QPS)
        for number in range(5):
            stream.show(card("word " * (number + 1)))
            await asyncio.sleep(0.2)
        closed = await stream.close(card("all of it", DONE), within_s=20)
        assert closed.seen, closed


async def test_a_month_used_up_before_the_card_still_brings_an_answer() -> None:
    async with bench() as b:
        fault(b, r"/v1.0/(card|robot)/", times=-1, status=403, code=QUOTA)
        sink, opening, journal = await b.opened()
        assert isinstance(sink, PlainSink)
        last = CardOpening(opening.conversation, RUN, 1, opening.reply_to, card("all of it", DONE))
        await b.adapter.send_final(last, journal)
        assert "all of it" in b.answers()[0]["text"]


async def test_a_month_used_up_in_mid_answer_stops_previews_and_tries_the_end_once() -> None:
    async with bench() as b:
        sink, opening, journal = await b.opened()
        stream = stream_over(b, sink)
        stream.show(card("Hello"))
        await asyncio.sleep(0.5)
        fault(b, r"/v1.0/(card|robot)/", times=-1, status=403, code=QUOTA)
        before = len(b.calls("/card/"))
        for number in range(8):
            stream.show(card("Hello " * (number + 2)))
            await asyncio.sleep(0.25)
        assert len(b.calls("/card/")) - before == 1, "one preview was refused, no other is tried"
        closed = await stream.close(card("all of it", DONE), within_s=5)
        assert not closed.seen and closed.permanent
        assert len(b.calls("/card/")) - before == 2, "the end was tried once"
        last = CardOpening(opening.conversation, RUN, 1, opening.reply_to, card("all of it", DONE))
        await b.adapter.send_final(last, journal)
        assert any("all of it" in each["text"] for each in b.answers())


async def test_an_expired_token_is_replaced_and_the_call_repeated() -> None:
    for status in (400, 401):
        async with bench(token_error_status=status) as b:
            sink, _, _ = await b.opened()
            b.sim.revoke_token()
            await write(sink, card("Hello"))
            assert len(b.calls("oauth2/accessToken")) == 2


async def test_a_person_nobody_knows_gets_their_buttons_for_all_to_see() -> None:
    async with bench() as b:
        fault(b, "createAndDeliver", status=400, code="param.userIdNotExist")
        sink, _, _ = await b.opened()
        assert isinstance(sink, DingtalkSink)
        assert b.sim.cards.by_id[f"{RUN}-0"].params["show_stop"] == "true"


async def test_a_card_of_a_process_that_died_is_closed_by_the_next() -> None:
    """soimy #217: a card left in "processing" spins for ever."""
    async with bench() as b:
        sink, opening, journal = await b.opened()
        await write(sink, card("half of the"))
        known = sink.state()
        again = b.adapter.reopen_card(opening, known, journal.next_attempt())
        last = card("half of the answer", CardStatus.INTERRUPTED, actions=())
        closed = await closed_with(b, again, last)
        assert closed.seen and len(b.answers()) == 1
        assert not any(each["visible"] for each in b.sim.view.buttons(b.sim.cards.by_id[f"{RUN}-0"], LIN))
        assert b.answers()[0]["card"]["flow_status"] in ("3", "FINISHED")


async def test_a_repeat_after_a_lost_answer_finds_the_same_card() -> None:
    async with bench() as b:
        message = await b.asked()
        opening, journal = CardOpening(message.conversation, RUN, 1, None, card("")), MemoryJournal()
        fault(b, "createAndDeliver", lost_answer=True)
        with pytest.raises(Exception, match="createAndDeliver"):
            await b.adapter.open_card(opening, journal)
        sink = await b.adapter.open_card(opening, journal)
        assert (await closed_with(b, sink, card("there", DONE))).seen
        assert len(b.answers()) == 1


async def test_a_frame_sent_again_keeps_its_id() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        fault(b, STREAMING, lost_answer=True)
        stream = stream_over(b, sink)
        stream.show(card("Hello"))
        await until(lambda: len(b.calls("/card/streaming")) >= 2)
        first, second = (call.body for call in b.calls("/card/streaming")[:2])
        assert (first["guid"], first["content"]) == (second["guid"], second["content"])
        stream.abandon()


async def test_every_update_goes_by_key_and_loses_nothing() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("Hello"))
        await write(sink, card("Hello world", DONE), final=True)
        for call in b.calls("/card/instances", "PUT"):
            assert call.body["cardUpdateOptions"] == {"updateCardDataByKey": True, "updatePrivateDataByKey": True}
        params = b.sim.cards.by_id[f"{RUN}-0"].params
        assert params["config"] == '{"autoLayout":true}' and params["title"] == "question"


async def test_the_end_writes_the_whole_text_once_more() -> None:
    """qwen-code #10354: a client that was away keeps an old text."""
    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("Hello world", DONE), final=True)
        last = b.calls("/card/instances", "PUT")[-1].body["cardData"]["cardParamMap"]
        assert "Hello world" in last["content"] and last["flowStatus"] == "3"


async def test_the_list_of_conversations_shows_words() -> None:
    async with bench() as b:
        await b.opened()
        (call,) = b.calls("createAndDeliver")
        assert call.body["imGroupOpenSpaceModel"]["lastMessageI18n"]["ZH_CN"] == "summary"
        assert call.body["callbackType"] == "STREAM"


async def test_a_press_after_a_restart_says_by_itself_what_it_means() -> None:
    async with bench(sparse_clicks=True, action_suffix="1") as b:
        sink, opening, _ = await b.opened()
        ask = tuple(Action(name, name.title(), RUN, "appr1", audience=LIN) for name in ("approve", "deny"))
        await write(sink, card("may I?", CardStatus.WAITING, actions=ask))
        b.adapter._shown._cards.clear()  # pyright: ignore[reportPrivateUsage]
        await b.sim.click(b.answers()[0]["id"], LIN, "btn_deny")
        await until(lambda: isinstance(b.inbox.items[-1], CardAction))
        pressed = b.inbox.items[-1]
        assert isinstance(pressed, CardAction)
        assert dict(pressed.value) == ask[1].value()
        assert pressed.conversation == opening.conversation


async def test_a_repeated_press_has_the_same_key() -> None:
    async with bench(card_redeliveries=1, redeliver_after_s=0.2, click_within_s=0.2) as b:
        sink, _, _ = await b.opened()
        await write(sink, card("Hello"))
        b.inbox.raises = RuntimeError("not stored")
        clicking = asyncio.ensure_future(b.sim.click(b.answers()[0]["id"], LIN, "btn_stop"))
        await until(lambda: sum(isinstance(each, CardAction) for each in b.inbox.items) == 2)
        presses = [each for each in b.inbox.items if isinstance(each, CardAction)]
        assert presses[0].dedupe == presses[1].dedupe
        await asyncio.gather(clicking, return_exceptions=True)


async def test_a_word_about_a_press_is_private_and_goes_with_the_next_change() -> None:
    from channels.events import Toast

    async with bench() as b:
        sink, _, _ = await b.opened()
        b.inbox.toast = Toast("info", "stopping")
        await b.sim.click(b.answers()[0]["id"], LIN, "btn_stop")
        shown = b.sim.cards.by_id[f"{RUN}-0"]
        assert shown.private[LIN]["notice"] == "stopping" and shown.params.get("notice", "") == ""
        assert shown.params["title"] == "question", "nothing else was lost"
        await write(sink, card("Hello", CardStatus.STOPPED), final=True)
        assert shown.private[LIN]["notice"] == ""


async def test_a_card_that_was_given_up_is_at_rest() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("half of it"))
        words = Card(Header("question", DONE), (Note("n", "The answer is below."),))
        assert await leave_quiet(sink, words, pacer=b.adapter.pacer, guard=owned, within_s=5) == ""
        (shown,) = b.answers()
        assert "The answer is below." in shown["text"] and "half" not in shown["text"]
        assert not any(each["visible"] for each in b.sim.view.buttons(b.sim.cards.by_id[f"{RUN}-0"], LIN))


async def test_f48_a_thought_is_one_line_while_it_lasts() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        thinking = Thinking("th", "secret plan " * 50, streaming=True)
        await write(sink, Card(Header("q", CardStatus.WORKING), (thinking, Text("t", "Hello", streaming=True))))
        assert b.answers()[0]["text"].count("secret plan") < 8
        await write(sink, Card(Header("q", DONE), (Thinking("th", "secret plan"), Text("t", "Hello"))), final=True)
        assert "secret plan" not in b.answers()[0]["text"]


async def test_small_print_that_changes_costs_no_write_while_it_works() -> None:
    """Every write counts for the month."""
    from dataclasses import replace

    from channels.cards.model import Footer

    async with bench() as b:
        sink, _, _ = await b.opened()
        await write(sink, card("Hello"))
        before = len(b.calls("/card/"))
        assert await write(sink, replace(card("Hello"), footer=Footer(text="3 s"))) == []
        assert len(b.calls("/card/")) == before
