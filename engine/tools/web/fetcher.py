"""The one way to fetch: every connection guarded, every redirect judged anew, size and time bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import aiohttp
from yarl import URL

from engine.errors import OutOfBounds, ToolFailed, ToolRetry
from engine.tools.web.boundary import Boundary, host_of
from engine.tools.web.guard import Guard, GuardedConnector
from engine.tools.web.inflate import ACCEPTED, Inflater
from engine.tools.web.lookup import Lookup, look_up

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE_BYTES = 65_536
_AGENT = "niuma"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one fetch, all redirects together. `max_bytes` holds for what came and for what it unpacks to."""

    total_s: float = 30.0
    connect_s: float = 10.0
    max_bytes: int = 5_000_000
    max_redirects: int = 5


@dataclass(frozen=True, slots=True)
class Ask:
    """A request. What has headers (besides `accept`) or a body is never carried to another host by a redirect."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    body: bytes | None = field(default=None, repr=False)
    accept: str = "*/*"
    is_encoded: bool = False
    """The address goes out letter for letter."""
    leaves: bool = False
    """Follow redirects to other hosts too. Not for calls that rules have judged by their host."""

    def with_header(self, name: str, value: str) -> Ask:
        """Give the same request with one header more."""
        return replace(self, headers={**self.headers, name: value})


@dataclass(frozen=True, slots=True)
class Reply:
    """What came. `onward` is where it redirects to when that was not followed; `is_cut`: there was more."""

    url: str
    status: int
    mime: str = ""
    charset: str = ""
    body: bytes = field(default=b"", repr=False)
    is_cut: bool = False
    onward: str = ""


class Fetcher:
    """Fetches within a boundary. Keeps nothing between two fetches: no connection, no cookie, no address.

    No proxy of the environment is used. With `proxy` (the operator's, `http://host:port`) the address is looked up and
    judged here and the proxy is told the address, not the name: a name that cannot be looked up here is not fetched.
    """

    def __init__(
        self, boundary: Boundary, limits: Limits | None = None, *, proxy: str = "", lookup: Lookup = look_up
    ) -> None:
        self.boundary, self.limits = boundary, limits or Limits()
        self._proxy, self._lookup = proxy, lookup

    def for_declared(self, port: int, total_s: float) -> Fetcher:
        """Give one for an address that the operator wrote: on its port, too, and with a time limit of its own."""
        boundary = replace(self.boundary, ports=self.boundary.ports | {port})
        return Fetcher(boundary, replace(self.limits, total_s=total_s), proxy=self._proxy, lookup=self._lookup)

    async def fetch(self, ask: Ask) -> Reply:
        """Send it and read the reply, whatever its status.

        Raises:
            ToolRetry: the address is malformed.
            OutOfBounds: it, or what it redirects to, may not be reached from here.
            ToolFailed: it cannot be reached, takes too long, or redirects too often.
        """
        url = self.boundary.url(ask.url, is_encoded=ask.is_encoded)
        try:
            async with asyncio.timeout(self.limits.total_s):
                return await self._follow(ask, url)
        except TimeoutError:
            raise ToolFailed(f"{host_of(url)} did not answer within {self.limits.total_s:g} s") from None

    async def _follow(self, ask: Ask, url: URL) -> Reply:
        for _ in range(self.limits.max_redirects + 1):
            reply = await self._hop(ask, url)
            if not reply.onward:
                return reply
            target = self._onward(reply.onward)
            if not may_follow(ask, url, target):
                return replace(reply, onward=str(target))
            ask, url = _carried(ask, url, target, reply.status), target
        raise ToolFailed(f"{host_of(url)} redirects more than {self.limits.max_redirects} times")

    def _onward(self, text: str) -> URL:
        try:
            return self.boundary.url(text)
        except (ToolRetry, OutOfBounds) as error:
            raise OutOfBounds(f"it redirects to where nothing is fetched: {error}") from None

    async def _hop(self, ask: Ask, url: URL) -> Reply:
        guard = Guard(self.boundary, host_of(url), url.port or 0, self._lookup)
        try:
            async with self._session(guard) as session, await self._request(session, guard, ask, url) as answer:
                return await self._read(answer, url)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if guard.refusal:
                raise OutOfBounds(guard.refusal) from None
            if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
                raise
            # Neither the error's text nor its chain goes on: both may hold the address with its secrets.
            raise ToolFailed(f"{host_of(url)} cannot be reached ({type(error).__name__})") from None

    def _session(self, guard: Guard) -> aiohttp.ClientSession:
        limits = aiohttp.ClientTimeout(total=None, sock_connect=self.limits.connect_s)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True) if self._proxy else GuardedConnector(guard),
            timeout=limits,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            auto_decompress=False,
        )

    async def _request(
        self, session: aiohttp.ClientSession, guard: Guard, ask: Ask, url: URL
    ) -> aiohttp.ClientResponse:
        headers = {"User-Agent": _AGENT, "Accept": ask.accept, **ask.headers, "Accept-Encoding": ACCEPTED}
        more: dict[str, Any] = {}
        if self._proxy:
            headers["Host"] = str(url.origin()).partition("://")[2]
            more = {"proxy": self._proxy, "server_hostname": host_of(url)}
            url = url.with_host((await self._known(guard, url))[0])
        return await session.request(ask.method, url, headers=headers, data=ask.body, allow_redirects=False, **more)

    async def _known(self, guard: Guard, url: URL) -> list[str]:
        try:
            return await guard.addresses()
        except OSError:
            if guard.refusal:
                raise
            raise OutOfBounds(
                f"{host_of(url)} cannot be looked up here, so it cannot be told where the proxy would connect to"
            ) from None

    async def _read(self, answer: aiohttp.ClientResponse, url: URL) -> Reply:
        onward = answer.headers.get("Location", "") if answer.status in _REDIRECTS else ""
        reply = Reply(str(url), answer.status, answer.content_type, answer.charset or "")
        if onward:
            return replace(reply, onward=str(url.join(URL(onward))))
        body, is_cut = await self._body(answer)
        return replace(reply, body=body, is_cut=is_cut)

    async def _body(self, answer: aiohttp.ClientResponse) -> tuple[bytes, bool]:
        inflater, most = Inflater(answer.headers.get("Content-Encoding", "")), self.limits.max_bytes
        kept, came = bytearray(), 0
        async for piece in answer.content.iter_chunked(_PIECE_BYTES):
            came += len(piece)
            kept += inflater.feed(piece, most + 1 - len(kept))
            if len(kept) > most or came > most:
                return bytes(kept[:most]), True
        return bytes(kept), False


def may_follow(ask: Ask, at: URL, target: URL) -> bool:
    """Tell whether a redirect is followed: to the same host, or to its twin with `www.` when nothing is carried.

    Never from https to http.
    """
    if at.scheme == "https" and target.scheme == "http":
        return False
    if ask.leaves:
        return True
    if (at.scheme, at.port) != (target.scheme, target.port) and not _is_upgrade(at, target):
        return False
    here, there = host_of(at), host_of(target)
    carries = bool(ask.headers) or ask.body is not None
    return here == there or (not carries and here.removeprefix("www.") == there.removeprefix("www."))


def _is_upgrade(at: URL, target: URL) -> bool:
    return (at.scheme, at.port, target.scheme, target.port) == ("http", 80, "https", 443)


def _carried(ask: Ask, at: URL, target: URL, status: int) -> Ask:
    """Give the request that follows a redirect."""
    if host_of(at) != host_of(target):
        ask = replace(ask, headers={}, body=None, method="GET")
    if status == 303 or (status in (301, 302) and ask.method == "POST"):
        ask = replace(ask, method="HEAD" if ask.method == "HEAD" else "GET", body=None)
    return ask
