"""A message that nobody may see twice, on a platform that can tell of none whether it arrived."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count

from channels.cards.ports import Journal, WriteGuard
from channels.errors import ChannelError, Unproven
from channels.readable import Json

Around = Callable[[], AbstractAsyncContextManager[None]]
"""Stands around one request: entered when its turn has come, directly before it leaves."""
Send = Callable[[Around], Awaitable[str]]
"""Sends the message, each of its requests inside of what it is given, and gives its id."""


def guarded(guard: WriteGuard) -> Around:
    """Give what lets a request through while the run is ours."""

    @asynccontextmanager
    async def around() -> AsyncGenerator[None]:
        await guard()
        yield

    return around


def was_begun(journal: Journal, path: str) -> bool:
    """Tell whether this message was begun, in this attempt or before."""
    return journal.recorded(_begin(path, 0)) is not None


async def send_once(journal: Journal, path: str, send: Send) -> str:
    """Send a message, recorded under `path`, and give its id.

    That a request leaves is recorded directly before, and that it failed for certain as well: then another may leave.
    A message that waited for its turn, or was refused, when its process ended was surely not seen. One whose request
    left and neither arrived nor failed may have been, and nobody can find out.

    Raises:
        DeliveryUnknown: it was perhaps sent just now.
        Unproven: it was perhaps sent before.
        ChannelError: it was not sent.
    """
    known = journal.recorded(path)
    if known is not None:
        return str(known["message_id"])
    requests = _Requests(journal, path)
    if requests.may_have_arrived:
        raise Unproven("message: begun before, and the platform cannot tell whether it arrived")

    async def work() -> Json:
        return {"message_id": await send(requests.one)}

    return str((await journal.step(path, work))["message_id"])


class _Requests:
    """The requests for one message, of this attempt and of those before."""

    def __init__(self, journal: Journal, path: str) -> None:
        self._journal = journal
        self._path = path
        self._next = next(number for number in count() if journal.recorded(_begin(path, number)) is None)

    @property
    def may_have_arrived(self) -> bool:
        """Tell whether the last request left and nobody knows what became of it."""
        return self._next > 0 and self._journal.recorded(_void(self._path, self._next - 1)) is None

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[None]:
        """See `Around`."""
        number, self._next = self._next, self._next + 1
        await self._journal.guard()
        await self._journal.step(_begin(self._path, number), _nothing)
        try:
            yield
        except ChannelError as error:
            if not error.maybe_seen:
                await self._journal.step(_void(self._path, number), _nothing)
            raise


async def _nothing() -> Json:
    return {}


def _begin(path: str, number: int) -> str:
    return f"{path}/begin/{number}"


def _void(path: str, number: int) -> str:
    return f"{path}/void/{number}"
