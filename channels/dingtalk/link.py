"""The long connection over several sockets: when one has to go, the next is there first.

What is pushed while no socket is live is lost, so a platform that asks for a fresh connection gets it before the old
one is dropped. Source: developerpedia "stream/protocol"; openclaw-channel-dingtalk #308, read 2026-11-30.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from channels.clock import Clock
from channels.connection import within
from channels.dingtalk.socket import Socket
from channels.errors import ChannelError, ConnectionLost

Dial = Callable[[], Awaitable[Socket]]

_PROVEN = 2
_UNPROVEN_QUIET_S = 600.0
"""A platform that never pings may be silent for long; nobody knows how often it does."""
_log = logging.getLogger(__name__)


class StreamLink:
    """A `channels.connection.Link`."""

    def __init__(self, socket: Socket, dial: Dial, clock: Clock, *, quiet_s: float, dial_timeout_s: float) -> None:
        self._socket = socket
        self._dial = dial
        self._clock = clock
        self._quiet_s = quiet_s
        self._dial_timeout_s = dial_timeout_s
        self._keepalives = 0
        self._closing: set[asyncio.Task[None]] = set()
        self.handovers = 0
        """How often a fresh socket took over."""

    @property
    def heard_s(self) -> float:
        """Give the last sign of life of the present socket."""
        return self._socket.wire_s

    async def serve(self) -> None:
        """Read until the connection is lost, changing sockets when the platform asks for it or went quiet.

        Raises:
            ConnectionLost: the present socket ended, and there is no other.
        """
        while True:
            reading = asyncio.ensure_future(self._socket.serve())
            try:
                await self._until_replaced(reading)
                old, self._socket = self._socket, await self._fresh()
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
            self.handovers += 1
            self._drop(old)

    async def ping(self) -> None:
        """See `Link.ping`."""
        await self._socket.ping()

    async def close(self) -> None:
        """See `Link.close`."""
        await self._socket.close()
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _fresh(self) -> Socket:
        try:
            return await within(self._clock, self._dial_timeout_s, self._dial())
        except ChannelError as error:
            raise ConnectionLost(f"no fresh connection: {error}") from error

    async def _until_replaced(self, reading: asyncio.Future[None]) -> None:
        """Return when the present socket should be replaced; one that only went quiet is read on meanwhile."""
        quiet = asyncio.ensure_future(self._until_quiet())
        try:
            await asyncio.wait({reading, quiet}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            quiet.cancel()
            await asyncio.gather(quiet, return_exceptions=True)

    async def _until_quiet(self) -> None:
        """Return when the platform itself said nothing for too long, while the socket still answers pings."""
        while True:
            socket = self._socket
            self._keepalives = max(self._keepalives, socket.keepalives)
            patience_s = self._quiet_s if self._keepalives >= _PROVEN else max(self._quiet_s, _UNPROVEN_QUIET_S)
            left_s = socket.frame_s + patience_s - self._clock.steady_s()
            if left_s <= 0:
                _log.warning("dingtalk_connection_quiet", extra={"quiet_s": patience_s})
                return
            await self._clock.sleep(min(left_s, self._quiet_s / 5))

    def _drop(self, old: Socket) -> None:
        task = asyncio.get_running_loop().create_task(old.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
