"""Native streaming from endpoints that speak the chat-completions protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from engine.errors import BadOutput, CutOff, ModelError, TimedOut, Unavailable
from engine.messages import Usage
from engine.models.assembly import Assembly
from engine.models.base import ModelFacts, ModelItem, ModelRequest
from engine.models.catalog import Prices
from engine.models.pool import HttpPool
from engine.models.reading import Reading
from engine.models.refusal import error_from
from engine.models.sse import EventReader, EventTooLong
from engine.models.watchdog import Watchdog
from engine.models.wire import render_request
from engine.ports import Clock
from engine.settings import OPENAI_BASE

MAX_ERROR_BYTES = 64 * 1024
END_OF_BODY_S = 0.05
"""How long to wait for the end of a body after `[DONE]`, so that its connection can be used again."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and how long it may be silent. `model` is the name as the endpoint knows it."""

    model: str
    api_base: str = OPENAI_BASE
    api_key: str = field(default="", repr=False)
    first_byte_s: float = 30.0
    stall_s: float = 30.0
    temperature: float | None = None
    max_output_tokens: int | None = None


class OpenAICompatibleModel:
    """One model at one endpoint. Any number of streams may run at once."""

    def __init__(self, name: str, endpoint: Endpoint, pool: HttpPool, clock: Clock, prices: Prices) -> None:
        self._name = name
        self._endpoint = endpoint
        self._pool = pool
        self._clock = clock
        self._prices = prices

    @property
    def name(self) -> str:
        """Give the settings' name of this model."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream one answer; see `Model.stream`."""
        task = asyncio.ensure_future(self._post(request))
        dog = Watchdog(
            self._clock,
            first_s=self._endpoint.first_byte_s,
            stall_s=self._endpoint.stall_s,
            bite=lambda: _break_off(task),
        )
        assembly = Assembly(self._name)
        try:
            response = await task
            async with aclosing(_items(response, assembly, dog)) as items:
                async for item in items:
                    yield item
            yield assembly.completed(await self._priced(assembly.used))
        except asyncio.CancelledError:
            # Our own watchdog cancels only the request, never the caller.
            if dog.has_bitten and task.cancelled():
                raise self._silent(dog) from None
            raise
        except (aiohttp.ClientError, OSError, EventTooLong) as error:
            raise self._broken(error, dog, assembly) from error
        finally:
            await dog.stop()
            await _let_go(task, is_whole=assembly.done)

    async def facts(self) -> ModelFacts:
        """See `Model.facts`."""
        return await self._prices.facts()

    async def aclose(self) -> None:
        """Release nothing: the pool belongs to the registry."""

    async def _post(self, request: ModelRequest) -> aiohttp.ClientResponse:
        headers = {"Accept": "text/event-stream"}
        if self._endpoint.api_key:
            headers["Authorization"] = f"Bearer {self._endpoint.api_key}"
        url = self._endpoint.api_base.rstrip("/") + "/chat/completions"
        response = await self._pool.session().post(url, json=self._body(request), headers=headers)
        if response.status == 200:
            return response
        try:
            body = await response.content.read(MAX_ERROR_BYTES)
        finally:
            response.close()
        raise error_from(response.status, body, {name.lower(): value for name, value in response.headers.items()})

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body = render_request(request, self._endpoint.model)
        if "temperature" not in body and self._endpoint.temperature is not None:
            body["temperature"] = self._endpoint.temperature
        limit = request.max_output_tokens or self._endpoint.max_output_tokens
        if limit is not None:
            # OpenAI's own newer models refuse the old name; other servers know only that one.
            is_openai = self._endpoint.api_base.startswith("https://api.openai.com")
            body["max_completion_tokens" if is_openai else "max_tokens"] = limit
        return body

    async def _priced(self, usage: Usage) -> Usage:
        cost = await self._prices.cost(usage)
        return usage.model_copy(update={"cost": cost})

    def _silent(self, dog: Watchdog) -> ModelError:
        seconds = self._endpoint.stall_s if dog.seen else self._endpoint.first_byte_s
        return TimedOut(f"model {self._name!r} sent nothing for {seconds:g} s")

    def _broken(self, error: Exception, dog: Watchdog, assembly: Assembly) -> ModelError:
        if dog.has_bitten:
            return self._silent(dog)
        if isinstance(error, EventTooLong):
            return BadOutput(str(error))
        if dog.seen or assembly.text:
            return CutOff(f"the connection to model {self._name!r} broke: {type(error).__name__}")
        return Unavailable(f"model {self._name!r} cannot be reached: {type(error).__name__}")


def _break_off(task: asyncio.Task[aiohttp.ClientResponse]) -> None:
    if not task.done():
        task.cancel()
    elif not task.cancelled() and task.exception() is None:
        task.result().close()


async def _let_go(task: asyncio.Task[aiohttp.ClientResponse], *, is_whole: bool) -> None:
    """Close the connection at once, or give it back to the pool when only the end of the body is missing."""
    task.cancel()
    response = (await asyncio.gather(task, return_exceptions=True))[0]
    if not isinstance(response, aiohttp.ClientResponse):
        return
    if is_whole and not response.content.at_eof():
        with contextlib.suppress(TimeoutError, aiohttp.ClientError):
            async with asyncio.timeout(END_OF_BODY_S):
                await response.content.read()
    if not response.content.at_eof():
        response.close()


async def _items(
    response: aiohttp.ClientResponse, assembly: Assembly, dog: Watchdog
) -> AsyncGenerator[ModelItem, None]:
    reader = EventReader()
    reading = Reading(assembly)
    async for piece in response.content.iter_any():
        dog.alive()
        for data in reader.feed(piece):
            for item in reading.take(data):
                yield item
            if assembly.done:
                return
    for data in reader.end():
        for item in reading.take(data):
            yield item
    for item in reading.end():
        yield item
