"""A declared tool that calls an HTTP API."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

from engine.errors import OutOfBounds, ToolFailed, ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.cut import clean, cut
from engine.tools.declared.definition import Definition, HttpHandler
from engine.tools.declared.request import Request
from engine.tools.redaction import Secrets, redact
from engine.tools.web.boundary import host_named
from engine.tools.web.decoding import decode
from engine.tools.web.fetcher import Fetcher, Reply
from engine.tools.web.hidden import seen

KEY_HEADER = "Idempotency-Key"
"""How an idempotent call tells its key. Source: draft-ietf-httpapi-idempotency-key-header, read 2026-11."""
MAX_TEXT_CHARS = 400_000
MAX_TOLD_CHARS = 500


class HttpTool:
    """Sends what its file says, to the host that stands there. The model never sees a secret of it."""

    is_foreign = True
    event_type: EventType = "tool"

    def __init__(self, definition: Definition, handler: HttpHandler, fetcher: Fetcher, secrets: Secrets) -> None:
        """Read the templates.

        Raises:
            ValueError: they cannot be used.
        """
        self._definition, self._handler = definition, handler
        self._request = Request(handler)
        self._fetcher = fetcher.for_declared(self._request.port, definition.timeout_s)
        self._secrets = secrets
        self.name, self.description = definition.name, definition.description
        self.parameters = definition.schema_of()

    @property
    def request(self) -> Request:
        """Give its templates."""
        return self._request

    @property
    def effect(self) -> Effect:
        """See `Tool.effect`."""
        is_reading = self._handler.method in ("GET", "HEAD")
        return self._definition.effect or ("none" if is_reading else "once")

    @property
    def asks(self) -> bool:
        """See `Tool.asks`."""
        return self.effect != "none" if self._definition.asks is None else self._definition.asks

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        hosts = host_named(f"https://{self._request.host}")
        return Touches(hosts=hosts, sends=True, digest=self._definition.digest())

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Call the API.

        Raises:
            ToolRetry: an argument does not fit in its place.
            ToolFailed: it cannot be reached, a secret is missing, or it answers with an error.
        """
        try:
            reply = await self._send(args, context)
            return await asyncio.to_thread(self._result, reply)
        except ToolRetry as error:
            raise ToolRetry(self._safe(error)) from None
        except OutOfBounds as error:
            raise OutOfBounds(self._safe(error)) from None
        except ToolFailed as error:
            raise ToolFailed(self._safe(error)) from None

    async def _send(self, args: dict[str, Any], context: ToolContext) -> Reply:
        ask = self._request.render(self._definition.filled(args), self._secrets.get)
        if self.effect == "idempotent":
            ask = ask.with_header(KEY_HEADER, context.key)
        reply = await self._fetcher.fetch(ask)
        if reply.onward:
            raise ToolFailed(f"{self.name} is redirected to another host, which it may not follow: {reply.onward}")
        return reply

    def _result(self, reply: Reply) -> ToolResult:
        text = self._secrets.clean(clean(seen(decode(reply.body, reply.charset))))
        if reply.status >= 400:
            raise ToolFailed(f"{self.name} answers with the status {reply.status}: {cut(text, MAX_TOLD_CHARS)}")
        parsed: dict[str, Any] = {"status": reply.status}
        data = self._data(reply, text)
        if data is not None:
            parsed["data"] = data[0]
            text = data[0] if isinstance(data[0], str) else json.dumps(data[0], ensure_ascii=False, indent=1)
        if reply.is_cut or len(text) > MAX_TEXT_CHARS:
            text = f"{cut(text, MAX_TEXT_CHARS)}\n[cut: the reply goes on]"
        return ToolResult(
            success=True,
            summary=f"{self.name}: {reply.status}",
            text=text or "(the reply is empty)",
            parsed=parsed,
            body=cut(text, 4_000),
        )

    def _data(self, reply: Reply, text: str) -> tuple[Any] | None:
        """Give the part of the JSON that was asked for, in a tuple; `None` when the reply is read as text."""
        wanted = self._handler.result
        if wanted == "text" or (wanted == "auto" and not self._handler.pick and "json" not in reply.mime):
            return None
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            if wanted == "auto" and not self._handler.pick:
                return None
            cause = "is longer than is read" if reply.is_cut else "is not the JSON it should be"
            raise ToolFailed(f"the reply of {self.name} {cause}") from None
        return (_picked(self._secrets.clean_value(data), self._handler.pick, self.name),)

    def _safe(self, error: Exception) -> str:
        return redact(self._secrets.clean(str(error)))


def _picked(data: Any, path: str, tool: str) -> Any:
    for step in filter(None, path.split(".")):
        if isinstance(data, dict) and step in data:
            data = cast("dict[str, Any]", data)[step]
        elif isinstance(data, list) and step.isdecimal() and int(step) < len(cast("list[Any]", data)):
            data = cast("list[Any]", data)[int(step)]
        else:
            raise ToolFailed(f"the reply of {tool} has no {path!r}")
    return data
