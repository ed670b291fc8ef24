"""A message that nobody may see twice: what was begun is looked for before it is sent again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from channels.cards.ports import Journal
from channels.readable import Json

Find = Callable[[int], Awaitable[str]]
"""Gives the id of the message if the conversation shows it since that time (UTC ms), else an empty text."""
Send = Callable[[], Awaitable[str]]
"""Sends the message and gives its id."""


def send_path(number: int) -> str:
    """Give the journal path of a page of a final message."""
    return f"final/send/{number}"


def was_begun(journal: Journal, number: int) -> bool:
    """Tell whether this page was begun by `send_once`, in this attempt or before."""
    return journal.recorded(_begin_path(number)) is not None


async def send_once(journal: Journal, number: int, now_ms: int, *, find: Find, send: Send) -> str:
    """Send page `number` of a final message and give its id; see `post_once`."""
    return await post_once(journal, (_begin_path(number), send_path(number)), now_ms, find=find, send=send)


async def post_once(journal: Journal, paths: tuple[str, str], now_ms: int, *, find: Find, send: Send) -> str:
    """Send a message and give its id; `paths` are the journal's for its begin and for its end.

    That it begins is recorded first. Whoever finds a begin without an end does not know what became of it, and the
    platform's memory of repeats is short: then the conversation is looked at, and only what is not there is sent.

    Raises:
        ChannelError: it was not, or perhaps not, sent; or the conversation cannot be read to find out.
    """
    begin_path, path = paths
    known = journal.recorded(path)
    if known is not None:
        return str(known["message_id"])
    begun = journal.recorded(begin_path)

    async def begin() -> Json:
        return {"at_ms": now_ms}

    async def work() -> Json:
        found = await find(int(begun["at_ms"])) if begun is not None else ""
        return {"message_id": found or await send()}

    if begun is None:
        await journal.step(begin_path, begin)
    return str((await journal.step(path, work))["message_id"])


def file_path(key: str) -> str:
    """Give the journal path of a file that is sent."""
    return f"file/{key}"


async def send_file_once(journal: Journal, key: str, now_ms: int, *, find: Find, send: Send) -> str:
    """Send a file and give its message's id; see `post_once`."""
    path = file_path(key)
    return await post_once(journal, (f"{path}/begin", path), now_ms, find=find, send=send)


def _begin_path(number: int) -> str:
    return f"final/begin/{number}"
