"""Each of the guard's checks by itself: what one lets through, the next one still stops."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_network

import aiohttp
import pytest
from aiohttp import web

from engine.errors import OutOfBounds, ToolFailed
from engine.tools.web.addresses import kind_of, parse_address
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Ask, Fetcher, Limits
from engine.tools.web.guard import Guard, GuardedConnector
from tests.processes.sites import PRIVATE, PUBLIC, fetcher, names, site


def ok(_request: web.Request) -> web.Response:
    return web.Response(text="ok")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("8.8.8.8", ""),
        ("2606:4700::1111", ""),
        ("::ffff:8.8.8.8", ""),
        ("64:ff9b::808:808", ""),
        ("0.1.2.3", "unspecified"),
        ("10.255.255.255", "private"),
        ("100.127.0.1", "shared by providers"),
        ("172.31.0.1", "private"),
        ("192.0.0.192", "kept for protocols"),
        ("192.88.99.1", "6to4"),
        ("198.19.0.1", "benchmarking"),
        ("203.0.113.9", "documentation"),
        ("239.1.1.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("::ffff:192.168.0.1", "private"),
        ("64:ff9b::c0a8:1", "private"),
        ("64:ff9b:1::1", "NAT64 of a local network"),
        ("2002:a00:1::", "6to4"),
        ("2001:0:4136:e378::1", "kept for protocols"),
        ("2001:db8::1", "documentation"),
        ("3fff::1", "documentation"),
        ("fc00::1", "private"),
        ("fe80::1%eth0", "link-local"),
        ("ff02::1", "multicast"),
        ("::a00:1", "not given out to the public"),
        ("4000::1", "not given out to the public"),
    ],
)
def test_kinds_of_addresses(text: str, kind: str) -> None:
    address = parse_address(text)
    assert address is not None
    assert kind_of(address) == kind


async def ask(guard: Guard, url: str) -> str:
    async with aiohttp.ClientSession(connector=GuardedConnector(guard)) as session, session.get(url) as answer:
        return await answer.text()


async def test_an_address_that_nobody_resolved_is_refused_before_a_socket_is_opened() -> None:
    async with site(ok, PRIVATE) as victim:
        guard = Guard(Boundary(), PRIVATE, victim.port, names({}))
        with pytest.raises(aiohttp.ClientConnectorError):
            await ask(guard, victim.url())
        assert "no public address" in guard.refusal
        assert victim.connections == 0


class Blind(Guard):
    """Sees neither addresses nor sockets, only what was connected to."""

    async def addresses(self) -> list[str]:
        return await self._lookup(self._host, self._port)

    def open_socket(self, info: tuple[object, ...]) -> object:  # type: ignore[override]
        return socket.socket(family=info[0], type=info[1])  # type: ignore[arg-type]


async def test_the_peer_of_the_connection_decides_before_anything_is_sent() -> None:
    async with site(ok, PRIVATE) as victim:
        guard = Blind(Boundary(), "sly.example", victim.port, names({"sly.example": [PRIVATE]}))
        with pytest.raises(aiohttp.ClientConnectionError, match="no public address"):
            await ask(guard, victim.url("/", "sly.example"))
        assert victim.asked == []


async def test_a_connection_to_this_very_machine_is_refused_though_its_address_were_public(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with site(ok, PUBLIC) as mine:
        boundary = Boundary(counted_public=(ip_network("127.0.0.1/32"),))
        monkeypatch.setattr(Boundary, "may_be_this_machine", lambda *_: False)
        guard = Guard(boundary, "me.example", mine.port, names({"me.example": [PUBLIC]}))
        with pytest.raises(aiohttp.ClientConnectionError, match="this machine"):
            await ask(guard, mine.url("/", "me.example"))
        assert mine.asked == []


async def test_what_the_operator_opened_is_reached_by_its_name_and_port_only() -> None:
    async with site(ok, PRIVATE) as wiki:
        lookup = names({"wiki.corp.example": [PRIVATE], "other.example": [PRIVATE]})
        for entry in (f"wiki.corp.example:{wiki.port}", f"*.corp.example:{wiki.port}"):
            fetch = Fetcher(Boundary(opened=(entry,)), lookup=lookup)
            assert (await fetch.fetch(Ask(wiki.url("/", "WIKI.corp.example.")))).body == b"ok"
            for url in (wiki.url("/", "other.example"), "http://wiki.corp.example:81/", wiki.url()):
                with pytest.raises(OutOfBounds):
                    await fetch.fetch(Ask(url))
        assert wiki.connections == 2


async def test_networks_that_the_operator_closed_are_refused() -> None:
    fetch = Fetcher(Boundary(closed=(ip_network("8.8.8.0/24"),)))
    with pytest.raises(OutOfBounds, match="closed"):
        await fetch.fetch(Ask("http://8.8.8.8/"))


async def test_the_environments_proxy_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(ok) as public, site(ok, PRIVATE) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        await fetcher(public).fetch(Ask(public.url()))
        assert proxy.connections == 0


async def test_the_operators_proxy_is_told_a_checked_address_and_never_a_name() -> None:
    async with site(ok, PRIVATE) as proxy:
        table = {"public.example": ["8.8.8.8"], "inside.example": ["10.0.0.1"], "gone.example": list[str]()}
        fetch = Fetcher(Boundary(), proxy=proxy.url(), lookup=names(table))
        await fetch.fetch(Ask("http://public.example/a"))
        assert proxy.headers[0]["Host"] == "public.example"
        assert proxy.asked == ["http://8.8.8.8/a"]
        with pytest.raises(ToolFailed, match="cannot be reached"):  # it answers in plain words what wants TLS
            await fetch.fetch(Ask("https://public.example/a"))
        assert proxy.asked[1:] == ["8.8.8.8:443"]
        with pytest.raises(OutOfBounds, match="no public address"):
            await fetch.fetch(Ask("http://inside.example/"))
        with pytest.raises(OutOfBounds, match="cannot be looked up here"):
            await fetch.fetch(Ask("http://gone.example/"))
        assert len(proxy.asked) == 2


async def test_nothing_waits_longer_than_it_may() -> None:
    async def never(_host: str, _port: int) -> list[str]:
        await asyncio.sleep(60)
        return []

    with pytest.raises(ToolFailed, match=r"did not answer within 0\.1 s"):
        await Fetcher(Boundary(), Limits(total_s=0.1), lookup=never).fetch(Ask("http://slow.example/"))
