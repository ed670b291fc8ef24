"""What a standard edition allows: 20 calls a second of each kind for the whole app, and 5,000 a month."""

from __future__ import annotations

import asyncio
import time

from channels.base import CardOpening
from channels.cards.model import CardStatus
from channels.cards.stream import CardStream
from channels.testing.journal import MemoryJournal
from tests.contract.dingtalk_adapter import Bench, bench, card

ENDLESS = {"edition": "standard", "previews_per_answer": 100_000, "previews_per_month": 1_000_000, "refresh_ms": 200}


async def owned() -> None:
    return None


async def streams(b: Bench, count: int) -> list[CardStream]:
    message = await b.asked()
    openings = [CardOpening(message.conversation, f"run{number:023}", 1, None, card("")) for number in range(count)]
    sinks = await asyncio.gather(*(b.adapter.open_card(each, MemoryJournal()) for each in openings))
    clock = b.adapter.pacer.clock
    return [CardStream(sink, pacer=b.adapter.pacer, guard=owned, clock=clock) for sink in sinks]


async def test_many_live_cards_share_the_apps_calls_without_one_refusal() -> None:
    """conn #404, #444, #450, #461: with two or three live cards the limit was met all the time."""
    async with bench(settings=ENDLESS, api_per_second=20) as b:
        cards = await streams(b, 12)
        began_s = time.monotonic()
        number = 0
        while time.monotonic() - began_s < 3:
            number += 1
            for each in cards:
                each.show(card("word " * number))
            await asyncio.sleep(0.05)
        closed = await asyncio.gather(*(each.close(card("the end", CardStatus.DONE), within_s=10) for each in cards))
        assert all(each.seen for each in closed), closed
        refused = [e.code for e in b.sim.timeline.since() if e.kind == "rest" and e.code]
        assert refused == []
        assert len(b.calls("/card/streaming")) > 36, "and they did grow"


async def test_an_answer_on_the_standard_edition_costs_a_handful_of_calls() -> None:
    async with bench(settings={"edition": "standard", "refresh_ms": 100}, api_per_second=20, monthly_calls=5000) as b:
        (stream,) = await streams(b, 1)
        for number in range(60):
            stream.show(card("word " * (number + 1)))
            await asyncio.sleep(0.05)
        closed = await stream.close(card("the end", CardStatus.DONE), within_s=10)
        assert closed.seen, closed
        calls = [e for e in b.sim.timeline.since() if e.kind == "rest" and "/v1.0/card/" in e.path]
        assert 5 <= len(calls) <= 16, len(calls)


async def test_a_month_of_previews_that_is_spent_leaves_first_and_last_words() -> None:
    settings = {"edition": "standard", "previews_per_month": 2, "refresh_ms": 100}
    async with bench(settings=settings, api_per_second=20) as b:
        for stream in await streams(b, 3):
            for number in range(8):
                stream.show(card("word " * (number + 1)))
                await asyncio.sleep(0.1)
            assert (await stream.close(card("the end", CardStatus.DONE), within_s=10)).seen
        assert b.adapter.pacer.statistics().previews_of_month == 2
        assert sum("the end" in each["text"] for each in b.answers()) == 3
