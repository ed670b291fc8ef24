"""Redirects, sizes, and what is carried where."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from aiohttp import web
from yarl import URL

from engine.errors import OutOfBounds, ToolFailed
from engine.tools.web.decoding import decode
from engine.tools.web.fetcher import Ask, Limits, may_follow
from tests.processes.sites import fetcher, names, site

LIMITS = Limits(max_bytes=100_000)


def moved(to: str, status: int = 302) -> web.Response:
    return web.Response(status=status, headers={"Location": to})


async def test_redirects_on_one_host_are_followed_and_bounded() -> None:
    def walk(request: web.Request) -> web.Response:
        step = int(request.path[1:])
        return moved(f"/{step - 1}") if step else web.Response(text="there")

    async with site(walk) as public:
        reply = await fetcher(public).fetch(Ask(public.url("/5")))
        assert (reply.body, reply.url) == (b"there", public.url("/0"))
        with pytest.raises(ToolFailed, match="more than 5 times"):
            await fetcher(public).fetch(Ask(public.url("/6")))


@pytest.mark.parametrize(("status", "method", "body"), [(303, "GET", b""), (302, "GET", b""), (307, "POST", b"hi")])
async def test_a_redirect_keeps_or_drops_the_body_as_its_status_says(status: int, method: str, body: bytes) -> None:
    def answer(request: web.Request) -> web.Response:
        return moved("/b", status) if request.path == "/a" else web.Response(text=request.method)

    async with site(answer) as public:
        reply = await fetcher(public).fetch(Ask(public.url("/a"), "POST", body=b"hi"))
        assert (reply.body.decode(), public.bodies[1]) == (method, body)


async def test_headers_and_bodies_never_go_to_another_host() -> None:
    async with site(lambda _: web.Response(text="got")) as other:
        there = other.url("/", "other.example")
        async with site(lambda _: moved(there, 307)) as public:
            lookup = names({"other.example": ["127.0.0.1"], "public.example": ["127.0.0.1"]})
            fetch = fetcher(public, other, lookup=lookup)
            ask = Ask(public.url("/", "public.example"), "POST", {"Authorization": "Bearer s3cret"}, b"data")
            reply = await fetch.fetch(ask)
            assert (reply.onward, other.connections) == (there, 0)
            leaving = Ask(ask.url, "POST", ask.headers, ask.body, leaves=True)
            assert (await fetch.fetch(leaving)).body == b"got"
            assert "Authorization" not in other.headers[0]
            assert other.bodies == [b""]


async def test_the_twin_with_www_is_the_same_site() -> None:
    async with site(lambda _: web.Response(text="hi")) as public:
        table = {"www.a.example": ["127.0.0.1"], "a.example": ["127.0.0.1"]}
        target = public.url("/x", "www.a.example")
        async with site(lambda request: moved(target)) as first:
            fetch = fetcher(public, first, lookup=names(table))
            # Another port is another place, though.
            assert (await fetch.fetch(Ask(first.url("/", "a.example")))).onward == target

        def twin(request: web.Request) -> web.Response:
            is_twin = request.host.startswith("www.")
            return web.Response(text="twin") if is_twin else moved(f"http://www.{request.host}/")

        async with site(twin) as public:
            assert (await fetcher(public, lookup=names(table)).fetch(Ask(public.url("/", "a.example")))).body == b"twin"


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("identity", bytes),
    ],
)
async def test_bodies_are_unpacked_up_to_the_limit(name: str, pack: object) -> None:
    def answer(request: web.Request) -> web.Response:
        body = b"x" * int(request.path[1:])
        return web.Response(body=pack(body), headers={"Content-Encoding": name})  # type: ignore[operator]

    async with site(answer) as public:
        fetch = fetcher(public, limits=LIMITS)
        whole = await fetch.fetch(Ask(public.url("/100000")))
        assert (len(whole.body), whole.is_cut) == (100_000, False)
        cut = await fetch.fetch(Ask(public.url("/100001")))
        assert (len(cut.body), cut.is_cut) == (100_000, True)


async def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\0" * 60_000_000)
    async with site(lambda _: web.Response(body=bomb, headers={"Content-Encoding": "gzip"})) as public:
        tracemalloc.start()
        reply = await fetcher(public, limits=LIMITS).fetch(Ask(public.url()))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (len(reply.body), reply.is_cut) == (100_000, True)
    assert peak < 5_000_000


@pytest.mark.parametrize("name", ["br", "zstd", "gzip, gzip", "compress"])
async def test_what_was_not_asked_for_is_refused(name: str) -> None:
    async with site(lambda _: web.Response(body=b"x", headers={"Content-Encoding": name})) as public:
        with pytest.raises(ToolFailed, match="not asked for"):
            await fetcher(public).fetch(Ask(public.url()))


async def test_a_body_that_lies_about_its_packing_is_a_failure() -> None:
    async with site(lambda _: web.Response(body=b"plain", headers={"Content-Encoding": "gzip"})) as public:
        with pytest.raises(ToolFailed, match="not packed as it says"):
            await fetcher(public).fetch(Ask(public.url()))


async def test_no_cookie_is_kept() -> None:
    async with site(lambda _: web.Response(headers={"Set-Cookie": "a=b; Path=/"})) as public:
        fetch = fetcher(public)
        for _ in range(2):
            await fetch.fetch(Ask(public.url()))
        assert all("Cookie" not in each for each in public.headers)
        assert public.connections == 2


def test_an_https_page_does_not_lead_to_http() -> None:
    ask = Ask("https://a.example/")
    assert not may_follow(ask, URL("https://a.example/"), URL("http://a.example/"))
    assert may_follow(ask, URL("http://a.example/"), URL("https://a.example/"))
    assert not may_follow(ask, URL("http://a.example:8080/"), URL("https://a.example/"))


async def test_a_failure_does_not_tell_the_address() -> None:
    async with site(lambda _: web.Response()) as gone:
        pass
    with pytest.raises(ToolFailed) as caught:
        await fetcher(gone).fetch(Ask(gone.url("/?key=s3cret")))
    assert "s3cret" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert not isinstance(caught.value, OutOfBounds)


@pytest.mark.parametrize(
    ("body", "charset", "text"),
    [
        ("中文".encode("gbk"), "", "中文"),
        ("中文".encode(), "", "中文"),
        ("中文".encode()[:-1], "", "中"),
        ("中文".encode("gbk"), "GB2312", "中文"),
        ("é".encode("latin-1"), "iso-8859-1", "é"),
        (b"\xef\xbb\xbfa", "latin-1", "a"),
        ("hi".encode("utf-16"), "", "hi"),
        (b"<meta charset='big5'>" + "中".encode("big5"), "", "<meta charset='big5'>中"),
        (b"uryyb", "rot13", "uryyb"),
        (b"+ADw-", "utf-7", "+ADw-"),
    ],
)
def test_decoding(body: bytes, charset: str, text: str) -> None:
    assert decode(body, charset, is_markup=True) == text
