"""The account's line: one socket, and two while the platform replaces it.

The new socket is up before the old one is given up: between two nothing is said to nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from channels.clock import Clock
from channels.connection import within
from channels.errors import AuthFailed, ChannelError
from channels.slack.socket import Socket

Open = Callable[[], Awaitable[Socket]]

_OLD_LIVES_S = 30.0
"""How long the old socket may go on: the platform closes it about ten seconds after its warning."""
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 10.0
_log = logging.getLogger(__name__)


class Line:
    """A `channels.connection.Link` over sockets that follow each other."""

    def __init__(
        self,
        first: Socket,
        open_socket: Open,
        clock: Clock,
        *,
        dial_timeout_s: float,
        refused: Callable[[AuthFailed], None],
    ) -> None:
        """`refused` is told of a refusal that ends the line."""
        self._current = first
        self._open = open_socket
        self._clock = clock
        self._dial_timeout_s = dial_timeout_s
        self._refused = refused
        self._retiring: set[asyncio.Task[None]] = set()

    @property
    def heard_s(self) -> float:
        """Give the last sign of life of the socket in use."""
        return self._current.heard_s

    @property
    def strangers(self) -> int:
        """Give how many sockets of this app are none of ours: each takes a share of the events."""
        return max(0, self._current.connections - 1 - len(self._retiring))

    async def serve(self) -> None:
        """Read until no socket is left.

        Raises:
            ChannelError: the last one ended.
        """
        while True:
            reading = asyncio.ensure_future(self._current.read())
            try:
                successor = await self._successor(reading)
            except BaseException as error:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
                if isinstance(error, AuthFailed):
                    self._refused(error)
                raise
            self._retire(self._current, reading)
            self._current = successor

    async def ping(self) -> None:
        """Ask for a sign of life. Raises like `Socket.ping`."""
        await self._current.ping()

    async def close(self) -> None:
        """Close all sockets."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(self._current.close(), *self._retiring, return_exceptions=True)

    async def _successor(self, reading: asyncio.Future[None]) -> Socket:
        """Wait until the socket in use is to be replaced, and give the next one.

        Raises:
            ChannelError: it ended before that.
        """
        await self._first_of(reading, self._current.leaves.wait())
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await within(self._clock, self._dial_timeout_s, self._open())
            except AuthFailed:
                raise
            except ChannelError as error:
                _log.warning("slack_successor_failed", extra={"code": error.code})
            await self._first_of(reading, self._clock.sleep(pause_s))
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _first_of(self, reading: asyncio.Future[None], other: Awaitable[object]) -> None:
        """Wait for `other`, unless reading ends first: then raise what it raised."""
        waiting = asyncio.ensure_future(other)
        try:
            await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    def _retire(self, socket: Socket, reading: asyncio.Future[None]) -> None:
        task = asyncio.get_running_loop().create_task(self._see_off(socket, reading), name="slack old socket")
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)

    async def _see_off(self, socket: Socket, reading: asyncio.Future[None]) -> None:
        """Let the old socket deliver what it still has, until the platform closes it."""
        timer = asyncio.ensure_future(self._clock.sleep(_OLD_LIVES_S))
        try:
            await asyncio.wait({reading, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            timer.cancel()
            reading.cancel()
            await asyncio.gather(reading, timer, return_exceptions=True)
            await socket.close()
