"""One socket: reads envelopes, acks what is stored, and knows when it last heard the platform.

Source: docs.slack.dev "Using Socket Mode" (hello, disconnect, envelopes, acks within 3 s), read 2026-08.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

import aiohttp

from channels.clock import Clock
from channels.errors import AuthFailed, ConnectionLost, NotConnected
from channels.in_flight import InFlight
from channels.readable import Json, read_object
from channels.slack.errors import ADVICE


@dataclass(frozen=True, slots=True)
class Ack:
    """What to answer an envelope with: nothing where `is_due` is false, so that the platform delivers it again."""

    is_due: bool
    payload: Json | None = None


Answerer = Callable[[str, Json, bool], Awaitable[Ack]]
"""Handles one envelope: its id, its payload, and whether the ack may carry an answer."""

_MAX_FRAME_BYTES = 8 * 1024 * 1024
_GRACE_S = 2.0
_log = logging.getLogger(__name__)


class Socket:
    """A socket that was greeted. Each envelope is answered in its own task, on the socket it came by."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse, clock: Clock, answer: Answerer) -> None:
        self._ws = ws
        self._clock = clock
        self._answer = answer
        self._frames = InFlight("slack")
        self.heard_s = clock.steady_s()
        """The last sign of life."""
        self.connections = 0
        """How many sockets this app has, as the platform said in its greeting."""
        self.leaves = asyncio.Event()
        """The platform will close this socket soon: another one should take over."""

    async def greeted(self) -> None:
        """Read until the platform's greeting.

        Raises:
            AuthFailed, ConnectionLost: it sends us away instead, or closes.
        """
        while True:
            frame = await self._frame()
            if frame is not None and frame.get("type") == "hello":
                told = frame.get("num_connections")
                self.connections = told if isinstance(told, int) else 0
                return
            if frame is not None:
                self._take(frame)

    async def read(self) -> None:
        """Read frames until the socket ends.

        Raises:
            AuthFailed: socket mode was switched off.
            ConnectionLost: it ended.
        """
        while True:
            frame = await self._frame()
            if frame is not None:
                self._take(frame)

    async def _frame(self) -> Json | None:
        """Read one frame; `None` for those that are no objects of JSON."""
        message = await self._ws.receive()
        self.heard_s = self._clock.steady_s()
        if message.type is aiohttp.WSMsgType.PING:
            await self._ws.pong(message.data)
        elif message.type is aiohttp.WSMsgType.TEXT:
            return _read(str(message.data))
        elif message.type not in (aiohttp.WSMsgType.PONG, aiohttp.WSMsgType.BINARY):
            raise ConnectionLost(f"the platform closed the socket ({self._ws.close_code})")
        return None

    async def ping(self) -> None:
        """Ask for a sign of life.

        Raises:
            ConnectionLost: the socket is broken.
        """
        try:
            await self._ws.ping()
        except (aiohttp.ClientError, ConnectionError, RuntimeError) as error:
            raise ConnectionLost("the socket broke") from error

    async def close(self) -> None:
        """Let acks in flight go out for a moment, then close. Never raises."""
        await self._frames.end(0 if self._ws.closed else _GRACE_S)
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._ws.close()
        except (TimeoutError, aiohttp.ClientError, ConnectionError):
            _log.info("slack_socket_not_closed_in_time")

    def _take(self, frame: Json) -> None:
        if frame.get("type") == "disconnect":
            self._told_to_go(str(frame.get("reason") or ""))
        elif frame.get("envelope_id"):
            self._frames.begin(self._respond(frame))

    def _told_to_go(self, reason: str) -> None:
        """Draw the conclusion from a disconnect; reasons nobody knows mean a fresh socket.

        Raises:
            AuthFailed, ConnectionLost: this socket is of no use any more.
        """
        _log.info("slack_disconnect", extra={"reason": reason})
        if reason == "link_disabled":
            raise _refused(AuthFailed("Socket Mode is switched off for this app", code=reason))
        if reason == "too_many_websockets":
            lost = ConnectionLost("this app has too many sockets", code=reason)
            lost.advice = "too_many_connections"
            raise lost
        self.leaves.set()

    async def _respond(self, frame: Json) -> None:
        envelope_id, payload = str(frame["envelope_id"]), frame.get("payload")
        told = cast("Json", payload) if isinstance(payload, dict) else {}
        ack = await self._answer(envelope_id, told, bool(frame.get("accepts_response_payload")))
        if not ack.is_due:
            return
        body: Json = {"envelope_id": envelope_id}
        if ack.payload is not None:
            body["payload"] = ack.payload
        try:
            await self._ws.send_json(body)
        except (aiohttp.ClientError, ConnectionError, RuntimeError):
            _log.warning("slack_ack_not_sent", extra={"envelope": envelope_id})


async def connect(
    session: aiohttp.ClientSession, url: str, clock: Clock, answer: Answerer, *, within_s: float
) -> Socket:
    """Open a socket and wait for its greeting.

    Raises:
        ChannelError: it did not come about. The address never appears in the error: it holds a ticket.
    """
    try:
        async with asyncio.timeout(within_s):
            ws = await session.ws_connect(url, autoping=False, max_msg_size=_MAX_FRAME_BYTES, compress=0)
    except aiohttp.WSServerHandshakeError as error:
        raise NotConnected(f"socket: HTTP {error.status}", code=f"http_{error.status}") from None
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotConnected(f"socket: {type(error).__name__}") from None
    socket = Socket(ws, clock, answer)
    try:
        async with asyncio.timeout(within_s):
            await socket.greeted()
    except TimeoutError:
        await socket.close()
        raise NotConnected("socket: no greeting") from None
    except BaseException:
        await socket.close()
        raise
    return socket


def _refused(error: AuthFailed) -> AuthFailed:
    error.advice = ADVICE.get(error.code, error.advice)
    return error


def _read(data: str) -> Json | None:
    try:
        return read_object(data)
    except ValueError as error:
        _log.warning("slack_frame_malformed", extra={"reason": str(error)})
        return None
