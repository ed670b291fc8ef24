"""Many answers at once within the workspace's real limits: no refusal, every end proven."""

from __future__ import annotations

import asyncio

import pytest

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.cards.stream import CardStream, Closed
from channels.events import InboundMessage
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock
from tests.contract.slack_adapter import CHANNEL, DIRECT, Bench, bench, card

SENTENCE = "A few words that come one after the other. "


async def answered(b: Bench, message: InboundMessage, run: str) -> Closed:
    opening = CardOpening(message.conversation, run, 1, message.message_id, card(""))
    journal = MemoryJournal()
    sink = await b.adapter.open_card(opening, journal)
    stream = CardStream(sink, pacer=b.adapter.pacer, guard=journal.guard, clock=SystemClock())
    text = ""
    for _ in range(30):
        text += SENTENCE
        stream.show(card(text))
        await asyncio.sleep(0.1)
    return await stream.close(card(text + f"The end of {run}.", CardStatus.DONE), within_s=20)


@pytest.mark.parametrize(("chat", "count"), [(DIRECT, 12), (CHANNEL, 12)])
async def test_a_crowd(chat: str, count: int) -> None:
    async with bench(post_burst=20) as b:
        questions = [await b.asked(f"@niuma question {n}", chat=chat) for n in range(count)]
        all_closed = await asyncio.gather(*(answered(b, each, f"run{n}") for n, each in enumerate(questions)))
        assert [closed.seen for closed in all_closed] == [True] * count
        shown = "\n".join(message["shown"] for message in b.answers())
        assert [shown.count(f"The end of run{n}.") for n in range(count)] == [1] * count
        assert len(b.answers()) == count
        assert [(e.path, e.code) for e in b.sim.timeline.since() if e.kind == "rest" and e.code] == []
