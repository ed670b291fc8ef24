"""Web sites of this machine, and a boundary that takes one of its addresses for the public web.

127.0.0.1 plays the public web; every other address, 127.0.0.2 among them, is as private as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network

from aiohttp import web

from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Fetcher, Limits
from engine.tools.web.lookup import Lookup, look_up

PUBLIC, PRIVATE = "127.0.0.1", "127.0.0.2"
Handler = Callable[[web.Request], web.StreamResponse]


@dataclass
class Site:
    """A listener that counts connections, also those over which nothing is asked."""

    host: str
    port: int = 0
    asked: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    connections: int = 0

    def url(self, path: str = "/", host: str = "") -> str:
        return f"http://{host or self.host}:{self.port}{path}"


@asynccontextmanager
async def site(handler: Handler, host: str = PUBLIC, port: int = 0) -> AsyncIterator[Site]:
    """Serve `handler` for every path."""
    known = Site(host)

    async def handle(request: web.Request) -> web.StreamResponse:
        known.asked.append(request.raw_path)
        known.headers.append(dict(request.headers))
        known.bodies.append(await request.read())
        return handler(request)

    server = web.Server(handle, access_log=None)

    def connected() -> web.RequestHandler[web.BaseRequest]:
        known.connections += 1
        return server()

    listener = await asyncio.get_running_loop().create_server(connected, host, port)
    known.port = listener.sockets[0].getsockname()[1]
    try:
        yield known
    finally:
        listener.close()
        await server.shutdown(1)
        await listener.wait_closed()


def names(table: Mapping[str, list[str]], fallback: Lookup = look_up) -> Lookup:
    """Look names up in `table`; what is not there is asked of the system."""

    async def look(host: str, port: int) -> list[str]:
        return table[host] if host in table else await fallback(host, port)

    return look


def fetcher(*sites: Site, lookup: Lookup = look_up, limits: Limits | None = None, **boundary: object) -> Fetcher:
    """Fetch from these sites, 127.0.0.1 counting as public."""
    ports = frozenset({80, 443, *(each.port for each in sites)})
    known = Boundary(ports=ports, counted_public=(ip_network(f"{PUBLIC}/32"),), **boundary)  # type: ignore[arg-type]
    return Fetcher(known, limits, lookup=lookup)
