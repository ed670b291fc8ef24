"""A wire between replicas and their database that a test may cut, close or silence; the server is never touched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

HOST = "127.0.0.1"
_CHUNK_BYTES = 65536


class Proxy:
    """Passes bytes both ways. Life: `start`, everything else, `stop`."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._wires: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._speaks = asyncio.Event()
        self._speaks.set()
        self._is_open = True
        self.port = 0

    @property
    def wires(self) -> int:
        """Give how many connections there are."""
        return len(self._writers) // 2

    async def start(self) -> None:
        """Listen on a free port of this machine."""
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Cut all and listen no more."""
        assert self._server is not None
        self._server.close()
        self.close()
        self.speak()
        await asyncio.gather(*self._wires, return_exceptions=True)

    def cut(self) -> None:
        """Break every connection that is open now."""
        for writer in self._writers:
            writer.transport.abort()

    def close(self) -> None:
        """Break every connection, and every further one at once."""
        self._is_open = False
        self.cut()

    def open(self) -> None:
        """Take connections again."""
        self._is_open = True

    def silence(self) -> None:
        """Let nothing through any more, in no direction, and tell nobody: a network that swallows packets."""
        self._speaks.clear()

    def speak(self) -> None:
        """Pass on all that waited."""
        self._speaks.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = asyncio.current_task()
        assert wire is not None
        self._wires.add(wire)
        wire.add_done_callback(self._wires.discard)
        if not self._is_open:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        if not self._is_open:
            self.cut()
        try:
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        finally:
            self._writers -= {writer, back}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(_CHUNK_BYTES):
                await self._speaks.wait()
                writer.write(data)
                await writer.drain()
            await self._speaks.wait()
            writer.close()
        except ConnectionError:
            writer.transport.abort()


@asynccontextmanager
async def proxy_to(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    """Stand before the server of a database address; gives the proxy and the address through it."""
    parts = urlsplit(url)
    proxy = Proxy(parts.hostname or HOST, parts.port or 5432)
    await proxy.start()
    user = f"{parts.username}@" if parts.username else ""
    try:
        yield proxy, urlunsplit(parts._replace(netloc=f"{user}{HOST}:{proxy.port}"))
    finally:
        await proxy.stop()
