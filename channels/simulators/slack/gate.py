"""What every call under `/api` passes: record, faults, token, scopes, rate limit, and the shape of the answer."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from channels.simulators.clock import MovableClock
from channels.simulators.faults import Faults
from channels.simulators.jsons import Json, as_object, as_objects, parse_object
from channels.simulators.limits import Limits
from channels.simulators.slack.access import Access
from channels.simulators.slack.catalogue import METHODS, Method
from channels.simulators.slack.errors import ApiError, ConnectionCut
from channels.simulators.slack.options import Options
from channels.simulators.slack.world import App
from channels.simulators.timeline import Entry, Timeline

STRUCTURED = frozenset(
    {"blocks", "attachments", "metadata", "files", "chunks", "view", "prompts", "loading_messages", "users"}
)
"""Arguments that forms carry as JSON in a string."""


@dataclass
class Call:
    """One authorised call with its arguments."""

    app: App
    args: Json
    request: web.Request

    def text(self, name: str) -> str:
        """Give an argument as text; empty when it is not there."""
        value = self.args.get(name)
        return "" if value is None else str(value)

    def need(self, name: str) -> str:
        """Give an argument that must be there.

        Raises:
            ApiError: `invalid_arguments`.
        """
        if not self.text(name):
            raise ApiError("invalid_arguments", f"missing required field: {name}")
        return self.text(name)

    def flag(self, name: str) -> bool:
        """Tell whether an argument says yes: true, "true", "1"."""
        return self.text(name).lower() in ("true", "1")

    def objects(self, name: str) -> list[Json] | None:
        """Give an argument that is a list of objects; None when it is not there."""
        return None if self.args.get(name) is None else as_objects(self.args[name])

    def object(self, name: str) -> Json | None:
        """Give an argument that is an object; None when it is not there."""
        return as_object(self.args.get(name))


Handler = Callable[[Call], Json | Awaitable[Json]]


class Gate:
    """Answers `/api/{method}` with the handlers it was given."""

    def __init__(
        self, clock: MovableClock, options: Options, timeline: Timeline, faults: Faults, access: Access
    ) -> None:
        self.clock = clock
        self.options = options
        self.timeline = timeline
        self.faults = faults
        self.access = access
        self.limits = Limits(clock)
        self._handlers: dict[str, Handler] = {}

    def add(self, handlers: dict[str, Handler]) -> None:
        """Take handlers by method name; each must stand in the catalogue."""
        for name in handlers:
            METHODS[name]
        self._handlers |= handlers

    def routes(self) -> list[web.RouteDef]:
        """Give the one route of the Web API."""
        return [web.post("/api/{method}", self._route), web.get("/api/{method}", self._route)]

    async def guard(self, request: web.Request, answer: Callable[[], Awaitable[web.Response]]) -> web.Response:
        """Pass a request outside `/api` through record and faults."""
        entry = self.timeline.add("rest", "", request.method, request.path_qs)
        return await self._timed(request, entry, answer)

    async def _route(self, request: web.Request) -> web.Response:
        args = await read_arguments(request)
        shown = {name: value for name, value in args.items() if name != "token"}
        entry = self.timeline.add("rest", "", request.method, request.path, shown)
        return await self._timed(request, entry, lambda: self._call(request, args, entry))

    async def _timed(
        self, request: web.Request, entry: Entry, answer: Callable[[], Awaitable[web.Response]]
    ) -> web.Response:
        started = time.monotonic()
        action = self.faults.find(method=request.method, path=request.path)
        entry.fault = ",".join(action)
        try:
            await self._before(action)
            response = await answer()
        except ApiError as error:
            entry.code, response = error.error, _refusal(error)
        except ConnectionCut:
            response = None
        if response is None or action.get("lost_answer"):
            cut(request)
            response = web.Response(status=499)
        entry.status, entry.took_ms = response.status, (time.monotonic() - started) * 1000
        return response

    async def _call(self, request: web.Request, args: Json, entry: Entry) -> web.Response:
        name = request.match_info["method"]
        method, handler = METHODS.get(name), self._handlers.get(name)
        if method is None or handler is None:
            raise ApiError("unknown_method", req_method=name)
        app = self.access.check(request.headers.get("Authorization"), args, method)
        entry.app_id = app.app_id
        self._count(app, name, method, args)
        self.access.check_scopes(app, method, args)
        found = handler(Call(app, args, request))
        body: Json = found if isinstance(found, dict) else await found
        entry.code = 0
        return _accepted(body, self.access.granted(method))

    async def _before(self, action: dict[str, Any]) -> None:
        delay_s = max(self.options.api_delay_s, float(action.get("delay_s", 0)))
        if delay_s:
            await self.clock.sleep(delay_s)
        if action.get("hang"):
            await asyncio.Event().wait()
        if action.get("drop"):
            raise ConnectionCut
        if "status" in action or "error" in action:
            error = str(action.get("error", "internal_error"))
            raise ApiError(error, status=int(action.get("status", 200)), headers=action.get("headers"))

    def _count(self, app: App, name: str, method: Method, args: Json) -> None:
        options = self.options
        if name == "chat.postMessage":
            burst = (options.post_burst, float(options.post_burst))
            self._take(("posts", app.app_id, str(args.get("channel"))), burst)
            self._take((name, app.app_id), (options.posts_per_minute, 60))
            return
        limit = int(getattr(options, f"tier_{method.tier}_per_minute", options.special_per_minute))
        if options.commercial and name in ("conversations.history", "conversations.replies"):
            limit = 1
        self._take((name, app.app_id), (limit, 60))

    def _take(self, key: tuple[str, ...], window: tuple[int, float]) -> None:
        if (hit := self.limits.take(key, window)) is not None:
            after_s = hit[1] if self.options.retry_after_s is None else self.options.retry_after_s
            status = 200 if self.options.limited_as_200 else 429
            raise ApiError("ratelimited", status=status, headers={"Retry-After": str(after_s)})


async def read_arguments(request: web.Request) -> Json:
    """Give the arguments of a call: query, form or JSON."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        return args | (parse_object(await request.text()) or {})
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        args |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    for name in STRUCTURED & set(args):
        args[name] = _parse_structure(args[name])
    return args


def _parse_structure(value: object) -> object:
    try:
        return json.loads(str(value))
    except ValueError:
        return value


def cut(request: web.Request) -> None:
    """Reset the request's connection."""
    if request.transport is not None:
        raw = request.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()


def _accepted(body: Json, headers: dict[str, str]) -> web.Response:
    return web.json_response({"ok": True, **body}, headers=headers)


def _refusal(error: ApiError) -> web.Response:
    body = {"ok": False, "error": error.error, **error.more}
    return web.json_response(body, status=error.status, headers=error.headers)
