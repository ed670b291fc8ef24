"""Cards on Slack: streams in direct chats, edits elsewhere, one message whatever goes wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from channels.base import CardOpening
from channels.cards.model import (
    Action,
    Card,
    CardStatus,
    Form,
    FormField,
    Note,
    Table,
    Thinking,
    TodoItem,
    Todos,
    ToolPanel,
)
from channels.errors import ChannelError, DeliveryUnknown, RateLimited, StreamEnded
from channels.events import CardAction, Toast
from channels.testing.journal import MemoryJournal
from tests.contract.slack_adapter import CHANNEL, DIRECT, LIN, RUN, Bench, bench, card, write

DONE = CardStatus.DONE
WRITES = r"/api/chat\.(update|appendStream|stopStream)$"


async def finished(b: Bench, sink: Any, last: Card) -> list[str]:
    methods: list[str] = []
    for _ in range(6):
        if sink.shows(last):
            return methods
        methods += await write(sink, last, final=True)
    raise AssertionError(f"never shown: {methods}")


async def test_a_direct_chat_streams_and_ends_as_one_edited_message() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        assert await write(sink, card("Hello")) == ["chat.appendStream"]
        assert await write(sink, card("Hello world, and more")) == ["chat.appendStream"]
        assert b.answers()[-1]["streaming"]
        assert await finished(b, sink, card("Hello world, and more.", DONE)) == ["chat.stopStream", "chat.update"]
        (shown,) = b.answers()
        assert not shown["streaming"] and shown["shown"].count("Hello world, and more.") == 1
        start = b.calls("chat.startStream")[0].body
        assert (start["recipient_user_id"], start["recipient_team_id"]) == (LIN, "T0DEMO")


async def test_a_stream_shows_tools_and_todos_as_tasks() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        todos = Todos("td", (TodoItem("a", "look", "in_progress"), TodoItem("b", "tell")))
        panel = ToolPanel("p", "bash", "ls", "in_progress", "output that is long")
        await write(sink, card("", CardStatus.WORKING, todos, panel))
        await write(sink, card("text", CardStatus.WORKING, todos, replace(panel, status="success")))
        tasks = {task["title"]: task["status"] for task in b.answers()[-1]["chunks"]["tasks"]}
        assert tasks == {"look": "in_progress", "tell": "pending", "💻 ls": "complete"}


async def test_withdrawn_text_ends_the_stream_and_the_same_message_goes_on() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        await write(sink, card("a first try that is withdrawn "))
        assert await write(sink, card("another ")) == ["chat.stopStream", "chat.update"]
        assert sink.mode == "patch"
        await finished(b, sink, card("another answer", DONE))
        (shown,) = b.answers()
        assert "withdrawn" not in shown["shown"] and "another answer" in shown["shown"]


async def test_an_append_whose_answer_was_lost_is_not_repeated() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        b.sim.faults.add({"match": {"path": "appendStream$"}, "action": {"lost_answer": True}})
        with pytest.raises(DeliveryUnknown):
            await write(sink, card("once and only once "))
        assert await write(sink, card("once and only once ")) == ["chat.stopStream", "chat.update"]
        assert b.answers()[-1]["shown"].count("once and only once") == 1


@pytest.mark.parametrize("error", ["message_not_in_streaming_state", "stopped_by_user"])
async def test_f12_a_dead_stream_goes_on_by_edits_of_the_same_message(error: str) -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        b.sim.faults.add({"match": {"path": "appendStream$"}, "action": {"status": 200, "error": error}})
        with pytest.raises(StreamEnded):
            await write(sink, card("half of it "))
        for message in b.sim.world.messages.values():
            if message.stream is not None:
                message.stream.end = "expired"
        assert await write(sink, card("half of it ")) == ["chat.update"]
        assert await finished(b, sink, card("half of it and all", DONE)) == ["chat.update"]
        assert len(b.answers()) == 1


async def test_f12_renewal_ends_the_stream_in_time() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        await write(sink, card("some "))
        (renewal,) = sink.renewal()
        await sink.send(renewal)
        assert b.adapter.capabilities.renew_after_s is not None and b.adapter.capabilities.renew_after_s < 270
        assert sink.mode == "patch" and not sink.renewal()
        assert await write(sink, card("some more ")) == ["chat.update"]


async def test_a_stream_that_is_full_rolls_over_by_bytes() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        chinese = "\n\n".join(f"第{n}句：这一段很长，用来把消息写满。" for n in range(300))
        for size in range(500, len(chinese), 500):
            await write(sink, card(chinese[:size]))
        streamed = max(
            sum(len(str(c.get("text", "")).encode()) for c in e.body["chunks"]) for e in b.calls("chat.appendStream")
        )
        assert streamed < 9000 and sink.mode == "patch"
        await finished(b, sink, card(chinese, DONE))
        shown = "\n".join(message["shown"] for message in b.answers())
        assert len(b.answers()) > 1 and not [e for e in b.sim.timeline.since() if e.kind == "rest" and e.code]
        assert all(f"第{n}句" in shown for n in range(300))


async def test_channels_are_edited_and_never_streamed() -> None:
    async with bench() as b:
        sink, opening, _ = await b.opened()
        await write(sink, card("text"))
        assert sink.mode == "patch" and not b.calls("chat.startStream")
        (shown,) = b.answers()
        assert shown["thread_ts"] == opening.conversation.thread and not shown["edited"]


async def test_streams_can_be_switched_off() -> None:
    async with bench(settings={"native_streams": "off"}) as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        await write(sink, card("text"))
        assert sink.mode == "patch" and b.answers()[-1]["thread_ts"] is None


@pytest.mark.parametrize("error", ["channel_type_not_supported", "missing_recipient_user_id", "ratelimited"])
async def test_a_stream_that_is_refused_becomes_a_post(error: str) -> None:
    async with bench() as b:
        fault: dict[str, Any] = {"status": 200, "error": error}
        b.sim.faults.add({"match": {"path": "startStream$"}, "action": fault, "times": 5})
        sink, _, _ = await b.opened(chat=DIRECT)
        assert sink.mode == "patch" and len(b.answers()) == 1
        await finished(b, sink, card("the answer", DONE))


async def test_a_foreign_recipient_is_left_out_once() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": "startStream$"}, "action": {"status": 200, "error": "user_not_found"}})
        sink, _, _ = await b.opened(chat=DIRECT)
        assert sink.mode == "stream"
        assert "recipient_user_id" not in b.calls("chat.startStream")[-1].body


async def test_no_more_streams_begin_than_a_minute_takes() -> None:
    async with bench() as b:
        message = await b.asked("hi", chat=DIRECT)
        modes: list[str] = []
        for number in range(22):
            opening = CardOpening(message.conversation, f"run{number}", 1, message.message_id, card(""))
            modes.append((await b.adapter.open_card(opening, MemoryJournal())).mode)
            if number % 4 == 3:
                b.sim.advance(5)
        assert modes == ["stream"] * 20 + ["patch"] * 2
        assert not [e for e in b.calls("chat.startStream") if e.code]


async def test_a_lost_start_is_found_and_not_begun_again() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": "startStream$"}, "action": {"lost_answer": True}})
        message, journal = await b.asked("hi", chat=DIRECT), MemoryJournal()
        with pytest.raises(DeliveryUnknown):
            await b.opened(message=message, journal=journal)
        sink, _, _ = await b.opened(message=message, journal=journal)
        await finished(b, sink, card("the answer", DONE))
        assert len(b.answers()) == 1 and len(b.calls("chat.startStream")) == 1


async def test_a_lost_post_is_found_by_its_metadata() -> None:
    async with bench() as b:
        b.sim.faults.add({"match": {"path": "postMessage$"}, "action": {"lost_answer": True}})
        sink, _, _ = await b.opened()
        await finished(b, sink, card("the answer", DONE))
        assert len(b.answers()) == 1 and len(b.calls("chat.postMessage")) == 1


async def test_a_storm_of_refusals_slows_and_loses_nothing() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        limited = {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}}
        b.sim.faults.add({"match": {"path": "chat.update$"}, "action": limited, "times": 3})
        for text in ("a", "ab", "abc"):
            with pytest.raises(RateLimited) as refused:
                await write(sink, card(text))
            assert refused.value.retry_after_s == 1.0
        await finished(b, sink, card("abcd", DONE))
        assert len(b.calls("chat.update")) == 4 and len(b.answers()) == 1


async def test_a_refused_look_is_tried_plainer_and_then_given_up() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened()
        b.sim.faults.add(
            {"match": {"path": "chat.update$"}, "action": {"status": 200, "error": "invalid_blocks"}, "times": 2}
        )
        last = card("**bold** words", DONE)
        for _ in range(2):
            with pytest.raises(ChannelError):
                await write(sink, last, final=True)
        await finished(b, sink, last)
        assert "bold** words" in b.answers()[-1]["shown"]


async def test_a_card_that_is_refused_at_first_begins_as_its_title() -> None:
    async with bench() as b:
        refused = {"status": 200, "error": "invalid_blocks"}
        b.sim.faults.add({"match": {"path": "postMessage$"}, "action": refused})
        sink, _, _ = await b.opened(card("**text**"))
        assert "text" not in b.answers()[-1]["shown"]
        await finished(b, sink, card("**text** and all", DONE))
        assert len(b.answers()) == 1


async def test_too_long_is_answered_by_smaller_messages() -> None:
    async with bench(block_json_limit=6000) as b:
        sink, _, _ = await b.opened()
        text = "\n\n".join(f"Sentence {n} of an answer that is long." for n in range(400))
        for _ in range(8):
            try:
                await write(sink, card(text, DONE), final=True)
            except ChannelError:
                continue
        assert sink.shows(card(text, DONE))
        shown = "".join(message["shown"] for message in b.answers())
        assert all(shown.count(f"Sentence {n} of") == 1 for n in range(400))


async def test_every_block_is_taken() -> None:
    async with bench() as b:
        blocks = (
            Thinking("th", "pondering"),
            Todos("td", tuple(TodoItem(f"i{n}", f"Step {n}", "success") for n in range(60))),
            ToolPanel("p", "bash", "make test", "fail", "error: <x> & ```y```\n" * 100, "terminal"),
            Table("tb", ("a", "b"), tuple((f"{n}", "x" * 50) for n in range(150))),
            Table("tc", ("c",), (("1",), ("2",))),
            Note("n", "careful\nand two lines", "warning"),
            Form("f", (FormField("city", "City", "where"),), Action("submit", "Send", RUN, "n")),
        )
        text = "| x | y |\n|---|---|\n| 1 | 2 |\n\nwords\n\n| z |\n|---|\n| 3 |\n"
        sink, _, _ = await b.opened()
        await finished(b, sink, card(text, DONE, *blocks))
        for message in b.answers():
            assert sum(block["type"] == "table" for block in message["blocks"]) <= 1
        shown = "\n".join(message["shown"] for message in b.answers())
        assert "Step 59" in shown and "149" in shown and "words" in shown and "careful" in shown


async def test_a_form_comes_back_with_its_values() -> None:
    async with bench() as b:
        b.inbox.toast = Toast("info", "ok")
        form = Form("f", (FormField("city", "City"),), Action("submit", "Send", RUN, "n"))
        sink, _, _ = await b.opened(card("", CardStatus.WAITING, form))
        shown = b.answers()[-1]
        block = next(each for each in shown["blocks"] if each["type"] == "input")
        values = {block.get("block_id", "b1"): {"city": {"type": "plain_text_input", "value": "Paris"}}}
        payload = {"type": "block_actions", "user": {"id": LIN, "team_id": "T0DEMO"}, "team": {"id": "T0DEMO"}}
        button = next(e for each in shown["blocks"] if each["type"] == "actions" for e in each["elements"])
        payload |= {"container": {"channel_id": CHANNEL, "message_ts": shown["ts"]}, "state": {"values": values}}
        payload |= {"actions": [{"type": "button", "value": button["value"]}], "trigger_id": "t1"}
        from channels.slack.envelope import Reading
        from channels.slack.identity import BotIdentity
        from channels.slack.inbound import parse_press

        press = parse_press(payload, "e1", Reading(BotIdentity("main"), lambda _: "", lambda: 0))
        assert isinstance(press, CardAction) and dict(press.form) == {"city": "Paris"}
        assert press.value["do"] == "submit"
        assert sink.mode == "patch"


@pytest.mark.parametrize("chat", [CHANNEL, DIRECT])
async def test_f24_a_model_rings_nobodys_phone(chat: str) -> None:
    text = "<!channel> deploy done <@U0CHEN>, see <https://ci.example.com/1|build> `<!here>`"
    async with bench() as b:
        panel = ToolPanel("p", "bash", "echo <!everyone>", "in_progress", "<!channel> <@U0CHEN>")
        note = Note("n", "failed: <!subteam^S1> <@U0CHEN>", "error")
        sink, _, _ = await b.opened(card("", CardStatus.WORKING, panel), chat=chat)
        for size in range(1, len(text)):
            await write(sink, card(text[:size], CardStatus.WORKING, panel))
        await finished(b, sink, card(text, DONE, panel, note))
        message = await b.asked("hi", chat=chat)
        await b.sent(message, card(text, DONE, panel, note))
        await b.adapter.send_notice(message.conversation, "<!channel> stopped", reply_to=None, key="k1")
        sent = [str(e.body) for e in b.sim.timeline.since() if e.kind == "rest" and "/chat." in e.path]
        rings = [
            token
            for token in ("<!channel", "<!here", "<!everyone", "<!subteam", "<@U0CHEN")
            for body in sent
            if token in body
        ]
        assert rings == []
        shown = "\n".join(m["shown"] for m in b.answers())
        assert "channel> deploy done" in shown and "(https://ci.example.com/1)" in shown


async def test_f22_long_answers_arrive_whole() -> None:
    async with bench() as b:
        text = "\n\n".join(f"Paragraph {n}: " + "words and more words. " * 8 for n in range(70))
        sink, _, _ = await b.opened()
        await finished(b, sink, card(text, DONE))
        shown = "\n".join(m["shown"] for m in b.answers())
        places = [shown.find(f"Paragraph {n}:") for n in range(70)]
        assert -1 not in places and places == sorted(places)
        assert not [e for e in b.sim.timeline.since() if e.kind == "rest" and e.code]


async def test_where_a_stream_cannot_be_ended_now_its_words_are_whole_and_it_is_ended_later() -> None:
    async with bench() as b:
        sink, _, _ = await b.opened(chat=DIRECT)
        await write(sink, card("Half of "))
        limited = {"status": 429, "error": "ratelimited", "headers": {"Retry-After": "1"}}
        b.sim.faults.add({"match": {"path": "stopStream$"}, "action": limited, "times": 3})
        last = card("Half of it, and the rest.", DONE)
        with pytest.raises(RateLimited):
            await write(sink, last, final=True)
        for _ in range(2):
            with pytest.raises(RateLimited):
                await write(sink, last, final=True)
            assert b.answers()[-1]["shown"].count("Half of it, and the rest.") == 1
        assert not sink.shows(last), "it still looks like work: it is owed"
        assert await finished(b, sink, last) == ["chat.stopStream", "chat.update"]
        (shown,) = b.answers()
        assert not shown["streaming"] and shown["shown"].count("the rest") == 1
