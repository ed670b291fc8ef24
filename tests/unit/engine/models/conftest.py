"""An endpoint that answers with the bytes a test wrote down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from engine.messages import TextPart, UserMessage
from engine.models.base import ModelRequest
from engine.models.catalog import Prices
from engine.models.openai_compatible import Endpoint, OpenAICompatibleModel
from engine.models.pool import HttpPool
from engine.settings import ModelSettings
from gateway.clock import SystemClock


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    body: dict[str, Any] = {"id": "c1", "object": "chat.completion.chunk", **more}
    body.setdefault("choices", [{"index": 0, "delta": delta or {}, "finish_reason": finish}])
    return b"data: " + json.dumps(body).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
RESET = b"<reset>"
HANG = b"<hang>"


class Wire:
    """Each request takes the next script: a list of pieces, or (status, headers, body)."""

    def __init__(self) -> None:
        self.scripts: list[Any] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.peers: list[Any] = []
        self.gone = asyncio.Event()
        self.base = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        assert request.transport is not None
        self.peers.append(request.transport.get_extra_info("peername"))
        script = self.scripts.pop(0)
        if isinstance(script, tuple):
            status, headers, body = script
            return web.Response(status=status, headers=headers, body=body)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for piece in script:
                await self._piece(piece, request, response)
        except (ConnectionError, asyncio.CancelledError):
            self.gone.set()
            raise
        return response

    async def _piece(self, piece: bytes, request: web.Request, response: web.StreamResponse) -> None:
        if piece == RESET:
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        if piece == HANG:
            await asyncio.sleep(20)
        await response.write(piece)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", wire.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    wire.base = f"http://127.0.0.1:{port}/v1"
    yield wire
    await runner.cleanup()


@pytest.fixture
async def pool() -> AsyncIterator[HttpPool]:
    pool = HttpPool()
    yield pool
    await pool.aclose()


@pytest.fixture
def model(wire: Wire, pool: HttpPool) -> OpenAICompatibleModel:
    endpoint = Endpoint("m1", api_base=wire.base, api_key="k", first_byte_s=2, stall_s=2)
    prices = Prices(ModelSettings(model="openai/m1", input_price=1.0, output_price=2.0))
    return OpenAICompatibleModel("main", endpoint, pool, SystemClock(), prices)


@pytest.fixture
def request_() -> ModelRequest:
    return ModelRequest([UserMessage(parts=(TextPart(text="hi"),))])
