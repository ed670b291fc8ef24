"""Socket Mode connections: the ticket, the handshake, hello, disconnect messages, half-open sockets."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from aiohttp import WSMsgType, web

from channels.simulators.background import Background
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, parse_object
from channels.simulators.slack.errors import ApiError
from channels.simulators.slack.gate import Call, Gate, Handler, cut
from channels.simulators.slack.world import App, new_id

HOST_NAME = "applink-1"
DropHow = Literal["close", "abort", "freeze", "mute"]
"""How connections end, or fall silent: `freeze` answers no ping either, `mute` only gets no more envelopes."""
Reason = Literal["warning", "refresh_requested", "link_disabled", "too_many_websockets"]


@dataclass
class Ticket:
    """A place in the queue of one app; `ends_s` is on the simulator's steady clock."""

    app: App
    ends_s: float


@dataclass(eq=False)
class Connection:
    """One open socket of an app."""

    app: App
    id: str
    socket: web.WebSocketResponse
    request: web.Request
    frozen: bool = False
    muted: bool = False

    async def send(self, body: Json) -> bool:
        """Send a message; False when the socket is gone (a frozen or muted one swallows it)."""
        if self.frozen or self.muted:
            return True
        try:
            await self.socket.send_str(json.dumps(body, ensure_ascii=False))
        except (ConnectionError, RuntimeError):
            return False
        return True

    def freeze(self) -> None:
        """Go half-open: read nothing, answer nothing, stay connected."""
        self.frozen = True
        if self.request.transport is not None:
            self.request.transport.pause_reading()  # type: ignore[attr-defined]


class Sockets:
    """All open connections, by app."""

    def __init__(self, gate: Gate, feed: Feed, background: Background, base_url: Callable[[], str]) -> None:
        self._gate = gate
        self._feed = feed
        self._background = background
        self._base_url = base_url
        self._open: dict[str, list[Connection]] = {}
        self._tickets: dict[str, Ticket] = {}
        self.random = random.Random(1)
        self.on_ack: Callable[[Connection, Json], None] = lambda connection, body: None
        self.on_open: Callable[[App], None] = lambda app: None
        self.on_close: Callable[[Connection], None] = lambda connection: None

    def routes(self) -> list[web.RouteDef]:
        """Give the address that sockets connect to."""
        return [web.get("/link/", self._accept)]

    def methods(self) -> dict[str, Handler]:
        """Give the call that hands out tickets."""
        return {"apps.connections.open": self._hand_out}

    def count(self, app_id: str) -> int:
        """Tell how many connections an app has."""
        return len(self._open.get(app_id, []))

    def pick(self, app_id: str) -> Connection | None:
        """Choose the connection that gets an envelope: one at random."""
        connections = self._open.get(app_id)
        return self.random.choice(connections) if connections else None

    async def drop(self, app_id: str, how: DropHow = "close") -> int:
        """End every connection of an app, or silence it; tells how many."""
        connections = list(self._open.get(app_id, []))
        for connection in connections:
            if how == "freeze":
                connection.freeze()
                self._background.start(self._notice(connection))
            elif how == "mute":
                connection.muted = True
            elif how == "abort":
                cut(connection.request)
            else:
                await connection.socket.close(code=1001)
        return len(connections)

    async def disconnect(self, app_id: str, reason: Reason) -> int:
        """Tell every connection of an app to go, as the platform does; tells how many.

        `warning` cuts after `Options.warning_s`, the others soon; `link_disabled` switches Socket Mode off.
        """
        if reason == "link_disabled":
            self._gate.options.socket_mode = False
        connections = list(self._open.get(app_id, []))
        for connection in connections:
            await self._dismiss(connection, reason)
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

    def _hand_out(self, call: Call) -> Json:
        if not self._gate.options.socket_mode:
            raise ApiError("forbidden_team")
        name = new_id("ticket")
        self._tickets[name] = Ticket(call.app, self._gate.clock.steady_s() + self._gate.options.ticket_life_s)
        url = self._base_url().replace("http", "ws", 1)
        return {"url": f"{url}/link/?ticket={name}&app_id={call.app.app_id}"}

    def _redeem(self, name: str) -> App | None:
        ticket = self._tickets.get(name)
        if ticket is None or ticket.ends_s <= self._gate.clock.steady_s():
            return None
        if self._gate.options.single_use_tickets:
            del self._tickets[name]
        return ticket.app

    async def _accept(self, request: web.Request) -> web.StreamResponse:
        entry = self._gate.timeline.add("socket", "", "GET", "/link/")
        action = self._gate.faults.find(method="GET", path="/link/")
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        if action.get("drop"):
            cut(request)
            return web.Response(status=499)
        app = None if "status" in action else self._redeem(request.query.get("ticket", ""))
        if app is None:
            entry.status = int(action.get("status", self._gate.options.refused_handshake_status))
            return web.Response(status=entry.status)
        entry.app_id, entry.status = app.app_id, 101
        return await self._serve(app, request)

    async def _serve(self, app: App, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        connection = Connection(app, new_id("S"), socket, request)
        if self.count(app.app_id) >= self._gate.options.max_connections:
            await self._dismiss(connection, "too_many_websockets")
            return socket
        self._open.setdefault(app.app_id, []).append(connection)
        self._feed.connection(app.app_id, self.count(app.app_id))
        try:
            await self._greet(connection)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._read(connection, message.data)
        finally:
            self._open[app.app_id].remove(connection)
            self._feed.connection(app.app_id, self.count(app.app_id))
            self._gate.timeline.add("socket", app.app_id, "CLOSE", connection.id, {"code": socket.close_code})
            self.on_close(connection)
        return socket

    async def _greet(self, connection: Connection) -> None:
        options, query = self._gate.options, connection.request.query
        life_s = options.debug_refresh_s if query.get("debug_reconnects") == "true" else options.refresh_after_s
        hello: Json = {
            "type": "hello",
            "num_connections": self.count(connection.app.app_id),
            "debug_info": {
                "host": HOST_NAME,
                "build_number": 1,
                "approximate_connection_time": round(life_s or 18060),
            },
            "connection_info": {"app_id": connection.app.app_id},
        }
        self._gate.timeline.add("out", connection.app.app_id, "hello", connection.id, hello)
        await connection.send(hello)
        self.on_open(connection.app)
        if life_s is not None:
            self._background.start(self._refresh_later(connection, life_s))

    async def _refresh_later(self, connection: Connection, life_s: float) -> None:
        await self._gate.clock.sleep(life_s)
        if not connection.socket.closed:
            await self._dismiss(connection, "refresh_requested")

    async def _dismiss(self, connection: Connection, reason: Reason) -> None:
        body: Json = {"type": "disconnect", "reason": reason, "debug_info": {"host": HOST_NAME}}
        self._gate.timeline.add("out", connection.app.app_id, "disconnect", reason, body)
        await connection.send(body)
        if reason == "warning":
            self._background.start(self._cut_later(connection))
        elif reason != "refresh_requested":
            await connection.socket.close(code=1000)
        else:
            self._background.start(self._cut_later(connection))

    async def _notice(self, connection: Connection) -> None:
        await self._gate.clock.sleep(self._gate.options.half_open_s)
        cut(connection.request)

    async def _cut_later(self, connection: Connection) -> None:
        await self._gate.clock.sleep(self._gate.options.warning_s)
        await connection.socket.close(code=1000)

    def _read(self, connection: Connection, text: str) -> None:
        body = parse_object(text)
        app_id = connection.app.app_id
        if body is None or not isinstance(body.get("envelope_id"), str):
            self._gate.timeline.add("in", app_id, "bad_frame", connection.id, text)
            return
        self._gate.timeline.add("in", app_id, "ack", body["envelope_id"], body)
        self.on_ack(connection, body)
