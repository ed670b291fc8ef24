"""A request that belongs to no live card, insisted on for some seconds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from channels.errors import DeliveryUnknown, NotDispatched, RateLimited
from channels.pacing.pacer import Pacer

T = TypeVar("T")

_TRIES = 6
_FIRST_PAUSE_S = 0.2
LONGEST_WAIT_S = 5.0
"""A refusal for longer is not waited out: the answer is owed and comes later."""


async def insist(pacer: Pacer, method: str, work: Callable[[], Awaitable[T]]) -> T:
    """Do `work`, one request of `method` that may be repeated, again after refusals for pace and lost answers.

    Each try waits for its turn. Lost answers are tried again after 0.2 s, 0.4 s, ...; six tries in all. A refusal for
    longer than 5 s is not waited out.

    Raises:
        ChannelError: the last refusal.
    """
    pause_s = _FIRST_PAUSE_S
    for tries_left in range(_TRIES - 1, -1, -1):
        await pacer.acquire(method)
        try:
            return await work()
        except RateLimited as error:
            pacer.refused(method, error)
            if not tries_left or error.retry_after_s > LONGEST_WAIT_S:
                raise
            await pacer.clock.sleep(error.retry_after_s)
        except (DeliveryUnknown, NotDispatched):
            if not tries_left:
                raise
            await pacer.clock.sleep(pause_s)
            pause_s *= 2
    raise AssertionError("the last try returns or raises")
