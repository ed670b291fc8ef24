"""Calls of an HTTP API that a file declares."""

from __future__ import annotations

import asyncio
import base64
import json
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from engine.errors import OutOfBounds, ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.permissions import Touches
from engine.tools.arguments import parse_arguments
from engine.tools.base import ToolContext
from engine.tools.declared.definition import Definition
from engine.tools.declared.http_tool import HttpTool
from engine.tools.redaction import Secrets
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Ask, Fetcher
from tests.processes.sites import Site, fetcher, site

KEY = "s3cret/key+1"


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:tool/0/1")


def tool(public: Site, handler: dict[str, Any], parameters: str = "", *more_sites: Site, **more: Any) -> HttpTool:
    """`parameters`: names, each with `:type` or without; those with `!` are required."""
    wanted = [
        {"name": each.rstrip("!").partition(":")[0], "type": each.rstrip("!").partition(":")[2] or "string"}
        | {"required": each.endswith("!")}
        for each in parameters.split()
    ]
    handler = {"type": "http", **handler, "url": public.url(handler.get("url", "/"))}
    definition = Definition.model_validate(
        {"name": "t", "description": "d", "parameters": wanted, "handler": handler, **more}
    )
    assert definition.handler.type == "http"
    return HttpTool(definition, definition.handler, fetcher(public, *more_sites), Secrets({"KEY": KEY}))


def answer(_request: web.Request) -> web.Response:
    return web.json_response({"data": {"items": [{"n": 1}]}})


ODD = "a b/?&=#%+{{y}}${KEY}\u4e2d"
ENCODED = "a%20b%2F%3F%26%3D%23%25%2B%7B%7By%7D%7D%24%7BKEY%7D%E4%B8%AD"


async def test_values_are_encoded_by_their_place(context: ToolContext) -> None:
    async with site(answer) as public:
        handler = {
            "url": "/p/{{x}}.json?u={{x}}&fixed=1",
            "query": {"q": "pre {{x}}", "gone": "{{y}}"},
            "method": "POST",
            "body": {"text": "<{{x}}>", "n": "{{n}}", "list": ["{{l}}", "{{y}}"], "gone": "{{y}}", "deep": {"b": True}},
        }
        await tool(public, handler, "x! y n:number l:array").run({"x": ODD, "n": 1.5, "l": [1, "a"]}, context)
        assert public.asked == [f"/p/{ENCODED}.json?u={ENCODED}&fixed=1&q=pre%20{ENCODED}"]
        assert json.loads(public.bodies[0]) == {"text": f"<{ODD}>", "n": 1.5, "list": [[1, "a"]], "deep": {"b": True}}
        assert public.headers[0]["Content-Type"] == "application/json"


async def test_headers_take_secrets_and_no_line_breaks(context: ToolContext) -> None:
    async with site(answer) as public:
        it = tool(public, {"headers": {"Authorization": "Bearer ${KEY}", "X-A": "{{a}}", "X-B": "{{b}}"}}, "a b")
        await it.run({"a": "fine"}, context)
        assert public.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert public.headers[0]["X-A"] == "fine"
        assert "X-B" not in public.headers[0]
        for bad in ("x\r\nHost: y", "x\ny", "\0", "\u4e2d"):
            with pytest.raises(ToolRetry, match="visible ASCII"):
                await it.run({"a": bad}, context)
        assert len(public.asked) == 1


async def test_what_stands_in_the_path_must_be_something(context: ToolContext) -> None:
    async with site(answer) as public:
        it = tool(public, {"url": "/users/{{id}}", "method": "DELETE"}, "id!")
        for bad in ("", ".", "..", "\ud800"):
            with pytest.raises(ToolRetry):
                await it.run({"id": bad}, context)
        assert public.asked == []


async def test_arguments_are_checked_by_the_schema(context: ToolContext) -> None:
    async with site(answer) as public:
        parameters = tool(public, {"url": "/{{x}}?n={{n}}"}, "x! n:integer").parameters
    assert parse_arguments('{"x": "a"}', parameters, tool="t") == {"x": "a"}
    for wrong in ("{}", '{"x": 1}', '{"x": "a", "n": "b"}', '{"x": "a", "more": 1}'):
        with pytest.raises(ToolRetry):
            parse_arguments(wrong, parameters, tool="t")


@pytest.mark.parametrize(
    ("handler", "parsed", "text"),
    [
        ({}, {"status": 200, "data": {"data": {"items": [{"n": 1}]}}}, None),
        ({"pick": "data.items.0.n"}, {"status": 200, "data": 1}, "1"),
        ({"result": "text"}, {"status": 200}, '{"data": {"items": [{"n": 1}]}}'),
    ],
)
async def test_the_reply_is_read(handler: dict[str, Any], parsed: Any, text: str | None, context: ToolContext) -> None:
    async with site(answer) as public:
        result = await tool(public, handler).run({}, context)
    assert result.parsed == parsed
    assert text is None or result.text == text


@pytest.mark.parametrize(
    ("handler", "reply", "reason"),
    [
        ({"pick": "data.none"}, {"data": 1}, "has no 'data.none'"),
        ({"pick": "0"}, {"data": 1}, "has no '0'"),
        ({"result": "json"}, None, "is not the JSON"),
    ],
)
async def test_a_reply_in_another_form_fails(handler: Any, reply: Any, reason: str, context: ToolContext) -> None:
    async with site(lambda _: web.json_response(reply) if reply else web.Response(text="<p>")) as public:
        with pytest.raises(ToolFailed, match=reason):
            await tool(public, handler).run({}, context)


async def test_secrets_come_back_in_no_form(context: ToolContext) -> None:
    def echo(request: web.Request) -> web.Response:
        sent = request.headers["Authorization"]
        forms = [sent, request.raw_path, base64.b64encode(KEY.encode()).decode(), {sent: sent}]
        status = int(request.query["s"])
        return web.json_response({"key=plain-sk": forms} if status == 200 else forms, status=status)

    handler = {"url": "/?k=${KEY}&s={{s}}", "headers": {"Authorization": "Bearer ${KEY}"}}
    async with site(echo) as public:
        it = tool(public, handler, "s:integer!")
        told = (await it.run({"s": 200}, context)).model_dump_json()
        with pytest.raises(ToolFailed, match="the status 500") as caught:
            await it.run({"s": 500}, context)
    told += repr(caught.value) + repr(caught.value.__cause__)
    assert "[hidden]" in told
    for form in (KEY, "s3cret%2Fkey", "s3cret", base64.b64encode(KEY.encode()).decode()[:12]):
        assert form not in told


async def test_secrets_do_not_come_back_in_a_text(context: ToolContext) -> None:
    async with site(lambda request: web.Response(text=f"you sent {request.headers['A']}")) as public:
        result = await tool(public, {"headers": {"A": "${KEY}"}}).run({}, context)
    assert result.text == "you sent [hidden]"


async def test_the_port_that_the_operator_wrote_may_be_used(context: ToolContext) -> None:
    async with site(answer) as public:
        fetch = Fetcher(Boundary(counted_public=(ip_network("127.0.0.1"),)))
        definition = Definition.model_validate(
            {"name": "t", "description": "d", "handler": {"type": "http", "url": public.url()}}
        )
        assert definition.handler.type == "http"
        assert (await HttpTool(definition, definition.handler, fetch, Secrets({})).run({}, context)).success
        with pytest.raises(OutOfBounds):
            await fetch.fetch(Ask(public.url()))


async def test_a_secret_that_is_not_set_is_an_error_only_when_used(context: ToolContext) -> None:
    async with site(answer) as public:
        it = tool(public, {"headers": {"A": "${NOT_SET}"}})
        with pytest.raises(ToolFailed, match="NOT_SET that this tool needs is not set"):
            await it.run({}, context)
        assert public.asked == []


async def test_a_redirect_to_another_host_takes_nothing_along(context: ToolContext) -> None:
    async with site(answer) as other:
        there = other.url("/?key=${x}", "other.example")
        async with site(lambda _: web.Response(status=302, headers={"Location": there})) as public:
            with pytest.raises(ToolFailed, match="another host"):
                await tool(public, {"headers": {"A": "${KEY}"}}, "", other).run({}, context)
        assert other.connections == 0


async def test_time_is_bounded(context: ToolContext) -> None:
    held = asyncio.Event()

    async def never(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await held.wait()
        writer.close()

    server = await asyncio.start_server(never, "127.0.0.1", 0)
    silent = Site("127.0.0.1", server.sockets[0].getsockname()[1])
    with pytest.raises(ToolFailed, match=r"did not answer within 0\.1 s"):
        await tool(silent, {}, timeout_s=0.1).run({}, context)
    held.set()
    server.close()
    await server.wait_closed()


async def test_effects_and_questions_follow_the_method(context: ToolContext) -> None:
    async with site(answer) as public:
        assert (tool(public, {}).effect, tool(public, {}).asks) == ("none", False)
        post = tool(public, {"method": "POST"})
        assert (post.effect, post.asks) == ("once", True)
        keyed = tool(public, {"method": "POST"}, effect="idempotent", asks=False)
        assert (keyed.effect, keyed.asks) == ("idempotent", False)
        await keyed.run({}, context)
        assert public.headers[0]["Idempotency-Key"] == context.key
        touched = post.touches({})
        assert touched == Touches(hosts=("127.0.0.1",), sends=True, digest=touched.digest) and touched.digest
