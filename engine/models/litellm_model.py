"""Every provider that the native transport does not speak, by litellm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

from engine.errors import (
    AuthFailed,
    BadOutput,
    ContextTooLong,
    CutOff,
    ModelError,
    RateLimited,
    Refused,
    TimedOut,
)
from engine.models.assembly import Assembly
from engine.models.base import ModelFacts, ModelItem, ModelRequest, ReasoningDelta, TextDelta
from engine.models.catalog import Prices
from engine.models.litellm_loader import load
from engine.models.refusal import error_from, retry_after_s
from engine.models.surrogates import mended
from engine.models.wire import render_request
from engine.settings import ModelSettings

_KINDS: dict[str, type[ModelError]] = {
    "ContextWindowExceededError": ContextTooLong,
    "ContentPolicyViolationError": Refused,
    "RejectedRequestError": Refused,
    "AuthenticationError": AuthFailed,
    "PermissionDeniedError": AuthFailed,
    "RateLimitError": RateLimited,
    "Timeout": TimedOut,
    "APITimeoutError": TimedOut,
    "MidStreamFallbackError": CutOff,
    "APIResponseValidationError": BadOutput,
}
_HOPELESS = frozenset({"NotFoundError", "BadRequestError", "UnprocessableEntityError", "LiteLLMUnknownProvider"})


NO_KEY = "none"
"""Sent where there is no key: without one litellm sends what it finds in the environment to any address."""


class LitellmModel:
    """One model reached through litellm.

    `key` and `base` may be empty: litellm then looks into the environment. A key from there goes to no `base` of ours.
    """

    def __init__(self, name: str, settings: ModelSettings, prices: Prices, *, key: str = "", base: str = "") -> None:
        self._name = name
        self._settings = settings
        self._prices = prices
        self._key = key
        self._base = base

    @property
    def name(self) -> str:
        """Give the settings' name of this model."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream one answer; see `Model.stream`."""
        litellm = await load()
        assembly = Assembly(self._name)
        stream: Any = None
        try:
            async with asyncio.timeout(self._settings.first_byte_s):
                stream = await litellm.acompletion(**self._arguments(request))
            wait_s = self._settings.first_byte_s
            while (chunk := await self._next(stream, wait_s)) is not None:
                wait_s = self._settings.stall_s
                for item in _items(chunk, assembly):
                    yield item
            usage = assembly.used
            yield assembly.completed(usage.model_copy(update={"cost": await self._prices.cost(usage)}))
        except ModelError:
            raise
        except TimeoutError as error:
            raise TimedOut(f"model {self._name!r} sent nothing in time") from error
        except Exception as error:
            raise error_of(error, was_visible=bool(assembly.text)) from error
        finally:
            if stream is not None:
                await stream.aclose()

    async def facts(self) -> ModelFacts:
        """See `Model.facts`."""
        return await self._prices.facts()

    async def aclose(self) -> None:
        """Release nothing: litellm's connections are shared by all its models, see `close_connections`."""

    async def _next(self, stream: Any, wait_s: float) -> Any | None:
        async with asyncio.timeout(wait_s):
            return await anext(stream, None)

    def _arguments(self, request: ModelRequest) -> dict[str, Any]:
        arguments = render_request(request, self._settings.model)
        settings = self._settings
        arguments |= {"max_retries": 0, "num_retries": 0, "timeout": settings.first_byte_s}
        optional = {
            "api_key": self._key or (NO_KEY if self._base else ""),
            "api_base": self._base,
            "custom_llm_provider": settings.provider,
            "max_tokens": request.max_output_tokens or settings.max_output_tokens,
            "temperature": settings.temperature if request.temperature is None else request.temperature,
        }
        return arguments | {name: value for name, value in optional.items() if value not in (None, "")}


async def close_connections() -> None:
    """Close litellm's own HTTP clients; only call it when litellm is loaded."""
    litellm = await load()
    await litellm.close_litellm_async_clients()


def error_of(error: Exception, *, was_visible: bool) -> ModelError:
    """Give our error for one of litellm's, by the names of its classes."""
    names = [kind.__name__ for kind in type(error).__mro__]
    shown = f"{names[0]}: {str(error)[:300]}"
    kind = next((_KINDS[name] for name in names if name in _KINDS), None)
    if kind is CutOff:
        original = getattr(error, "original_exception", None)
        if isinstance(original, Exception) and type(original) is not type(error):
            return error_of(original, was_visible=True)
    if kind is RateLimited:
        return RateLimited(shown, retry_after_s=_wait_of(error))
    if kind is not None:
        return kind(shown)
    if was_visible:
        return CutOff(shown)
    status = getattr(error, "status_code", None)
    hopeless = 400 if any(name in _HOPELESS for name in names) else 500
    return error_from(status if isinstance(status, int) else hopeless, shown.encode(), {})


def _wait_of(error: Exception) -> float | None:
    response = getattr(error, "response", None)
    for holder, name in ((response, "headers"), (error, "litellm_response_headers"), (error, "headers")):
        headers = cast("Mapping[str, str]", getattr(holder, name, None) or {})
        if (wait_s := retry_after_s(headers)) is not None:
            return wait_s
    return None


def _items(chunk: Any, assembly: Assembly) -> list[ModelItem]:
    items: list[ModelItem] = []
    usage = getattr(chunk, "usage", None)
    if usage is not None:
        assembly.usage(usage.model_dump())
    for choice in list(getattr(chunk, "choices", None) or [])[:1]:
        delta: Any = choice.delta
        if thought := getattr(delta, "reasoning_content", None):
            assembly.reasoning_field = "reasoning_content"
            assembly.reasoning.append(mended(thought))
            items.append(ReasoningDelta(assembly.reasoning[-1]))
        if text := getattr(delta, "content", None):
            assembly.text.append(mended(text))
            items.append(TextDelta(assembly.text[-1]))
        for piece in cast("list[Any]", getattr(delta, "tool_calls", None) or []):
            assembly.tool_piece(piece.model_dump())
        if choice.finish_reason:
            assembly.finish = choice.finish_reason
    return items
