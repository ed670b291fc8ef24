"""Stream connections: opening, tickets, ping, rotation, and the frames that come back."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.sax.saxutils import escape

from aiohttp import WSMsgType, web

from channels.simulators.dingtalk.errors import ApiError
from channels.simulators.dingtalk.frames import Ack, Frame, parse_ack
from channels.simulators.dingtalk.gate import SPEAKER, Gate, cut
from channels.simulators.dingtalk.world import App, World
from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, as_objects

DropHow = Literal["close", "abort", "freeze", "disconnect"]


@dataclass
class Ticket:
    """Leave to connect once, within its life."""

    app: App
    topics: frozenset[tuple[str, str]]
    ends_s: float


@dataclass(eq=False)
class Connection:
    """One open socket; `leaving` from the `disconnect` frame on, when nothing is sent any more."""

    app: App
    topics: frozenset[tuple[str, str]]
    socket: web.WebSocketResponse
    request: web.Request
    connection_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    frozen: bool = False
    leaving: bool = False
    ended: bool = False
    opaque: str = ""

    async def send(self, frame: Frame, now_ms: int) -> None:
        """Send a frame; a frozen or dead socket swallows it."""
        if self.frozen or self.ended:
            return
        try:
            await self.socket.send_str(frame.encode(self.connection_id, self.app.app_id, now_ms))
        except (ConnectionError, RuntimeError):
            self.ended = True

    def freeze(self) -> None:
        """Go half-open: read nothing, answer nothing, stay connected."""
        self.frozen = True
        if self.request.transport is not None:
            self.request.transport.pause_reading()  # type: ignore[attr-defined]


class Sockets:
    """All open connections, by app."""

    def __init__(self, gate: Gate, world: World, feed: Feed, base_url: Callable[[], str]) -> None:
        self._gate = gate
        self._world = world
        self._feed = feed
        self._base_url = base_url
        self._open: dict[str, list[Connection]] = {}
        self._tickets: dict[str, Ticket] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.random = random.Random(1)
        self.on_ack: Callable[[Connection, Ack], None] = lambda connection, ack: None
        self.problems: list[str] = []
        """What a client did wrong: a pong with another opaque, a frame that is no ack."""

    def routes(self) -> list[web.RouteDef]:
        """Give the opening call and the socket's address."""
        return [
            web.post("/v1.0/gateway/connections/open", self._gate.open(self._offer)),
            web.get("/connect", self._accept),
        ]

    def count(self, app_id: str) -> int:
        """Tell how many connections an app has."""
        return len(self._open.get(app_id, []))

    def pick(self, app_id: str, topic: tuple[str, str]) -> Connection | None:
        """Choose the connection that gets a push: one at random of those that subscribed to the topic."""
        fit = [each for each in self._open.get(app_id, []) if topic in each.topics and not each.leaving]
        return self.random.choice(fit) if fit else None

    async def drop(self, app_id: str, how: DropHow = "close") -> int:
        """End, freeze or announce the end of every connection of an app; tells how many."""
        connections = list(self._open.get(app_id, []))
        for connection in connections:
            if how == "freeze":
                connection.freeze()
            elif how == "abort":
                cut(connection.request)
            elif how == "disconnect":
                await self._announce_end(connection)
            else:
                await connection.socket.close(code=1001)
        return len(connections)

    def cut_frozen(self, app_id: str) -> None:
        """Cut the connections that were frozen, as a platform does that has noticed."""
        for connection in [each for each in self._open.get(app_id, []) if each.frozen]:
            cut(connection.request)

    async def ping(self, app_id: str) -> int:
        """Send SYSTEM ping to every connection now; tells how many."""
        connections = list(self._open.get(app_id, []))
        for connection in connections:
            await self._ping(connection)
        return len(connections)

    async def stop(self) -> None:
        """Cut every connection, so that the server can stop."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connections in self._open.values():
            for connection in connections:
                if connection.request.transport is not None:
                    connection.request.transport.abort()

    async def _offer(self, request: web.Request, body: Json) -> Json | web.Response:
        app = self._world.apps.get(str(body.get("clientId", "")))
        if app is None or body.get("clientSecret") != app.app_secret:
            raise ApiError("authFailed", status=401)
        request[SPEAKER] = app.app_id
        topics = frozenset(
            (str(each.get("type")), str(each.get("topic"))) for each in as_objects(body.get("subscriptions"))
        )
        if not topics or any(kind == "EVENT" and topic != "*" for kind, topic in topics):
            raise ApiError("systemError")
        ticket = str(uuid.uuid4())
        self._tickets[ticket] = Ticket(app, topics, self._gate.clock.steady_s() + self._gate.options.ticket_life_s)
        found = {"endpoint": f"{self._base_url().replace('http', 'ws', 1)}/connect", "ticket": ticket}
        return found if "application/json" in request.headers.get("Accept", "") else _xml(found)

    async def _accept(self, request: web.Request) -> web.StreamResponse:
        entry = self._gate.timeline.add("socket", "", "GET", request.path_qs)
        ticket = self._tickets.pop(request.query.get("ticket", ""), None)
        action = self._gate.faults.find(method="GET", path="/connect")
        if action.get("delay_s"):
            await self._gate.clock.sleep(float(action["delay_s"]))
        if action.get("drop"):
            cut(request)
            return web.Response(status=499)
        if ticket is None or ticket.ends_s <= self._gate.clock.steady_s() or "status" in action:
            entry.status = int(action.get("status", self._gate.options.bad_ticket_status))
            return web.Response(status=entry.status)
        entry.app_id, most = ticket.app.app_id, self._gate.options.max_connections
        if most is not None and self.count(ticket.app.app_id) >= most:
            entry.status = 503
            return web.Response(status=503)
        entry.status = 101
        return await self._serve(ticket, request)

    async def _serve(self, ticket: Ticket, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        app_id = ticket.app.app_id
        connection = Connection(ticket.app, ticket.topics, socket, request)
        self._open.setdefault(app_id, []).append(connection)
        self._feed.connection(app_id, self.count(app_id))
        life = self._start(self._live(connection))
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._read(connection, message.data)
        finally:
            life.cancel()
            connection.ended = True
            self._open[app_id].remove(connection)
            self._feed.connection(app_id, self.count(app_id))
            self._gate.timeline.add("socket", app_id, "CLOSE", connection.connection_id).code = socket.close_code
        return socket

    async def _live(self, connection: Connection) -> None:
        """Greet, then send pings and keepalives, until the connection's age orders its end."""
        clock, options = self._gate.clock, self._gate.options
        if options.greets:
            for topic in ("CONNECTED", "REGISTERED"):
                await self._system(connection, topic, {})
        born_s = clock.steady_s()
        due_s = {"ping": born_s + options.ping_every_s, "keepalive": born_s + options.keepalive_every_s}
        while options.rotate_every_s is None or clock.steady_s() < born_s + options.rotate_every_s:
            ends = [] if options.rotate_every_s is None else [born_s + options.rotate_every_s]
            await clock.sleep_until(min(*due_s.values(), *ends))
            if clock.steady_s() >= due_s["ping"]:
                await self._ping(connection)
                due_s["ping"] = clock.steady_s() + options.ping_every_s
            if clock.steady_s() >= due_s["keepalive"]:
                await self._system(connection, "KEEPALIVE", {})
                due_s["keepalive"] = clock.steady_s() + options.keepalive_every_s
        await self._announce_end(connection)

    async def _ping(self, connection: Connection) -> None:
        connection.opaque = str(uuid.uuid4())
        await self._system(connection, "ping", {"opaque": connection.opaque}, f"ping-{connection.opaque}")

    async def _announce_end(self, connection: Connection) -> None:
        """Say `disconnect`, be silent from then on, close the TCP connection a while later."""
        if connection.leaving:
            return
        await self._system(connection, "disconnect", {"reason": "connection is expired"})
        connection.leaving = True
        self._start(self._end_later(connection))

    async def _end_later(self, connection: Connection) -> None:
        await self._gate.clock.sleep(self._gate.options.close_after_s)
        if connection.request.transport is not None:
            connection.request.transport.close()

    async def _system(self, connection: Connection, topic: str, data: Json, message_id: str = "") -> None:
        if connection.leaving:
            return
        frame = Frame("SYSTEM", topic, data)
        frame.message_id = message_id or frame.message_id
        self._gate.timeline.add("out", connection.app.app_id, topic, frame.message_id, data)
        await connection.send(frame, self._gate.clock.now_ms())

    def _read(self, connection: Connection, text: str) -> None:
        ack = parse_ack(text)
        app_id = connection.app.app_id
        self._gate.timeline.add("in", app_id, "ack" if ack else "bad_frame", ack.message_id if ack else "", text)
        if ack is None:
            self.problems.append(f"a frame that acknowledges nothing: {text[:200]}")
        elif ack.message_id.startswith("ping-"):
            if (ack.data or {}).get("opaque") != ack.message_id.removeprefix("ping-"):
                self.problems.append(f"a pong with another opaque: {text[:200]}")
        else:
            self.on_ack(connection, ack)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _xml(found: Json) -> web.Response:
    parts = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in found.items())
    text = f'<?xml version="1.0" encoding="UTF-8"?><OpenConnectionResponse>{parts}</OpenConnectionResponse>'
    return web.Response(text=text, content_type="application/xml")
