"""What waits in a conversation, and what becomes of words that come while it works."""

from __future__ import annotations

from typing import get_args

from channels.cards.shorten import shorten
from engine.runtime import RunView, without_secrets
from engine.settings import WhileBusy
from gateway.commands.order import Desk, Order, Reply
from gateway.commands.reach import elsewhere, open_runs

WORDS_CHARS = 40
SHOWN = 10
MODES: tuple[str, ...] = get_args(WhileBusy)


async def show_or_change(desk: Desk, order: Order) -> Reply:
    """Show what waits; `clear` stops what waits of the person's (an admin's: all), `mode` sets the mode."""
    match order.rest.casefold().split():
        case []:
            return await _show(desk, order)
        case ["clear"]:
            theirs = [run.id for run in await elsewhere(desk, order)]
            stopped = await desk.runtime.conversations.clear(order.key, order.to, order.by, also=theirs)
            return Reply("reply.queue_cleared", {"count": len(stopped or ())})
        case ["mode", mode] if mode in MODES:
            await desk.runtime.conversations.note(order.key, order.to, order.name, {"while_busy": mode})
            return Reply("reply.queue_mode", {"mode": Reply(f"reply.mode_{mode}")}, tone="success")
        case _:
            return Reply("reply.queue_unknown", {"modes": " | ".join(MODES)}, tone="warning")


async def _show(desk: Desk, order: Order) -> Reply:
    waiting = [run for run in await open_runs(desk, order) if run.status == "queued"]
    mode = (await desk.runtime.standing(order.to)).while_busy
    lines = [_line(place, run) for place, run in enumerate(waiting[:SHOWN], 1)]
    if len(waiting) > SHOWN:
        lines.append(Reply("reply.queue_more", {"count": len(waiting) - SHOWN}))
    head = Reply("reply.queue", {"count": len(waiting)}) if waiting else Reply("reply.queue_empty")
    return Reply(head.key, head.params, [*lines, Reply("reply.queue_mode", {"mode": Reply(f"reply.mode_{mode}")})])


def _line(place: int, run: RunView) -> Reply:
    key = "reply.queue_line" if run.input.by.name else "reply.queue_line_unnamed"
    return Reply(key, {"place": place, "name": run.input.by.name, "words": short(run), "code": run.code})


def short(run: RunView) -> str:
    """Give the beginning of what a run was asked."""
    return shorten(without_secrets(" ".join(run.input.text.split())), WORDS_CHARS) or "…"
