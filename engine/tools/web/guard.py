"""The guard of one connection: what is resolved, what is connected to, and what was connected to."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from engine.tools.web.addresses import parse_address
from engine.tools.web.boundary import Boundary
from engine.tools.web.lookup import Lookup

if TYPE_CHECKING:
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection


class Guard(AbstractResolver):
    """Checks three times: the addresses of a name, each address before a socket is opened, and the peer of the socket.

    The first keeps private addresses out, the second also knows addresses that are written as such, the third is about
    the connection that was really made, before a byte of the request goes over it. `refusal` tells why.
    """

    def __init__(self, boundary: Boundary, host: str, port: int, lookup: Lookup) -> None:
        self._boundary, self._host, self._port, self._lookup = boundary, host, port, lookup
        self.refusal = ""
        """Why the connection was not made; empty when nothing was refused."""

    async def addresses(self) -> list[str]:
        """Give those addresses of the host that may be reached.

        Raises:
            OSError: there are none; `refusal` is set when there were some.
        """
        found = await self._lookup(self._host, self._port)
        allowed = [text for text in found if not self._refuses(text)]
        if not allowed:
            raise OSError(self.refusal or f"{self._host} has no address")
        self.refusal = ""
        return allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """See `AbstractResolver.resolve`."""
        return [
            ResolveResult(
                hostname=host,
                host=text,
                port=port,
                family=socket.AF_INET6 if ":" in text else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for text in await self.addresses()
        ]

    async def close(self) -> None:
        """Hold nothing."""

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Make the socket for one address, or refuse: then nothing is connected.

        Raises:
            OSError: the address may not be reached.
        """
        family, kind, protocol, _, where = info
        if self._refuses(str(where[0])):
            raise OSError(self.refusal)
        return socket.socket(family=family, type=kind, proto=protocol)

    def check(self, connection: Connection) -> None:
        """Look at both ends of a connection.

        Raises:
            aiohttp.ClientConnectionError: it may not be used; it is closed.
        """
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        here = transport.get_extra_info("sockname") if transport is not None else None
        if peer is not None and here is not None and not self._refuses_ends(str(peer[0]), str(here[0])):
            return
        self.refusal = self.refusal or f"nobody knows where the connection to {self._host} leads"
        connection.close()
        raise aiohttp.ClientConnectionError(self.refusal)

    def _refuses_ends(self, peer: str, here: str) -> bool:
        if self._refuses(peer):
            return True
        address = parse_address(peer)
        if peer != here or (
            address is not None and self._boundary.may_be_this_machine(address, self._host, self._port)
        ):
            return False
        self.refusal = f"{self._host} leads to {peer}, which is this machine"
        return True

    def _refuses(self, text: str) -> bool:
        address = parse_address(text)
        if address is None:
            self.refusal = f"{self._host} leads to {text!r}, which is no address"
            return True
        reason = self._boundary.refusal(address, self._host, self._port)
        self.refusal = reason or self.refusal
        return bool(reason)


class GuardedConnector(aiohttp.TCPConnector):
    """Connects where its guard lets it, keeps no connection and no address for later."""

    def __init__(self, guard: Guard) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            resolver=guard,
            socket_factory=guard.open_socket,
            use_dns_cache=False,
            force_close=True,
        )
        self._guard = guard

    async def connect(self, req: ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout) -> Connection:
        """Connect, and look at what came of it before anything is sent."""
        connection = await super().connect(req, traces, timeout)
        self._guard.check(connection)
        return connection
