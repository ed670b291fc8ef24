"""One live socket: reads frames, has them answered, and knows when it last heard the platform."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import aiohttp

from channels.clock import Clock
from channels.dingtalk.errors import connect_error
from channels.dingtalk.frames import Frame, MalformedFrame, parse_frame, render_ack
from channels.errors import ConnectionLost, NotConnected
from channels.in_flight import InFlight

Answerer = Callable[[Frame], Awaitable[str | None]]
"""Handles one pushed frame and gives the acknowledgement; `None`: none, so that it is pushed again."""

_MAX_FRAME_BYTES = 8 * 1024 * 1024
_KEEPALIVES = ("ping", "KEEPALIVE")
_GRACE_S = 2.0
_PROVEN = 2
_UNPROVEN_QUIET_S = 600.0
"""Nobody knows how often the platform pings; users met 20 to 30 s (openclaw-channel-dingtalk #308)."""
_log = logging.getLogger(__name__)


async def connect(session: aiohttp.ClientSession, address: str) -> aiohttp.ClientWebSocketResponse:
    """Open the socket.

    Raises:
        NotConnected, AuthFailed: it was refused. The address never appears in the error: it holds a ticket.
    """
    try:
        return await session.ws_connect(address, autoping=False, max_msg_size=_MAX_FRAME_BYTES, compress=0)
    except aiohttp.WSServerHandshakeError as error:
        # A refused ticket says nothing about the credentials: a new attempt brings a new ticket.
        raise connect_error("handshake", "refused", 503 if error.status < 500 else error.status) from None
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotConnected(f"long connection: {type(error).__name__}") from None


@dataclass(slots=True)
class Pulse:
    """What an account's connections have shown so far."""

    keepalives: int = 0
    """How often the platform said by itself that it is there."""


class Socket:
    """A `channels.connection.Link`. Each pushed frame is answered in a task of its own, on this socket."""

    def __init__(
        self, ws: aiohttp.ClientWebSocketResponse, clock: Clock, answer: Answerer, pulse: Pulse, quiet_s: float
    ) -> None:
        """`quiet_s`: replaced when the platform itself says nothing for so long, though the socket answers pings."""
        self._ws = ws
        self._clock = clock
        self._answer = answer
        self._pulse = pulse
        self._quiet_s = quiet_s
        self._is_leaving = False
        self._frames = InFlight("dingtalk")
        self._wire_s = self._frame_s = clock.steady_s()

    @property
    def heard_s(self) -> float:
        """Give the last sign of life of the socket."""
        return self._wire_s

    async def serve(self) -> None:
        """Read until the platform wants us to connect anew, or went quiet; called again, to the socket's end.

        Raises:
            ConnectionLost: the socket ended.
        """
        if self._is_leaving:
            await self._read()
            return
        reading, quiet = asyncio.ensure_future(self._read()), asyncio.ensure_future(self._until_quiet())
        try:
            await asyncio.wait({reading, quiet}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            for task in (reading, quiet):
                task.cancel()
            await asyncio.gather(reading, quiet, return_exceptions=True)
        self._is_leaving = True

    async def _read(self) -> None:
        async for message in self._ws:
            self._wire_s = self._clock.steady_s()
            if message.type is aiohttp.WSMsgType.PING:
                await self._ws.pong(message.data)
            elif message.type is aiohttp.WSMsgType.TEXT:
                self._frame_s = self._wire_s
                if await self._take(message.data):
                    return
            elif message.type is aiohttp.WSMsgType.ERROR:
                break
        raise ConnectionLost(f"the platform closed the connection ({self._ws.close_code})")

    async def _until_quiet(self) -> None:
        """Return when the platform was silent for too long; one that never speaks by itself may be for longer."""
        while True:
            is_proven = self._pulse.keepalives >= _PROVEN
            patience_s = self._quiet_s if is_proven else max(self._quiet_s, _UNPROVEN_QUIET_S)
            left_s = self._frame_s + patience_s - self._clock.steady_s()
            if left_s <= 0:
                _log.warning("dingtalk_connection_quiet", extra={"quiet_s": patience_s})
                return
            await self._clock.sleep(min(left_s, self._quiet_s / 5))

    async def ping(self) -> None:
        """Ask for a sign of life.

        Raises:
            ConnectionLost: the socket is broken.
        """
        try:
            await self._ws.ping()
        except (aiohttp.ClientError, ConnectionError, RuntimeError) as error:
            raise ConnectionLost("the connection broke") from error

    async def close(self) -> None:
        """Let acknowledgements in flight go out for a moment, then close."""
        await self._frames.end(0 if self._ws.closed else _GRACE_S)
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._ws.close()
        except TimeoutError:
            _log.info("dingtalk_socket_not_closed_in_time")

    async def _take(self, text: str) -> bool:
        """Handle a frame; true when the platform wants us to connect anew."""
        try:
            frame = parse_frame(text)
        except MalformedFrame as error:
            _log.warning("dingtalk_frame_malformed", extra={"reason": str(error)})
            return False
        if frame.kind == "SYSTEM":
            return await self._system(frame)
        self._frames.begin(self._respond(frame))
        return False

    async def _system(self, frame: Frame) -> bool:
        self._pulse.keepalives += frame.topic in _KEEPALIVES
        if frame.topic == "ping":
            await self._send(render_ack(frame, frame.data), frame)
        return frame.topic == "disconnect"

    async def _respond(self, frame: Frame) -> None:
        answer = await self._answer(frame)
        if answer is not None:
            await self._send(answer, frame)

    async def _send(self, text: str, frame: Frame) -> None:
        try:
            await self._ws.send_str(text)
        except (aiohttp.ClientError, ConnectionError, RuntimeError):
            _log.warning("dingtalk_ack_not_sent", extra={"frame": frame.message_id})
