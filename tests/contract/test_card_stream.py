"""The card writer against the pretended platform."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from channels.base import CardOpening
from channels.cards.model import Card, CardStatus, Header, Text
from channels.cards.stream import CardStream
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from channels.testing.platform import Rules
from gateway.clock import FakeClock


def card(text: str, status: CardStatus = CardStatus.WORKING) -> Card:
    return Card(Header("q", status), (Text("t", text, streaming=not status.is_terminal),))


async def owned() -> None:
    return None


@pytest.fixture
def channel(clock: FakeClock, tmp_path: Path) -> FakeChannel:
    return FakeChannel(tmp_path / "platform", clock, rules=Rules())


async def opened(channel: FakeChannel, clock: FakeClock) -> CardStream:
    opening = CardOpening(channel.conversation(), "run1", 1, None, card(""))
    sink = await channel.open_card(opening, MemoryJournal())
    return CardStream(sink, pacer=channel.pacer, guard=owned, clock=clock)


async def test_an_answer_grows_and_ends(channel: FakeChannel, clock: FakeClock) -> None:
    stream = await opened(channel, clock)
    text = ""
    for n in range(50):
        text += f"word{n} "
        stream.show(card(text))
        await clock.advance(0.02)
    closing = asyncio.create_task(stream.close(card(text + "end", CardStatus.DONE), within_s=10))
    await clock.advance(1)
    closed = await closing
    assert closed.seen
    assert stream.state == "final"
    (shown,) = channel.visible(channel.conversation())
    assert shown.endswith(text + "end")
    entity = next(iter(channel.platform.world.cards.values()))
    assert 5 <= len(entity.history) <= 8
    assert not entity.streaming
    assert [c for c in channel.platform.world.calls if c.get("refused")] == []
