"""The wire to the database does what its faults say: passes, breaks, refuses, is dumb, and is well again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from tests.processes.proxy import Proxy, proxy_to

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Street:
    """An echo behind a proxy, and the wires to it."""

    def __init__(self, proxy: Proxy, url: str) -> None:
        self.proxy = proxy
        self.url = urlsplit(url)
        self._wires: list[Wire] = []

    async def connect(self) -> Wire:
        self._wires.append(await asyncio.open_connection(self.url.hostname, self.url.port))
        return self._wires[-1]

    async def close(self) -> None:
        for _, writer in self._wires:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for _, writer in self._wires), return_exceptions=True)


@asynccontextmanager
async def street() -> AsyncIterator[Street]:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    target = f"postgresql://root@127.0.0.1:{server.sockets[0].getsockname()[1]}/test"
    async with server, proxy_to(target) as (proxy, url):
        s = Street(proxy, url)
        yield s
        await s.close()


async def said(wire: Wire, word: bytes) -> bytes:
    wire[1].write(word)
    async with asyncio.timeout(2):
        return await wire[0].read(100)


async def is_broken(wire: Wire) -> bool:
    try:
        return await said(wire, b"still there?") == b""
    except ConnectionError:
        return True


async def test_it_passes_breaks_refuses_and_is_well_again() -> None:
    async with street() as s:
        assert s.url.username == "root" and s.url.path == "/test"
        first = await s.connect()
        assert await said(first, b"hello") == b"hello"
        assert s.proxy.wires == 1
        s.proxy.cut()
        assert await is_broken(first)
        assert await said(await s.connect(), b"again") == b"again"
        s.proxy.close()
        assert await is_broken(await s.connect())
        s.proxy.open()
        assert await said(await s.connect(), b"well") == b"well"


async def test_it_is_dumb_and_then_all_arrives() -> None:
    async with street() as s:
        wire = await s.connect()
        assert await said(wire, b"hello") == b"hello"
        s.proxy.silence()
        wire[1].write(b"into the void")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await wire[0].read(100)
        s.proxy.speak()
        async with asyncio.timeout(2):
            assert await wire[0].read(100) == b"into the void"
