"""Leaves a card at rest whose answer is shown elsewhere: as well as the platform allows, and no longer than told."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from channels.cards.model import Card
from channels.cards.ports import CardSink, WriteGuard
from channels.errors import ChannelError, RateLimited
from channels.pacing import Pacer

log = logging.getLogger(__name__)

_ROUNDS = 4
"""Ways a sink may offer one after the other, and one more for a stumble."""


async def leave_quiet(
    sink: CardSink, card: Card, *, pacer: Pacer, guard: WriteGuard, within_s: float
) -> Literal["", "status", "active"]:
    """Make the card show `card` or at least nothing that seems to work; gives what was not possible (see `unrest`).

    Refusals are expected: the card was given up for a reason. One for pace is waited out.
    """
    try:
        async with asyncio.timeout(within_s):
            for _ in range(_ROUNDS):
                if not await _round(sink, card, pacer, guard):
                    break
    except TimeoutError:
        log.info("card.not_quiet_in_time")
    return sink.unrest


async def _round(sink: CardSink, card: Card, pacer: Pacer, guard: WriteGuard) -> bool:
    writes = sink.quiet(card)
    for write in writes:
        await pacer.acquire(write.method)
        await guard()
        try:
            await sink.send(write)
        except ChannelError as error:
            log.info("card.quiet_refused", extra={"method": write.method, "code": error.code})
            if isinstance(error, RateLimited):
                pacer.refused(write.method, error)
                await pacer.clock.sleep(error.retry_after_s)
    return bool(writes)
