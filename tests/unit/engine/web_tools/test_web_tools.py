"""web_fetch and web_search as a model sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from engine.errors import ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.permissions import Touches
from engine.tools.base import ToolContext
from engine.tools.output import bound_output
from engine.tools.web import web_fetch
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Fetcher, Limits
from engine.tools.web.json_search import JsonSearch
from engine.tools.web.web_fetch import WebFetch
from engine.tools.web.web_search import WebSearch
from tests.processes.sites import PRIVATE, fetcher, site


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:p")


def page(body: str | bytes, mime: str = "text/html", status: int = 200) -> web.Response:
    data = body.encode() if isinstance(body, str) else body
    return web.Response(body=data, status=status, headers={"Content-Type": mime})


async def test_a_page_is_told_with_its_title_text_and_links(context: ToolContext) -> None:
    html = "<title>A \n page</title><!-- no --><h1>Hello</h1><a href='/next'>go on</a>"
    async with site(lambda _: page(html)) as public:
        result = await WebFetch(fetcher(public)).run({"url": public.url("/x#top")}, context)
    head, _, text = result.text.partition("\n\n")
    assert head == f'Page: {public.url("/x")}\nTitle (as the page calls itself): "A page"'
    assert text == f"# Hello\n\n[go on]({public.url('/next')})"
    assert result.parsed == {
        "url": public.url("/x"),
        "status": 200,
        "content_type": "text/html",
        "title": "A page",
        "links": [{"text": "go on", "url": public.url("/next")}],
        "chars": len(text),
        "cut": False,
    }
    assert result.summary == "A page"


@pytest.mark.parametrize(
    ("body", "mime", "shown"),
    [
        ("a <b> c", "text/plain", "a <b> c"),
        ('{"a": 1}', "application/json", '{"a": 1}'),
        ("<!doctype html><p>x", "application/octet-stream", "x"),
        ("<feed/>", "application/atom+xml", "<feed/>"),
    ],
)
async def test_other_texts_come_as_they_are(body: str, mime: str, shown: str, context: ToolContext) -> None:
    async with site(lambda _: page(body, mime)) as public:
        result = await WebFetch(fetcher(public)).run({"url": public.url()}, context)
    assert result.text.endswith(f"\n\n{shown}")


@pytest.mark.parametrize(
    ("body", "mime", "status", "reason"),
    [
        (b"\x89PNG", "image/png", 200, "image/png, which is no text"),
        (b"a\0b", "text/plain", 200, "is no text"),
        (b"gone", "text/html", 404, "the status 404"),
    ],
)
async def test_what_is_no_page_fails(body: bytes, mime: str, status: int, reason: str, context: ToolContext) -> None:
    async with site(lambda _: page(body, mime, status)) as public:
        with pytest.raises(ToolFailed, match=reason):
            await WebFetch(fetcher(public)).run({"url": public.url()}, context)


async def test_a_long_page_is_kept_in_the_workspace(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(lambda _: page("<p>word " * 9_000)) as public:
        result = await WebFetch(fetcher(public)).run({"url": public.url()}, context)
        bound = bound_output(result, limit=1_000, context=context, name="r-p")
        assert len(bound.text) <= 1_000
        assert (context.workspace / bound.artifacts[0]).read_text() == result.text
        monkeypatch.setattr(web_fetch, "MAX_TEXT_CHARS", 100)
        cut = await WebFetch(fetcher(public, limits=Limits(max_bytes=5_000))).run({"url": public.url()}, context)
    assert cut.text.endswith("[cut: the page goes on]")
    assert cut.parsed["cut"] is True


def test_what_a_fetch_touches() -> None:
    touches = WebFetch(Fetcher(Boundary())).touches
    assert touches({"url": "HTTPS://Bücher.Example.:443/?q=1"}) == Touches(hosts=("xn--bcher-kva.example",), sends=True)
    assert touches({"url": "http://[::1/"}) == Touches(sends=True)
    assert WebFetch.is_foreign
    assert WebSearch.is_foreign


HITS = [
    {"title": "One\n\u202ehit", "url": "https://a.example/1", "content": "about\n it"},
    {"title": "bad", "url": "javascript:alert(1)", "content": ""},
    {"title": None, "url": "https://a.example/2"},
    "nonsense",
]


async def test_search_gives_hits_from_the_operators_engine(context: ToolContext) -> None:
    async with site(lambda _: web.json_response({"results": HITS}), PRIVATE) as engine:
        own = Fetcher(Boundary(opened=(f"{engine.host}:{engine.port}",)))
        tool = WebSearch(JsonSearch(engine.url(), own))
        result = await tool.run({"query": " two  words&x=1 ", "count": 5}, context)
        assert engine.asked == ["/search?q=two+words%26x%3D1&format=json"]
        assert result.text == (
            "1. One hit\n   https://a.example/1\n   about it\n\n2. https://a.example/2\n   https://a.example/2"
        )
        assert [hit["url"] for hit in result.parsed["hits"]] == ["https://a.example/1", "https://a.example/2"]
        assert tool.touches({}) == Touches(hosts=(PRIVATE,), sends=True)
        one = await tool.run({"query": "x", "count": 1}, context)
        assert len(one.parsed["hits"]) == 1
        for query in ("", " \n", "x" * 401):
            with pytest.raises(ToolRetry):
                await tool.run({"query": query}, context)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda: web.Response(status=403, text="no"), "the status 403"),
        (lambda: web.Response(text="<html>"), "does not answer in JSON"),
        (lambda: web.json_response([1]), "no list of results"),
        (lambda: web.Response(text=json.dumps({"results": {}})), "no list of results"),
    ],
)
async def test_a_search_engine_that_is_none(answer: object, reason: str, context: ToolContext) -> None:
    async with site(lambda _: answer()) as engine:  # type: ignore[operator]
        with pytest.raises(ToolFailed, match=reason):
            await WebSearch(JsonSearch(engine.url(), fetcher(engine))).run({"query": "x"}, context)
