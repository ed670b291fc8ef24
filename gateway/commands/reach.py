"""Which runs a command reaches: those where it was given, and the person's own in the threads of the chat.

A platform's own command cannot be typed in threads, and an answer may grow in a thread of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from channels.events import ConversationRef
from engine.messages import Address
from engine.runtime import RunView
from gateway.commands.order import Desk, Order


async def open_runs(desk: Desk, order: Order) -> list[RunView]:
    """Give the open runs of the conversation, in their order, and after them the person's own elsewhere in the chat."""
    here = await desk.runtime.conversations.open_in(order.to, order.by.id)
    known = {run.id for run in here}
    return [*here, *(run for run in await elsewhere(desk, order) if run.id not in known)]


async def elsewhere(desk: Desk, order: Order) -> Sequence[RunView]:
    """Give the person's open runs in all threads of the chat, the newest first.

    None for who writes where something was asked before: they mean that, and it may have ended a moment ago.
    """
    if await _is_meant_here(desk, order):
        return ()
    found = await desk.runtime.conversations.open_of(order.by.id, _chat(order))
    return [run for run in found if same_chat(order, run)]


async def last_ended(desk: Desk, order: Order) -> RunView | None:
    """Give the person's newest run that has ended, here or, where `elsewhere` looks, in the whole chat."""
    if await _is_meant_here(desk, order):
        return await desk.runtime.conversations.last_ended(order.to, order.by.id)
    found = await desk.runtime.conversations.ended_of(order.by.id, _chat(order))
    return next((run for run in found if same_chat(order, run)), None)


def same_chat(order: Order, run: RunView) -> bool:
    """Tell whether a run is in the chat where the command was given, in whatever thread."""
    here, there = ConversationRef.parse(order.to), ConversationRef.parse(run.input.to)
    return (here.channel, here.account, here.chat) == (there.channel, there.account, there.chat)


async def _is_meant_here(desk: Desk, order: Order) -> bool:
    return order.key.kind != "command" and await desk.runtime.has_run_in(order.to)


def _chat(order: Order) -> Address:
    return Address(str(replace(ConversationRef.parse(order.to), thread=None)))
