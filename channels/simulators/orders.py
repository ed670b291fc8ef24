"""What the control APIs of all simulators share: orders as JSON, the stream of changes, the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from channels.simulators.feed import Feed
from channels.simulators.jsons import Json, parse_object
from channels.simulators.static import page_file

Order = Callable[[Json], Awaitable[Json]]
Route = Callable[[web.Request], Awaitable[web.StreamResponse]]

KEEPALIVE_S = 15


def taking_json(order: Order) -> Route:
    """Give the route of an order: an object in, an object out, 400 with the reason where it cannot be carried out."""

    async def route(request: web.Request) -> web.Response:
        text = await request.text()
        body = parse_object(text) if text else {}
        if body is None:
            return web.json_response({"error": "a JSON object is needed"}, status=400)
        try:
            return web.json_response(await order(body))
        except (KeyError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)

    return route


def telling(feed: Feed) -> Route:
    """Give the route that tells every change from now on, as server-sent events."""

    async def route(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        await response.write(b": hello\n\n")
        changes = feed.listen()
        waiting: asyncio.Future[Json] | None = None
        try:
            while True:
                waiting = waiting or asyncio.ensure_future(anext(changes))
                done, _ = await asyncio.wait([waiting], timeout=KEEPALIVE_S)
                text = f"data: {json.dumps(waiting.result(), ensure_ascii=False)}" if done else ": still here"
                waiting = None if done else waiting
                await response.write(f"{text}\n\n".encode())
        except ConnectionError:
            return response
        finally:
            if waiting is not None:
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)
            await changes.aclose()

    return route


def page_routes(package: str) -> list[web.RouteDef]:
    """Give the routes of a platform's page: `/` and its files."""

    async def page(request: web.Request) -> web.Response:
        return page_file(package, "index.html")

    async def file(request: web.Request) -> web.Response:
        return page_file(package, request.match_info["name"])

    return [web.get("/", page), web.get("/_sim/static/{name}", file)]
