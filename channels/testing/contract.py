"""What every channel must do, as checks to run over each of them through a harness.

A test module names its harness and runs against it what its capabilities promise, each check with a fresh harness:

    @pytest.mark.parametrize("check", checks_of(CAPABILITIES), ids=lambda check: check.__name__)
    async def test_contract(check, harness):
        await check(harness)
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from channels.base import Calling
from channels.capabilities import Capabilities
from channels.cards.model import Action, Call, Card, CardStatus, Header, Lane, Text, TodoItem, Todos
from channels.testing import contract_capabilities, contract_files, contract_finals
from channels.testing.harness import (
    FaultName,
    Harness,
    card,
    close,
    killed,
    new_run,
    opened,
    opening_of,
    seen_once,
    stream_over,
)
from channels.testing.journal import MemoryJournal

__all__ = ["Check", "FaultName", "Harness", "checks_of"]


async def shows_growth_and_proves_the_end(harness: Harness) -> None:
    """Text appears while it grows; the last word is complete, proven, and shown once."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    text = ""
    for number in range(30):
        text += f"word{number} "
        stream.show(card(text))
        await harness.pass_time(0.05)
    growing = await harness.visible_text(harness.conversation())
    assert "word20 " in growing, growing
    closed = await close(harness, stream, text + "the end")
    assert closed.seen and closed.receipt is not None and closed.receipt.message_ids, closed
    await seen_once(harness, text + "the end", messages=1)


async def flushes_the_tail(harness: Harness) -> None:
    """The newest snapshot is written although no other follows, also while a tool runs."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("first"))
    await harness.pass_time(0.05)
    stream.show(card("first and the tail.", tool="in_progress"))
    await harness.pass_time(0.6)
    visible = await harness.visible_text(harness.conversation())
    assert "the tail" in visible, visible
    stream.abandon()


async def finds_its_card_after_a_crash_at_every_step(harness: Harness) -> None:
    """Whatever creating call was done but not recorded, the next owner ends on one card, shown once."""
    learned = MemoryJournal()
    channel = await harness.make_channel()
    await harness.finish(channel.open_card(opening_of(harness, new_run(), 1), learned))
    assert learned.ran, "opening a card must be journaled"
    assert all(path.startswith("open/") for path in learned.ran), learned.ran
    count = await harness.messages(harness.conversation())
    for number, path in enumerate(list(learned.ran), 1):
        run, journal = new_run(), MemoryJournal()
        journal.lose.add(path)
        await killed(harness, channel.open_card(opening_of(harness, run, 1), journal))
        channel = await harness.make_channel()
        sink = await harness.finish(channel.open_card(opening_of(harness, run, 2), journal.next_attempt()))
        stream = stream_over(harness, channel, sink)
        closed = await close(harness, stream, f"answer after {number}")
        assert closed.seen, (path, closed)
        await seen_once(harness, f"answer after {number}", messages=count + number)


async def goes_on_with_a_known_card(harness: Harness) -> None:
    """`state` and `reopen_card` give the same card to the next process, without a request."""
    channel, run, journal = await harness.make_channel(), new_run(), MemoryJournal()
    sink = await harness.finish(channel.open_card(opening_of(harness, run, 1), journal))
    stream = stream_over(harness, channel, sink)
    stream.show(card("half of the"))
    await harness.pass_time(0.5)
    before = sink.receipt().message_ids
    stream.abandon()
    channel = await harness.make_channel()
    again = channel.reopen_card(opening_of(harness, run, 2), sink.state(), journal.next_attempt())
    closed = await close(harness, stream_over(harness, channel, again), "half of the answer")
    assert closed.seen and closed.receipt is not None, closed
    assert closed.receipt.message_ids == before
    await seen_once(harness, "half of the answer", messages=1)


async def sends_a_notice(harness: Harness) -> None:
    """A line of text arrives."""
    channel, place = await harness.make_channel(), harness.conversation()
    receipt = await harness.finish(channel.send_notice(place, "just so you know", reply_to=None, key=new_run()))
    assert receipt.message_ids
    await seen_once(harness, "just so you know", messages=1)


async def calls_a_person_once(harness: Harness) -> None:
    """A channel that rings phones does so once for a key, with our words."""
    channel, key = await harness.make_channel(), new_run()
    if not isinstance(channel, Calling):
        return
    call = Call("ou_lin", "end", "please have a look")
    for _ in range(2):
        await harness.finish(channel.call(harness.conversation(), call, reply_to=None, key=key))
    await seen_once(harness, "please have a look", messages=1)


async def gives_a_dead_card_up(harness: Harness) -> None:
    """A removed card takes at most two refused writes; then the host is told to use another way, and that works."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("before"))
    await harness.pass_time(0.5)
    before = await harness.refusals()
    await harness.fault("card_gone")
    for number in range(20):
        stream.show(card(f"after {number}"))
        await harness.pass_time(0.1)
    closed = await close(harness, stream, "the whole answer")
    assert not closed.seen and closed.permanent, closed
    assert await harness.refusals() - before <= 2
    last = opening_of(harness, run, 1, card("the whole answer", CardStatus.DONE))
    await harness.finish(channel.send_final(last, MemoryJournal()))
    assert "the whole answer" in await harness.visible_text(harness.conversation())


async def survives_the_end_of_its_stream(harness: Harness) -> None:
    """The platform ends streaming: the same card ends complete, after at most three refused requests."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("some text"))
    await harness.pass_time(0.5)
    before = await harness.refusals()
    await harness.fault("stream_ended")
    stream.show(card("some text, a tool, "))
    await harness.pass_time(1.0)
    closed = await close(harness, stream, "some text, a tool, the rest")
    assert closed.seen, closed
    assert await harness.refusals() - before <= 3
    await seen_once(harness, "some text, a tool, the rest", messages=1)


async def survives_stumbles(harness: Harness) -> None:
    """One refused, lost, unanswered or throttled write changes nothing about the end."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    faults: list[FaultName] = ["rate_limited", "connection_lost", "answer_lost", "preview_refused"]
    text = "start "
    for name in faults:
        stream.show(card(text))
        await harness.pass_time(0.5)
        await harness.fault(name)
        text += f"after {name} "
        stream.show(card(text))
        await harness.pass_time(1.5)
    closed = await close(harness, stream, text + "end")
    assert closed.seen, closed
    await seen_once(harness, text + "end", messages=1)


async def proves_the_end_although_its_answer_is_lost(harness: Harness) -> None:
    """The last write is carried out but not answered: it is proven all the same, and shown once."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("nearly"))
    await harness.pass_time(0.5)
    await harness.fault("answer_lost")
    closed = await close(harness, stream, "nearly done")
    assert closed.seen, closed
    await seen_once(harness, "nearly done", messages=1)


async def waits_for_a_person_and_goes_on(harness: Harness) -> None:
    """A waiting card is written at once and stays quiet; then the same card goes on."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    stream.show(card("may I?"))
    await harness.pass_time(0.5)
    approve = Action("approve", "Approve", run, "n1")
    stream.show(card("may I? please press", CardStatus.WAITING, actions=(approve,)))
    await harness.pass_time(0.7)
    assert stream.state == "frozen"
    assert "please press" in await harness.visible_text(harness.conversation())
    stream.show(card("may I? please press - thanks, "))
    await harness.pass_time(1.0)
    assert stream.state == "live"
    closed = await close(harness, stream, "may I? please press - thanks, done")
    assert closed.seen, closed
    await seen_once(harness, "may I? please press - thanks, done", messages=1)


async def rolls_over(harness: Harness) -> None:
    """An answer larger than a card arrives whole and in order."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    sentences = [f"Sentence {number} of a long answer, with some words in it." for number in range(1500)]
    for part in (300, 700, 1100):
        stream.show(card("\n\n".join(sentences[:part])))
        await harness.pass_time(1.0)
    closed = await close(harness, stream, "\n\n".join(sentences), within_s=30)
    assert closed.seen, closed
    visible = await harness.visible_text(harness.conversation())
    places = [visible.find(sentence) for sentence in sentences]
    assert -1 not in places, f"{places.count(-1)} sentences are missing, first {places.index(-1)}"
    assert places == sorted(places)
    assert all(visible.count(sentence) == 1 for sentence in sentences[::50])


async def fits_three_lanes_of_twenty_todos(harness: Harness) -> None:
    """The largest team card we promise is taken."""
    channel, run = await harness.make_channel(), new_run()
    stream = await opened(harness, channel, run)
    lanes = tuple(_lane(number) for number in range(3))
    last = Card(Header("team", CardStatus.DONE), (*lanes, Text("t", "summary of the team")))
    closed = await harness.finish(stream.close(last, within_s=10))
    assert closed.seen, closed
    assert "summary of the team" in await harness.visible_text(harness.conversation())


def _lane(number: int) -> Lane:
    items = tuple(TodoItem(f"i{n}", f"Todo {n} of lane {number}: compare the figures", "success") for n in range(20))
    return Lane(f"l{number}", f"Lane {number}", "success", (Todos(f"todos{number}", items),))


Check = Callable[[Harness], Coroutine[Any, Any, None]]

_GROWING: tuple[Check, ...] = (
    shows_growth_and_proves_the_end,
    flushes_the_tail,
    finds_its_card_after_a_crash_at_every_step,
    goes_on_with_a_known_card,
    gives_a_dead_card_up,
    survives_the_end_of_its_stream,
    survives_stumbles,
    proves_the_end_although_its_answer_is_lost,
    waits_for_a_person_and_goes_on,
    rolls_over,
    fits_three_lanes_of_twenty_todos,
    contract_capabilities.outlives_its_stream,
    *contract_finals.GROWING,
)
_PRESSING: tuple[Check, ...] = (contract_capabilities.hands_a_press_on,)
_ALWAYS: tuple[Check, ...] = (
    sends_a_notice,
    calls_a_person_once,
    contract_capabilities.knows_its_own_methods,
    *contract_finals.ALWAYS,
)


def checks_of(capabilities: Capabilities) -> tuple[Check, ...]:
    """Give the checks that a channel with these capabilities must pass: a flag may be true only where they do."""
    growing = _GROWING if capabilities.can_update_cards else ()
    pressing = _PRESSING if capabilities.can_press_buttons else ()
    files = contract_files.FILES if capabilities.can_send_files else ()
    return (*_ALWAYS, *growing, *pressing, *files)
