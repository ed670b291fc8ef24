"""Long connections: discovery, handshake, ping, and the frames that come back."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aiohttp import WSMsgType, web

from channels.simulators.feed import Feed
from channels.simulators.feishu.errors import ApiError
from channels.simulators.feishu.frames import CONTROL, Frame, FrameError, decode, encode
from channels.simulators.feishu.gate import SPEAKER, Gate, cut
from channels.simulators.feishu.world import App, World, new_id
from channels.simulators.jsons import Json

TOO_MANY = 1000040350
"""Handshake code of the 51st connection, sent with status 514.

Source: open.feishu.cn "Receive events through a long connection" and the vendor client's constants, read 2026-02.
"""

DropHow = Literal["close", "abort", "freeze"]


@dataclass(eq=False)
class Connection:
    """One open socket of an app."""

    app: App
    device_id: str
    socket: web.WebSocketResponse
    request: web.Request
    frozen: bool = False

    async def send(self, frame: Frame) -> bool:
        """Send a frame; False when the socket is gone (a frozen one swallows it)."""
        if self.frozen:
            return True
        try:
            await self.socket.send_bytes(encode(frame))
        except (ConnectionError, RuntimeError):
            return False
        return True

    def freeze(self) -> None:
        """Go half-open: read nothing, answer nothing, stay connected."""
        self.frozen = True
        if self.request.transport is not None:
            self.request.transport.pause_reading()  # type: ignore[attr-defined]


class Sockets:
    """All open long connections, by app."""

    def __init__(self, gate: Gate, world: World, feed: Feed, base_url: Callable[[], str]) -> None:
        self._gate = gate
        self._world = world
        self._feed = feed
        self._base_url = base_url
        self._open: dict[str, list[Connection]] = {}
        self._offered: dict[str, str] = {}
        self.random = random.Random(1)
        self.on_ack: Callable[[Connection, Frame], None] = lambda connection, frame: None
        self.on_open: Callable[[App], None] = lambda app: None

    def routes(self) -> list[web.RouteDef]:
        """Give the discovery call and the socket's address."""
        return [web.post("/callback/ws/endpoint", self._gate.open(self._discover)), web.get("/ws", self._accept)]

    def count(self, app_id: str) -> int:
        """Tell how many connections an app has."""
        return len(self._open.get(app_id, []))

    def pick(self, app_id: str) -> Connection | None:
        """Choose the connection that gets an event: one at random."""
        connections = self._open.get(app_id)
        return self.random.choice(connections) if connections else None

    async def drop(self, app_id: str, how: DropHow = "close") -> int:
        """End (or freeze) every connection of an app; tells how many."""
        connections = list(self._open.get(app_id, []))
        for connection in connections:
            if how == "freeze":
                connection.freeze()
            elif how == "abort":
                cut(connection.request)
            else:
                await connection.socket.close(code=1001)
        return len(connections)

    def cut_frozen(self, app_id: str) -> None:
        """Cut the connections that were frozen, as a platform does that has noticed."""
        for connection in [each for each in self._open.get(app_id, []) if each.frozen]:
            cut(connection.request)

    def abort_all(self) -> None:
        """Cut every connection, so that the server can stop."""
        for connections in self._open.values():
            for connection in connections:
                if connection.request.transport is not None:
                    connection.request.transport.abort()

    def config(self) -> Json:
        """Give the ClientConfig sent at discovery and with each pong."""
        options = self._gate.options
        return {
            "ReconnectCount": options.reconnect_count,
            "ReconnectInterval": options.reconnect_interval_s,
            "ReconnectNonce": options.reconnect_nonce_s,
            "PingInterval": options.ping_interval_s,
        }

    async def _discover(self, request: web.Request, body: Json) -> Json:
        app = self._world.apps.get(str(body.get("AppID", "")))
        if app is None or body.get("AppSecret") != app.app_secret:
            raise ApiError(10014, status=200)
        request[SPEAKER] = app.app_id
        ticket = new_id("ticket")
        self._offered[ticket] = app.app_id
        url = self._base_url().replace("http", "ws", 1)
        query = f"device_id={new_id('dev')}&service_id={app.service_id}&ticket={ticket}"
        return {"data": {"URL": f"{url}/ws?{query}", "ClientConfig": self.config()}}

    async def _accept(self, request: web.Request) -> web.StreamResponse:
        entry = self._gate.timeline.add("socket", "", "GET", request.path_qs)
        app = self._world.apps.get(self._offered.pop(request.query.get("ticket", ""), ""))
        action = self._gate.faults.find(method="GET", path="/ws")
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        if action.get("drop"):
            cut(request)
            return web.Response(status=499)
        if app is None or "status" in action:
            entry.status = int(action.get("status", 403))
            return _refuse(entry.status, int(action.get("code", 0)), "forbidden")
        entry.app_id = app.app_id
        if self.count(app.app_id) >= self._gate.options.max_connections:
            entry.status, entry.code = 514, TOO_MANY
            return _refuse(514, TOO_MANY, "the number of connections exceeded the limit")
        entry.status = 101
        return await self._serve(app, request)

    async def _serve(self, app: App, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        connection = Connection(app, request.query.get("device_id", ""), socket, request)
        self._open.setdefault(app.app_id, []).append(connection)
        self._feed.connection(app.app_id, self.count(app.app_id))
        self.on_open(app)
        try:
            async for message in socket:
                if message.type is WSMsgType.BINARY:
                    await self._read(connection, message.data)
        finally:
            self._open[app.app_id].remove(connection)
            self._feed.connection(app.app_id, self.count(app.app_id))
            self._gate.timeline.add("socket", app.app_id, "CLOSE", connection.device_id).code = socket.close_code
        return socket

    async def _read(self, connection: Connection, data: bytes) -> None:
        app_id = connection.app.app_id
        try:
            frame = decode(data)
        except FrameError as error:
            self._gate.timeline.add("in", app_id, "bad_frame", str(error))
            return
        kind = frame.headers.get("type", "")
        self._gate.timeline.add("in", app_id, kind, frame.headers.get("message_id", ""), _shown(frame.payload))
        if frame.method == CONTROL and kind == "ping":
            frame.headers = {"type": "pong"}
            frame.payload = json.dumps(self.config()).encode()
            await connection.send(frame)
            self._gate.timeline.add("out", app_id, "pong", "")
        elif frame.method != CONTROL:
            self.on_ack(connection, frame)


def _shown(payload: bytes) -> str:
    return payload.decode("utf-8", "replace")


def _refuse(status: int, code: int, reason: str) -> web.Response:
    headers = {"Handshake-Status": str(status), "Handshake-Msg": reason, "Handshake-Autherrcode": str(code)}
    return web.Response(status=status if status < 500 else 400, headers=headers)
