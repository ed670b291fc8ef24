"""The pooled HTTP session of one account, and what failures below HTTP mean."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from channels.errors import ChannelError, DeliveryUnknown, NotDispatched, TooLong

_CHUNK_BYTES = 65_536


def open_session(address: str, *, timeout_s: float) -> aiohttp.ClientSession:
    """Open a session that keeps its connections and goes through the proxy the environment names for `address`.

    The proxy is looked up once: aiohttp's own `trust_env` also reads the netrc file on every request, in a thread.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=64, keepalive_timeout=50),
        timeout=aiohttp.ClientTimeout(total=timeout_s, connect=timeout_s / 2),
        proxy=proxy_of(address),
        headers={"User-Agent": "niuma"},
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def proxy_of(address: str) -> str | None:
    """Give the proxy of the environment for this address, if any; none for this machine itself."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host in ("localhost", "127.0.0.1", "::1") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)


def transport_error(error: Exception, call: str) -> ChannelError:
    """Tell by type whether a request that failed below HTTP may have been carried out; `call` names it for people."""
    text = f"{call}: {type(error).__name__}"
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.InvalidURL):
        return NotDispatched(text)
    return DeliveryUnknown(text)


async def read_at_most(response: aiohttp.ClientResponse, max_bytes: int, call: str) -> bytes:
    """Read a file.

    Raises:
        TooLong: it has more than `max_bytes`; the rest is not read.
        aiohttp.ClientError, TimeoutError: it broke off; see `transport_error`.
    """
    if (response.content_length or 0) > max_bytes:
        raise TooLong(f"{call}: more than {max_bytes} bytes")
    parts, size = list[bytes](), 0
    async for part in response.content.iter_chunked(_CHUNK_BYTES):
        size += len(part)
        if size > max_bytes:
            raise TooLong(f"{call}: more than {max_bytes} bytes")
        parts.append(part)
    return b"".join(parts)
