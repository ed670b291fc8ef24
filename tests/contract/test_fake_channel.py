"""The fake channel is real enough to be killed: its platform keeps what it had accepted."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from channels.base import CardOpening
from channels.cards.model import Card, CardStatus, Header, Text
from channels.cards.stream import CardStream
from channels.events import CardAction, ConversationRef, DedupeKey, Inbound, InboundMessage, Sender, Toast
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from gateway.clock import FakeClock, SystemClock

WRITER = """
import asyncio, sys
from pathlib import Path
from channels.base import CardOpening
from channels.cards.model import Card, CardStatus, Header, Text
from channels.cards.stream import CardStream
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from gateway.clock import SystemClock

async def owned():
    pass

async def main():
    channel = FakeChannel(Path(sys.argv[1]), SystemClock())
    head = Header("q", CardStatus.WORKING)
    opening = CardOpening(channel.conversation(), "run1", 1, None, Card(head))
    sink = await channel.open_card(opening, MemoryJournal())
    stream = CardStream(sink, pacer=channel.pacer, guard=owned, clock=SystemClock())
    text = ""
    while True:
        text += "word "
        stream.show(Card(head, (Text("t", text, streaming=True),)))
        await asyncio.sleep(0.01)

asyncio.run(main())
"""


def message(conversation: ConversationRef) -> InboundMessage:
    return InboundMessage(
        dedupe=DedupeKey("fake", "main", "message", "m1"),
        conversation=conversation,
        chat_kind="group",
        message_id="m1",
        sender=Sender("u1", "tenant1"),
        text="hello",
        mentions_me=True,
        created_at_ms=0,
    )


async def test_a_killed_writer_leaves_its_card_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "platform"
    channel = FakeChannel(path, SystemClock())
    world = channel.platform.world
    process = await asyncio.to_thread(subprocess.Popen, [sys.executable, "-c", WRITER, str(path)])
    while not any(card.content for card in world.cards.values()):
        await asyncio.sleep(0.05)
        world.refresh()
    os.kill(process.pid, signal.SIGKILL)
    await asyncio.to_thread(process.wait)

    async def owned() -> None:
        return None

    (card,) = world.cards.values()
    last = Card(Header("q", CardStatus.DONE), (Text("t", "the whole answer"),))
    opening = CardOpening(channel.conversation(), "run1", 2, None, last)
    sink = channel.reopen_card(opening, {"pages": [[card.id, card.message]], "mode": "stream"}, MemoryJournal())
    closed = await CardStream(sink, pacer=channel.pacer, guard=owned, clock=SystemClock()).close(last, within_s=5)
    assert closed.seen
    assert channel.visible(channel.conversation()) == ["# q [done]\nthe whole answer"]


async def test_messages_are_delivered_until_they_are_acked(tmp_path: Path, clock: FakeClock) -> None:
    got: list[Inbound] = []

    async def handler(inbound: Inbound) -> Toast | None:
        got.append(inbound)
        if len(got) == 1:
            raise RuntimeError("the database is locked")
        return Toast("info", "ok")

    channel = FakeChannel(tmp_path / "platform", clock)
    number = channel.post(message(channel.conversation()))
    await channel.start(handler)
    assert channel.health().ok
    await clock.advance(0.5)
    assert got == [message(channel.conversation())] * 2
    assert channel.platform.world.acked == {number: {"tone": "info", "text": "ok"}}
    await channel.stop()
    assert not channel.health().ok


async def test_another_process_delivers_what_was_not_acked(tmp_path: Path, clock: FakeClock) -> None:
    first, second = FakeChannel(tmp_path / "platform", clock), FakeChannel(tmp_path / "platform", clock)
    press = CardAction(
        DedupeKey("fake", "main", "action", "e1"), first.conversation(), "msg1", Sender("u1", "t"), {"do": "stop"}, 5
    )
    first.post(press)
    got: list[Inbound] = []

    async def handler(inbound: Inbound) -> Toast | None:
        got.append(inbound)
        return None

    await second.start(handler)
    await clock.advance(0.2)
    assert got == [press]
    await second.stop()


async def test_signs_come_and_go(tmp_path: Path, clock: FakeClock) -> None:
    channel = FakeChannel(tmp_path / "platform", clock)
    await channel.react(channel.conversation(), "m1", "working", on=True)
    assert channel.platform.world.reactions == {("m1", "working")}
    await channel.react(channel.conversation(), "m1", "working", on=False)
    channel.fault("react", "rejected")
    await channel.react(channel.conversation(), "m1", "queued", on=True)
    assert channel.platform.world.reactions == set()
