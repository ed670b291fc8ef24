"""R27 to R38: what is asked to fetch must reach public addresses only, whatever it is called.

Each test listens where the input wants to get to: what counts is that nobody connects there.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from engine.errors import OutOfBounds, ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.tools.base import ToolContext
from engine.tools.declared.definition import Definition
from engine.tools.declared.http_tool import HttpTool
from engine.tools.redaction import Secrets
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Ask, Fetcher
from engine.tools.web.web_fetch import WebFetch
from tests.processes.sites import PRIVATE, PUBLIC, fetcher, names, site

INSIDE = "the inside"


def inside(_request: web.Request) -> web.Response:
    return web.Response(text=INSIDE)


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:p")


async def refused(fetch: Fetcher, url: str, context: ToolContext) -> str:
    with pytest.raises((ToolFailed, ToolRetry)) as caught:
        await WebFetch(fetch).run({"url": url}, context)
    assert INSIDE not in str(caught.value)
    return str(caught.value)


async def test_r27_loopback(context: ToolContext) -> None:
    async with site(inside) as gateway:
        fetch = Fetcher(Boundary(ports=frozenset({gateway.port})))
        for host in (PUBLIC, "localhost", "LOCALHOST."):
            assert "no public address (loopback)" in await refused(fetch, gateway.url("/metrics", host), context)
        assert gateway.connections == 0


async def test_r28_loopback_of_ipv6(context: ToolContext) -> None:
    async with site(inside, "::1") as gateway:
        fetch = Fetcher(Boundary(ports=frozenset({gateway.port})))
        for host in ("[::1]", "[0:0:0:0:0:0:0:1]", "[::]"):
            assert "no public address" in await refused(fetch, gateway.url("/", host), context)
        assert gateway.connections == 0


@pytest.mark.parametrize("host", ["[::ffff:10.0.0.1]", "[::ffff:7f00:2]", "[::127.0.0.2]", "[::ffff:0:127.0.0.2]"])
async def test_r29_ipv4_inside_ipv6(host: str, context: ToolContext) -> None:
    async with site(inside, PRIVATE) as victim:
        assert "no public address" in await refused(fetcher(victim), victim.url("/", host), context)
        assert victim.connections == 0


@pytest.mark.parametrize("host", ["[64:ff9b::a00:1]", "[64:ff9b::7f00:2]", "[64:ff9b:1::808:808]"])
async def test_r30_nat64(host: str, context: ToolContext) -> None:
    assert "no public address" in await refused(Fetcher(Boundary()), f"http://{host}/", context)


async def test_r31_cloud_metadata(context: ToolContext) -> None:
    for host in ("169.254.169.254", "[fd00:ec2::254]", "[fe80::1%25eth0]", "168.63.129.16", "100.100.100.200"):
        assert "no public address" in await refused(Fetcher(Boundary()), f"http://{host}/latest/meta-data/", context)
    opened = Fetcher(Boundary(opened=("*.example",)), lookup=names({"meta.example": ["169.254.169.254"]}))
    assert "link-local" in await refused(opened, "http://meta.example/", context)


@pytest.mark.parametrize(
    "host", ["2130706434", "0x7f.2", "017700000002", "127.2", "0x7f000002", "127.0.0.002", "127。0。0。2", "①②⑦.⓪.⓪.②"]
)
async def test_r32_odd_spellings(host: str, context: ToolContext) -> None:
    async with site(inside, PRIVATE) as victim:
        await refused(fetcher(victim), victim.url("/", host), context)
        assert victim.connections == 0


async def test_r33_rebinding(context: ToolContext) -> None:
    answers = cycle([[PUBLIC], [PRIVATE]])

    async def rebind(_host: str, _port: int) -> list[str]:
        return next(answers)

    async with site(inside, PRIVATE) as victim, site(lambda _: web.Response(text="ok"), PUBLIC, victim.port) as public:
        fetch = fetcher(victim, lookup=rebind)
        seen = [(await WebFetch(fetch).run({"url": victim.url("/", "two.faces")}, context)).text]
        assert "127.0.0.2, which is no public address" in await refused(fetch, victim.url("/", "two.faces"), context)
        assert "ok" in seen[0]
        assert (public.connections, victim.connections) == (1, 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("leaves", [True, False])
async def test_r34_redirect(status: int, leaves: bool) -> None:
    async with site(inside, PRIVATE) as victim:
        there = victim.url("/")
        async with site(lambda _: web.Response(status=status, headers={"Location": there})) as public:
            with pytest.raises(OutOfBounds, match=r"redirects to where nothing is fetched.*no public address"):
                await fetcher(victim, public).fetch(Ask(public.url(), leaves=leaves))
        assert victim.connections == 0


async def test_r34_redirect_to_a_name_that_leads_inside(context: ToolContext) -> None:
    async with site(inside, PRIVATE) as victim:
        there = victim.url("/", "inside.example")
        async with site(lambda _: web.Response(status=302, headers={"Location": there})) as public:
            fetch = fetcher(victim, public, lookup=names({"inside.example": [PRIVATE]}))
            with pytest.raises(OutOfBounds, match="no public address"):
                await fetch.fetch(Ask(public.url(), leaves=True))
            told = await WebFetch(fetch).run({"url": public.url()}, context)
        assert told.parsed["onward"] == there
        assert "Nothing was read" in told.text
        assert victim.connections == 0


@pytest.mark.parametrize("order", [[PUBLIC, PRIVATE], [PRIVATE, PUBLIC]])
async def test_r35_one_address_of_two(order: list[str]) -> None:
    async with site(inside, PRIVATE) as victim:
        fetch = fetcher(victim, lookup=names({"half.example": order}))
        # Nobody listens at the public one: not even then is the other one tried.
        with pytest.raises(ToolFailed, match="cannot be reached"):
            await fetch.fetch(Ask(victim.url("/", "half.example")))
        assert victim.connections == 0


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "gopher://127.0.0.1/",
        "ftp://127.0.0.1/",
        "data:text/plain,hi",
        "javascript:alert(1)",
        "/x",
        "",
        "http:///etc/passwd",
        "http://u:p@public.example/",
        "http://public.example:22/",
        "http://public.example:99999/",
        "http://a\\@127.0.0.1/",
        "http://127.0.0.1\t.example/",
        "http://[::1/",
    ],
)
async def test_r36_other_schemes_and_forms(url: str, context: ToolContext) -> None:
    async def nobody(host: str, _port: int) -> list[str]:
        raise AssertionError(f"{host} was looked up")

    await refused(Fetcher(Boundary(), lookup=nobody), url, context)


def tool(fetch: Fetcher, url: str, **more: Any) -> HttpTool:
    parameters = [{"name": "path", "required": True}]
    handler = {"type": "http", "url": url, **more}
    definition = Definition.model_validate(
        {"name": "t", "description": "d", "parameters": parameters, "handler": handler}
    )
    assert definition.handler.type == "http"
    return HttpTool(definition, definition.handler, fetch, Secrets({}))


@pytest.mark.parametrize("place", ["/{{path}}", "/a/{{path}}/b", "/?q={{path}}", "{{path}}"])
@pytest.mark.parametrize(
    "value",
    [
        "@127.0.0.2/",
        "//127.0.0.2/",
        "\\\\127.0.0.2",
        "a#@127.0.0.2",
        "?x=1",
        "../../..",
        "a/../b",
        "%2f..",
        "\r\nHost: x",
    ],
)
async def test_r37_a_parameter_never_changes_the_host(place: str, value: str, context: ToolContext) -> None:
    async with site(inside, PRIVATE) as victim, site(lambda _: web.Response(text="{}"), PUBLIC, victim.port) as public:
        fetch = fetcher(victim)
        if place == "{{path}}":
            with pytest.raises(ValueError, match="host"):
                tool(fetch, public.url("")[:-5] + place)
            return
        await tool(fetch, public.url(place)).run({"path": value}, context)
        assert victim.connections == 0
        assert len(public.asked) == 1
        sent = public.asked[0]
        # The value is one part: what stands around it is as the template says.
        assert sent.count("/") == place.count("/")
        assert sent.count("?") == place.count("?")
        assert "Host: x" not in str(public.headers)


async def test_r37_dots_are_no_part_of_a_path(context: ToolContext) -> None:
    async with site(lambda _: web.Response(text="{}")) as public:
        for value in (".", ".."):
            with pytest.raises(ToolRetry):
                await tool(fetcher(public), public.url("/a/{{path}}/b")).run({"path": value}, context)
        assert public.connections == 0


async def test_r38_pictures_of_a_page_are_not_fetched(context: ToolContext) -> None:
    async with site(inside, PRIVATE) as victim:
        page = (
            f'<p>text</p><img src="{victim.url("/p.png")}" alt="a cat"><link rel=stylesheet href="{victim.url("/s")}">'
        )
        async with site(lambda _: web.Response(text=page, content_type="text/html")) as public:
            result = await WebFetch(fetcher(victim, public)).run({"url": public.url()}, context)
        assert "[picture: a cat]" in result.text
        # Whoever fetches a picture that a message names does it here, and is refused.
        with pytest.raises(OutOfBounds):
            await fetcher(victim).fetch(Ask(victim.url("/p.png"), leaves=True))
        assert victim.connections == 0
