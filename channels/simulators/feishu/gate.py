"""What every REST call passes: record, faults, token, rate limit, and the shape of the answer."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from channels.simulators.clock import MovableClock
from channels.simulators.faults import Faults
from channels.simulators.feishu.errors import ApiError, ConnectionCut
from channels.simulators.feishu.options import Options
from channels.simulators.feishu.scopes import check_scopes
from channels.simulators.feishu.tokens import Tokens
from channels.simulators.feishu.world import App, new_id
from channels.simulators.jsons import Json, parse_object
from channels.simulators.limits import Limits
from channels.simulators.timeline import Entry, Timeline

SPEAKER = web.RequestKey("speaker", str)
"""Which app a request turned out to come from."""

RouteHandler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    """One authorised request, its JSON body read."""

    app: App
    body: Json
    request: web.Request

    def part(self, name: str) -> str:
        """Give a part of the path."""
        return self.request.match_info[name]


Answer = Json | web.Response
Handler = Callable[[Call], Awaitable[Json] | Answer]


class Gate:
    """Wraps the handlers of REST calls."""

    def __init__(self, clock: MovableClock, options: Options, timeline: Timeline, faults: Faults) -> None:
        self.clock = clock
        self.options = options
        self.timeline = timeline
        self.faults = faults
        self.limits = Limits(clock)
        self.tokens: Tokens | None = None
        self.is_exempt: Callable[[web.Request], bool] = lambda request: False

    def api(self, handler: Handler, *, wrap: bool = True) -> RouteHandler:
        """Make a route of a handler: token checked, rate counted; the result goes into `data`, or beside `code`."""

        async def run(request: web.Request, body: Json) -> Answer:
            assert self.tokens is not None
            app = self.tokens.check(request.headers.get("Authorization"))
            request[SPEAKER] = app.app_id
            check_scopes(request.method, request.path, app.app_id, self.options.withheld_scopes)
            self._count(request, app)
            found = handler(Call(app, body, request))
            if isinstance(found, web.Response):
                return found
            data = found if isinstance(found, dict) else await found
            return {"data": data} if wrap else data

        return self.open(run)

    def open(self, handler: Callable[[web.Request, Json], Awaitable[Answer]]) -> RouteHandler:
        """Make a route without token and rate limit."""

        async def route(request: web.Request) -> web.StreamResponse:
            started = time.monotonic()
            text = "" if request.content_type.startswith("multipart/") else await request.text()
            body = parse_object(text)
            entry = self.timeline.add("rest", "", request.method, request.path_qs, text if body is None else body)
            response = await self._answer(request, body or {}, entry, handler)
            entry.app_id = request.get(SPEAKER, "")
            entry.status, entry.took_ms = response.status, (time.monotonic() - started) * 1000
            return response

        return route

    async def _answer(
        self, request: web.Request, body: Json, entry: Entry, handler: Callable[[web.Request, Json], Awaitable[Answer]]
    ) -> web.Response:
        action = self.faults.find(method=request.method, path=request.path)
        entry.fault = ",".join(action)
        try:
            await self._before(action)
            response = _accepted(await handler(request, body))
            entry.code = 0
        except ApiError as error:
            entry.code, response = error.code, _refusal(error)
        except ConnectionCut:
            response = None
        if response is None or action.get("lost_answer"):
            cut(request)
            return web.Response(status=499)
        return response

    async def _before(self, action: dict[str, Any]) -> None:
        delay_s = max(self.options.api_delay_s, float(action.get("delay_s", 0)))
        if delay_s:
            await self.clock.sleep(delay_s)
        if action.get("hang"):
            await asyncio.Event().wait()
        if action.get("drop"):
            raise ConnectionCut
        if "status" in action or "code" in action:
            status, headers = int(action.get("status", 400)), action.get("headers")
            raise ApiError(int(action.get("code", 1)), str(action.get("msg", "")), status=status, headers=headers)

    def _count(self, request: web.Request, app: App) -> None:
        if self.options.streaming_exempt and self.is_exempt(request):
            return
        assert request.match_info.route.resource is not None
        key = ("api", app.app_id, request.method, request.match_info.route.resource.canonical)
        refuse_over(self.limits.take(key, (self.options.api_per_second, 1), (self.options.api_per_minute, 60)))


def refuse_over(hit: tuple[int, int] | None) -> None:
    """Refuse with 429 when a limit was hit.

    Raises:
        ApiError: 99991400 with the headers `x-ogw-ratelimit-limit` and `-reset` (seconds).
    """
    if hit is not None:
        limit, reset_s = hit
        headers = {"x-ogw-ratelimit-limit": str(limit), "x-ogw-ratelimit-reset": str(reset_s)}
        raise ApiError(99991400, status=429, headers=headers)


def cut(request: web.Request) -> None:
    """Reset the request's connection."""
    if request.transport is not None:
        raw = request.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()


def _accepted(result: Answer) -> web.Response:
    if isinstance(result, web.Response):
        return result
    return web.json_response({"code": 0, "msg": "success", **result})


def _refusal(error: ApiError) -> web.Response:
    log_id = new_id("log")
    body = {"code": error.code, "msg": error.text, "error": {"log_id": log_id}}
    return web.json_response(body, status=error.status, headers={"x-tt-logid": log_id, **error.headers})
