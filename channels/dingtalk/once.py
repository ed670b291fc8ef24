"""A message that nobody may see twice, on a platform that can tell of none whether it arrived."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count

from channels.cards.ports import Journal, Json
from channels.errors import ChannelError, DeliveryUnknown

Send = Callable[[], Awaitable[str]]
"""Sends the message and gives its id."""


def was_begun(journal: Journal, path: str) -> bool:
    """Tell whether this message was begun, in this attempt or before."""
    return journal.recorded(_begin(path, 0)) is not None


async def send_once(journal: Journal, path: str, send: Send) -> str:
    """Send a message, recorded under `path`, and give its id.

    That it begins is recorded first, and that it failed for certain as well: then it may begin again. One that was
    begun and neither sent nor failed may have been seen, and nobody can find out.

    Raises:
        DeliveryUnknown: it was perhaps sent, now or before.
        ChannelError: it was not sent.
    """
    known = journal.recorded(path)
    if known is not None:
        return str(known["message_id"])
    number = next(each for each in count() if journal.recorded(_begin(path, each)) is None)
    if number and journal.recorded(_void(path, number - 1)) is None:
        raise DeliveryUnknown("message: begun before, and the platform cannot tell whether it arrived")

    async def work() -> Json:
        return {"message_id": await send()}

    await journal.step(_begin(path, number), _nothing)
    try:
        return str((await journal.step(path, work))["message_id"])
    except ChannelError as error:
        if not error.maybe_seen:
            await journal.step(_void(path, number), _nothing)
        raise


async def _nothing() -> Json:
    return {}


def _begin(path: str, number: int) -> str:
    return f"{path}/begin/{number}"


def _void(path: str, number: int) -> str:
    return f"{path}/void/{number}"
