"""The part of the channel contract that speaks of the end: what was said is there once, and nothing pretends."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, cast

from channels.base import CardOpening
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header, Note, Text
from channels.cards.ports import CardSink, Write
from channels.testing.harness import Harness, card, killed, new_run, opened, opening_of, owned, seen_once, stream_over
from channels.testing.journal import MemoryJournal

DONE = CardStatus.DONE
_TWO_HOURS_S = 7200.0
"""Longer than any platform remembers the key of a message."""
_SENTENCES = [f"Sentence {number} of a long answer, with some words in it." for number in range(900)]
_LONG = "\n\n".join(_SENTENCES)


async def sends_a_final_once(harness: Harness) -> None:
    """The same run's finished card is not shown twice, with its journal and without."""
    channel, run = await harness.make_channel(), new_run()
    last, journal = opening_of(harness, run, 1, card("the plain answer", DONE)), MemoryJournal()
    first = await harness.finish(channel.send_final(last, journal))
    for known in (journal.next_attempt(), MemoryJournal()):
        again = await harness.finish(channel.send_final(last, known))
        assert first.receipt.message_ids == again.receipt.message_ids
    await seen_once(harness, "the plain answer", messages=1)


async def sends_a_final_once_whatever_record_was_lost(harness: Harness) -> None:
    """Killed after any step of a long final and before its record, tried again two hours later: shown once."""
    learned, channel = MemoryJournal(), await harness.make_channel()
    await harness.finish(channel.send_final(_long_final(harness, new_run(), 1), learned))
    assert sum(path.startswith("final/send/") for path in learned.ran) > 1, learned.ran
    pages = await harness.messages(harness.conversation())
    for number, path in enumerate(_telling(learned.ran), 2):
        run, journal = new_run(), MemoryJournal()
        journal.lose.add(path)
        await killed(harness, channel.send_final(_long_final(harness, run, 1), journal))
        channel = await harness.later(_TWO_HOURS_S)
        await harness.finish(channel.send_final(_long_final(harness, run, 2), journal.next_attempt()))
        await _whole_and_once(harness, run)
        assert await harness.messages(harness.conversation()) == number * pages, path


async def finds_its_card_hours_after_a_crash(harness: Harness) -> None:
    """Killed after the card was sent and before that was recorded, opened again two hours later: the same card."""
    channel, run, journal = await harness.make_channel(), new_run(), MemoryJournal()
    await harness.finish(channel.open_card(opening_of(harness, new_run(), 1), learned := MemoryJournal()))
    journal.lose.add(learned.ran[-1])
    await killed(harness, channel.open_card(opening_of(harness, run, 1), journal))
    channel = await harness.later(_TWO_HOURS_S)
    sink = await harness.finish(channel.open_card(opening_of(harness, run, 2), journal.next_attempt()))
    closed = await harness.finish(stream_over(harness, channel, sink).close(card("late", DONE), within_s=10))
    assert closed.seen, closed
    await seen_once(harness, "late", messages=2)


async def answers_a_question_that_was_taken_back(harness: Harness) -> None:
    """The message that is answered is gone: card and final go to the conversation, once."""
    channel, question = await harness.make_channel(), await harness.ask()
    await harness.take_back(question)
    first = opening_of(harness, new_run(), 1, reply_to=question)
    sink = await harness.finish(channel.open_card(first, MemoryJournal()))
    closed = await harness.finish(stream_over(harness, channel, sink).close(card("on a card", DONE), within_s=10))
    assert closed.seen, closed
    last = opening_of(harness, new_run(), 1, card("in a message", DONE), reply_to=question)
    await harness.finish(channel.send_final(last, MemoryJournal()))
    await seen_once(harness, "on a card", messages=2)
    await seen_once(harness, "in a message", messages=2)


async def says_done_only_when_all_is_there(harness: Harness) -> None:
    """An answer over several cards: at no moment a reader sees the end of the work without the end of the text."""
    channel, run = await harness.make_channel(), new_run()
    sink = await harness.finish(channel.open_card(opening_of(harness, run, 1, card("")), MemoryJournal()))
    watched = _Watched(sink, harness)
    stream = stream_over(harness, channel, cast("CardSink", watched))
    stream.show(card("\n\n".join(_SENTENCES[:300])))
    await harness.pass_time(1.0)
    last = Card(Header("question", DONE, "[done]"), (Text("t", _LONG),))
    stream.show(last)
    await harness.pass_time(0.5)
    closed = await harness.finish(stream.close(last, within_s=30))
    assert closed.seen, closed
    told = [("[done]" in text, _SENTENCES[-1] in text) for text in watched.seen]
    assert told and told[-1] == (True, True), told
    assert (True, False) not in told, told


async def leaves_a_card_that_was_given_up_at_rest(harness: Harness) -> None:
    """A card whose answer went another way shows a few words and no button."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("half of the answer"))
    await harness.pass_time(0.5)
    stream.abandon()
    words = Card(Header("question", DONE), (Note("n", "The answer is below."),))
    work = leave_quiet(stream.sink, words, pacer=channel.pacer, guard=owned, within_s=5)
    assert await harness.finish(work) == ""
    await seen_once(harness, "The answer is below.", messages=1)
    assert "half of" not in await harness.visible_text(harness.conversation())


async def gives_up_a_removed_card_quietly(harness: Harness) -> None:
    """Nobody sees a removed card: there is nothing to leave at rest, and no request is repeated for it."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    await harness.fault("card_gone")
    before = await harness.refusals()
    words = Card(Header("question", DONE), (Note("n", "The answer is below."),))
    work = leave_quiet(stream.sink, words, pacer=channel.pacer, guard=owned, within_s=5)
    assert await harness.finish(work) == ""
    assert await harness.refusals() - before <= 1


async def changes_a_final_that_says_it_can_be_changed(harness: Harness) -> None:
    """A final that gives a state can be written anew, by another process too; one that gives none has no buttons."""
    channel, run, journal = await harness.make_channel(), new_run(), MemoryJournal()
    last = opening_of(harness, run, 1, card("the answer", DONE))
    sent = await harness.finish(channel.send_final(last, journal))
    if sent.state is None:
        return
    channel = await harness.make_channel()
    again = opening_of(harness, run, 2, card("the answer", DONE))
    stream = stream_over(harness, channel, channel.reopen_card(again, sent.state, journal.next_attempt()))
    judged = Card(Header("question", DONE), (Text("t", "the answer"), Note("v", "somebody is content")))
    closed = await harness.finish(stream.close(judged, within_s=10))
    assert closed.seen and closed.receipt is not None, closed
    assert closed.receipt.message_ids == sent.receipt.message_ids
    await seen_once(harness, "somebody is content", messages=1)


Check = Callable[[Harness], Coroutine[Any, Any, None]]

ALWAYS: tuple[Check, ...] = (sends_a_final_once, sends_a_final_once_whatever_record_was_lost)
GROWING: tuple[Check, ...] = (
    finds_its_card_hours_after_a_crash,
    answers_a_question_that_was_taken_back,
    says_done_only_when_all_is_there,
    leaves_a_card_that_was_given_up_at_rest,
    gives_up_a_removed_card_quietly,
    changes_a_final_that_says_it_can_be_changed,
)
"""Those that need a card that can be updated."""


class _Watched:
    """Passes everything on to a sink, and reads what people see after each request."""

    def __init__(self, sink: CardSink, harness: Harness) -> None:
        self._sink = sink
        self._harness = harness
        self.seen: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sink, name)

    async def send(self, write: Write) -> None:
        await self._sink.send(write)
        self.seen.append(await self._harness.visible_text(self._harness.conversation()))


def _long_final(harness: Harness, run: str, attempt: int) -> CardOpening:
    return opening_of(harness, run, attempt, card(f"{_LONG}\n\nThe end of {run}.", DONE))


def _telling(paths: list[str]) -> list[str]:
    """Give the steps of the first page, of one in the middle and of the last: the others are like them."""
    numbers = sorted({int(path.rpartition("/")[2]) for path in paths})
    chosen = {numbers[0], numbers[len(numbers) // 2], numbers[-1]}
    return [path for path in paths if int(path.rpartition("/")[2]) in chosen]


async def _whole_and_once(harness: Harness, run: str) -> None:
    visible = await harness.visible_text(harness.conversation())
    assert visible.count(f"The end of {run}.") == 1
    shares = {visible.count(sentence) for sentence in _SENTENCES[::50]}
    assert len(shares) == 1, f"some sentences are shown more often than others: {shares}"
