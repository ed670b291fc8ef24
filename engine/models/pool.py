"""The one HTTP connection pool of all native models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

CONNECT_S = 10.0


class HttpPool:
    """Makes its session on first use, inside the running loop; safe to close twice."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """Give the session; time limits are the callers' own."""
        import aiohttp  # a tenth of a second, and who only looks at runs needs none of it

        if self._session is None or self._session.closed:
            limits = aiohttp.ClientTimeout(total=None, connect=None, sock_connect=CONNECT_S, sock_read=None)
            connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=60, keepalive_timeout=60)
            self._session = aiohttp.ClientSession(connector=connector, timeout=limits, trust_env=True)
        return self._session

    async def aclose(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
