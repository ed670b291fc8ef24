"""One live long connection: reads frames, answers them, and knows when it last heard the platform."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping

import aiohttp

from channels.clock import Clock
from channels.errors import ConnectionLost, NotConnected
from channels.feishu.discovery import Endpoint, ping_interval_of
from channels.feishu.errors import connect_error
from channels.feishu.frames import CONTROL, Frame, MalformedFrame, parse_frame, render_ping
from channels.in_flight import InFlight

Answerer = Callable[[Frame], Awaitable[bytes | None]]
"""Handles one data frame and gives the bytes to send back, `None` for no answer."""

_MAX_FRAME_BYTES = 8 * 1024 * 1024
_GRACE_S = 2.0
_PROVEN_EARLY_PONGS = 2
_log = logging.getLogger(__name__)


async def connect(session: aiohttp.ClientSession, endpoint: Endpoint) -> aiohttp.ClientWebSocketResponse:
    """Open the socket.

    Raises:
        AuthFailed: the handshake was refused for good.
        NotConnected: it failed otherwise. The address never appears in the error: it holds a ticket.
    """
    try:
        return await session.ws_connect(endpoint.url, autoping=False, max_msg_size=_MAX_FRAME_BYTES, compress=0)
    except aiohttp.WSServerHandshakeError as error:
        headers = error.headers or {}
        raise connect_error(_refusal_code(headers, error.status), headers.get("Handshake-Msg", "refused")) from None
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NotConnected(f"long connection: {type(error).__name__}") from None


def _refusal_code(headers: Mapping[str, str], http_status: int) -> int:
    """Give the handshake's code; 514 only says that the reason stands in another header."""
    status = headers.get("Handshake-Status", "")
    if status == "514":
        status = headers.get("Handshake-Autherrcode", "")
    return int(status) if status.isdigit() else http_status


class Socket:
    """A `channels.connection.Link`. Each data frame is answered in its own task, so that none delays the pings."""

    def __init__(
        self, ws: aiohttp.ClientWebSocketResponse, endpoint: Endpoint, clock: Clock, answer: Answerer, silence_s: float
    ) -> None:
        self._ws = ws
        self._service_id = endpoint.service_id
        self._ping_interval_s = endpoint.ping_interval_s
        self._clock = clock
        self._answer = answer
        self._silence_s = silence_s
        self._frames = InFlight("feishu")
        self._wire_s = self._frame_s = clock.steady_s()
        self._pongs = 0

    @property
    def heard_s(self) -> float:
        """Give the last sign of life: of the socket, unless the platform itself has been silent for too long.

        A socket can live while nobody behind it does. The platform need not answer pings sent before its own interval,
        so its silence counts at once only after it showed that it does.
        """
        patience_s = self._silence_s if self._pongs >= _PROVEN_EARLY_PONGS else self._ping_interval_s + self._silence_s
        if self._clock.steady_s() - self._frame_s > patience_s:
            return self._frame_s
        return self._wire_s

    async def serve(self) -> None:
        """Read frames until the socket ends.

        Raises:
            ConnectionLost: it ended.
        """
        async for message in self._ws:
            self._wire_s = self._clock.steady_s()
            if message.type is aiohttp.WSMsgType.PING:
                await self._ws.pong(message.data)
            elif message.type is aiohttp.WSMsgType.BINARY:
                self._frame_s = self._wire_s
                self._take(message.data)
        raise ConnectionLost(f"the platform closed the connection ({self._ws.close_code})")

    async def ping(self) -> None:
        """Ask both the socket and the platform behind it for a sign of life.

        Raises:
            ConnectionLost: the socket is broken.
        """
        try:
            await self._ws.ping()
            await self._ws.send_bytes(render_ping(self._service_id))
        except (aiohttp.ClientError, ConnectionError, RuntimeError) as error:
            raise ConnectionLost("the connection broke") from error

    async def close(self) -> None:
        """Let answers in flight go out for a moment, then close."""
        await self._frames.end(0 if self._ws.closed else _GRACE_S)
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._ws.close()
        except TimeoutError:
            _log.info("feishu_socket_not_closed_in_time")

    def _take(self, data: bytes) -> None:
        try:
            frame = parse_frame(data)
        except MalformedFrame as error:
            _log.warning("feishu_frame_malformed", extra={"reason": str(error)})
            return
        if frame.method == CONTROL:
            self._control(frame)
            return
        self._frames.begin(self._respond(frame))

    def _control(self, frame: Frame) -> None:
        if frame.type != "pong":
            return
        self._pongs += 1
        if not frame.payload:
            return
        try:
            self._ping_interval_s = ping_interval_of(json.loads(frame.payload)) or self._ping_interval_s
        except ValueError:
            _log.warning("feishu_pong_malformed")

    async def _respond(self, frame: Frame) -> None:
        answer = await self._answer(frame)
        if answer is None:
            return
        try:
            await self._ws.send_bytes(answer)
        except (aiohttp.ClientError, ConnectionError, RuntimeError):
            _log.warning("feishu_ack_not_sent", extra={"frame": frame.headers.get("message_id", "")})
