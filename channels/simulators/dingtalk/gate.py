"""What every REST call passes: record, faults, token, rate limit, quota, and the shape of the answer."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from channels.simulators.clock import MovableClock
from channels.simulators.dingtalk.errors import ApiError, ConnectionCut, OapiError
from channels.simulators.dingtalk.options import Options
from channels.simulators.dingtalk.quota import Quota
from channels.simulators.dingtalk.scopes import check_scopes
from channels.simulators.dingtalk.tokens import Tokens
from channels.simulators.dingtalk.world import App
from channels.simulators.faults import Faults
from channels.simulators.jsons import Json, as_object, parse_object
from channels.simulators.limits import Limits
from channels.simulators.timeline import Entry, Timeline

SPEAKER = web.RequestKey("speaker", str)
"""Which app a request turned out to come from."""
TOKEN_HEADER = "x-acs-dingtalk-access-token"

RouteHandler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    """One authorised request, its JSON body read."""

    app: App
    body: Json
    request: web.Request


Answer = Json | web.Response
OpenHandler = Callable[[web.Request, Json], Awaitable[Answer]]


class Gate:
    """Wraps the handlers of REST calls."""

    def __init__(self, clock: MovableClock, options: Options, timeline: Timeline, faults: Faults) -> None:
        self.clock = clock
        self.options = options
        self.timeline = timeline
        self.faults = faults
        self.limits = Limits(clock)
        self.quota = Quota(clock, options)
        self.tokens: Tokens | None = None
        self._blocked_until_s = float("-inf")

    def api(self, handler: Callable[[Call], Json]) -> RouteHandler:
        """Make a route of a handler of api.dingtalk.com: token, permission, rate and quota are checked."""

        async def run(request: web.Request, body: Json) -> Answer:
            assert self.tokens is not None
            app = self.tokens.check(request.headers.get(TOKEN_HEADER))
            request[SPEAKER] = app.app_id
            self._count(request, app)
            check_scopes(request.path, self.options)
            return handler(Call(app, body, request))

        return self.open(run)

    def open(self, handler: OpenHandler) -> RouteHandler:
        """Make a route without token, rate limit and quota."""

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

    def block_ip(self, seconds: float) -> None:
        """Answer every call with the firewall's page for a while."""
        self._blocked_until_s = self.clock.steady_s() + seconds

    async def _answer(self, request: web.Request, body: Json, entry: Entry, handler: OpenHandler) -> web.Response:
        action = self.faults.find(method=request.method, path=request.path)
        entry.fault = ",".join(action)
        try:
            await self._before(request, action)
            blocked = self._wall()
            response = blocked or _accepted(await handler(request, body))
            entry.code = "blocked" if blocked else 0
        except ApiError as error:
            entry.code, response = error.code, _refusal(error)
        except OapiError as error:
            entry.code, response = error.code, web.json_response({"errcode": error.code, "errmsg": error.text})
        except ConnectionCut:
            response = None
        if response is None or action.get("lost_answer"):
            cut(request)
            return web.Response(status=499)
        return response

    async def _before(self, request: web.Request, action: dict[str, Any]) -> None:
        delay_s = max(self.options.api_delay_s, float(action.get("delay_s", 0)))
        if delay_s:
            await self.clock.sleep(delay_s)
        if action.get("hang"):
            await asyncio.Event().wait()
        if action.get("drop"):
            raise ConnectionCut
        if "status" in action or "code" in action:
            raise _ordered(action)

    def _wall(self) -> web.Response | None:
        """Give the firewall's answer while this machine's address is blocked for too many calls."""
        options, now_s = self.options, self.clock.steady_s()
        if now_s >= self._blocked_until_s and self.limits.take(("ip",), (options.ip_calls, options.ip_window_s)):
            self.block_ip(options.ip_block_s)
        if now_s >= self._blocked_until_s:
            return None
        if options.ip_block_body == "html":
            page = "<html><body>Sorry, your access is blocked</body></html>"
            return web.Response(text=page, content_type="text/html", status=options.ip_block_status)
        return web.json_response({"status": 1111, "wait": 5, "punish": "deny"}, status=options.ip_block_status)

    def _count(self, request: web.Request, app: App) -> None:
        assert request.match_info.route.resource is not None
        key = ("api", app.app_id, request.method, request.match_info.route.resource.canonical)
        if self.limits.take(key, (self.options.api_per_second, 1)) is not None:
            raise ApiError("Forbidden.AccessDenied.QpsLimitForAppkeyAndApi", status=403)
        if not self.quota.take_call():
            raise ApiError("Forbidden.AccessDenied.ApiCountLimitForOrg", status=403)


def cut(request: web.Request) -> None:
    """Reset the request's connection."""
    if request.transport is not None:
        raw = request.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()


def _ordered(action: dict[str, Any]) -> ApiError | OapiError:
    """Give the refusal a fault rule asks for: a number in `code` is an errcode of the old host."""
    code, message = action.get("code", "unknownError"), str(action.get("msg", ""))
    if isinstance(code, int) and "status" not in action:
        return OapiError(code, message)
    error = ApiError(str(code), message, status=int(action.get("status", 400)))
    error.headers = {name: str(value) for name, value in (as_object(action.get("headers")) or {}).items()}
    return error


def _accepted(result: Answer) -> web.Response:
    return result if isinstance(result, web.Response) else web.json_response(result)


def _refusal(error: ApiError) -> web.Response:
    body = {"requestid": str(uuid.uuid4()).upper(), "code": error.code, "message": error.text, **error.more}
    return web.json_response(body, status=error.status, headers=error.headers)
