"""What the channel contract asks of a platform, and short words for what its checks do all the time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable
from typing import Literal, Protocol, TypeVar

from channels.base import CardOpening, Channel
from channels.cards.model import Action, Card, CardStatus, Header, Text, ToolPanel
from channels.cards.ports import CardSink
from channels.cards.stream import CardStream, Closed
from channels.clock import Clock
from channels.errors import ChannelError
from channels.events import CardAction, ConversationRef
from channels.testing.journal import MemoryJournal

T = TypeVar("T")

FaultName = Literal["rate_limited", "connection_lost", "answer_lost", "preview_refused", "stream_ended", "card_gone"]
"""rate_limited, connection_lost, preview_refused (read and refused): the next card write, once. answer_lost: the next
card write is carried out but not answered. stream_ended: streaming of all cards is switched off by the platform.
card_gone: the newest card of the conversation was removed by a person."""


class Harness(Protocol):
    """One platform (a simulator, or a fake), and processes of ours that come and go."""

    @property
    def clock(self) -> Clock:
        """Give the clock that the channels of this harness use."""
        ...

    async def make_channel(self) -> Channel:
        """Give a started channel as a fresh process would; called again it is the next process, same platform."""
        ...

    def conversation(self) -> ConversationRef:
        """Give the one conversation of this harness."""
        ...

    async def visible_text(self, conversation: ConversationRef) -> str:
        """Give all that a person sees there now, top to bottom, without what is folded away."""
        ...

    async def messages(self, conversation: ConversationRef) -> int:
        """Give how many messages of ours are there."""
        ...

    async def refusals(self) -> int:
        """Give how many requests the platform refused so far."""
        ...

    async def fault(self, name: FaultName) -> None:
        """Let something go wrong."""
        ...

    async def pass_time(self, seconds: float) -> None:
        """Let that much time pass, for us and for the platform."""
        ...

    async def later(self, seconds: float) -> Channel:
        """Let the process be gone for so long; gives the next one's channel, on the same platform."""
        ...

    async def ask(self) -> str:
        """Let a person write; gives the message's id."""
        ...

    async def press(self, action: Action) -> CardAction:
        """Let a person press a button that the newest message shows; gives what the channel's handler was told."""
        ...

    async def take_back(self, message_id: str) -> None:
        """Let a person take their message back."""
        ...

    async def finish(self, work: Awaitable[T]) -> T:
        """Await `work` while time passes."""
        ...


def card(
    text: str, status: CardStatus = CardStatus.WORKING, *, tool: str = "", actions: tuple[Action, ...] = ()
) -> Card:
    """Give a small card with an answer."""
    answer = Text("t", text, streaming=status is CardStatus.WORKING and not tool)
    panel = (ToolPanel("p", "tool", "Reading", "in_progress"),) if tool else ()
    return Card(Header("question", status), (*panel, answer), actions)


def new_run() -> str:
    """Give the id of a run."""
    return f"run{uuid.uuid4().hex[:20]}"


def opening_of(
    harness: Harness, run: str, attempt: int, first: Card | None = None, *, reply_to: str | None = None
) -> CardOpening:
    """Give an opening in the harness's conversation."""
    return CardOpening(harness.conversation(), run, attempt, reply_to, first or card(""))


async def owned() -> None:
    """Guard what is ours."""
    return None


def stream_over(harness: Harness, channel: Channel, sink: CardSink) -> CardStream:
    """Give a writer over the sink."""
    return CardStream(sink, pacer=channel.pacer, guard=owned, clock=harness.clock)


async def opened(harness: Harness, channel: Channel, run: str) -> CardStream:
    """Open a card and give its writer."""
    sink = await harness.finish(channel.open_card(opening_of(harness, run, 1), MemoryJournal()))
    return stream_over(harness, channel, sink)


async def close(harness: Harness, stream: CardStream, text: str, *, within_s: float = 10) -> Closed:
    """Write the last word."""
    return await harness.finish(stream.close(card(text, CardStatus.DONE), within_s=within_s))


async def killed(harness: Harness, work: Awaitable[object]) -> None:
    """Check that the process dies on the way."""
    try:
        await harness.finish(work)
    except (asyncio.CancelledError, ChannelError):
        return
    raise AssertionError("the lost step was not reached")


async def seen_once(harness: Harness, text: str, *, messages: int) -> None:
    """Check that the text is shown once, among so many messages."""
    visible = await harness.visible_text(harness.conversation())
    assert visible.count(text) == 1, f"{text!r} is shown {visible.count(text)} times in {visible!r}"
    assert await harness.messages(harness.conversation()) == messages
