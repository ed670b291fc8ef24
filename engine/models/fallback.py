"""A chain of models: when one fails in a way another may not, the next begins from the start."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from engine.errors import BadOutput, ContextTooLong, ModelError, RateLimited, Refused
from engine.models.base import Completed, Model, ModelFacts, ModelItem, ModelRequest, Restarted
from engine.ports import Clock

log = logging.getLogger(__name__)
BACK_OFF_S = 0.5
MAX_WAIT_S = 10.0
"""A longer `retry-after` is not waited for: a person is looking at the card."""


class FallbackModel:
    """Tries each model in order, retryable failures once more after a short wait.

    `Restarted` tells of each model that failed, and takes back what it had streamed. A refusal by policy is final:
    asking around until somebody agrees is not what a fallback is for.
    """

    def __init__(self, models: Sequence[Model], clock: Clock) -> None:
        self._models = tuple(models)
        self._clock = clock

    @property
    def name(self) -> str:
        """Give the name of the first model."""
        return self._models[0].name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream the first answer that comes to its end.

        Raises:
            ModelError: of the last model, or of the first when a refusal ends the chain; `ContextTooLong` when one of
                them might answer a shorter request.
        """
        tries = [(model, again) for model in self._models for again in (False, True)]
        last: ModelError | None = None
        too_long: ContextTooLong | None = None
        failed: Model | None = None
        for model, again in tries:
            if again and not await self._may_repeat(last, model is failed):
                continue
            if last is not None and failed is not None:
                yield Restarted(model.name, type(last).__name__, failed=failed.name, code=last.code)
            try:
                async with aclosing(model.stream(await _for(model, request))) as stream:
                    async for item in stream:
                        _refuse_empty(item)
                        yield item
                return
            except ModelError as error:
                log.warning("model failed", extra={"model": model.name, "reason": str(error), "again": again})
                last, failed = error, model
                if isinstance(error, Refused):
                    raise
                if isinstance(error, ContextTooLong):
                    too_long = too_long or error
        raise too_long or last or ModelError("there is no model in the chain")

    async def facts(self) -> ModelFacts:
        """Give what may be relied on whichever model answers; prices are those of the first."""
        known = [await model.facts() for model in self._models]
        windows = [each.context_tokens for each in known if each.context_tokens is not None]
        return replace(
            known[0],
            context_tokens=min(windows, default=None),
            reliable_tools=all(each.reliable_tools for each in known),
        )

    async def aclose(self) -> None:
        """Release all models."""
        for model in self._models:
            await model.aclose()

    async def _may_repeat(self, error: ModelError | None, is_same: bool) -> bool:
        if error is None or not is_same or not error.retryable:
            return False
        wait_s = BACK_OFF_S
        if isinstance(error, RateLimited) and error.retry_after_s is not None:
            wait_s = error.retry_after_s
        if wait_s > MAX_WAIT_S:
            return False
        await self._clock.sleep(wait_s)
        return True


async def _for(model: Model, request: ModelRequest) -> ModelRequest:
    """Keep pictures from a model that does not see: it would refuse all of it."""
    if not request.pictures or (await model.facts()).images:
        return request
    return replace(request, pictures={})


def _refuse_empty(item: ModelItem) -> None:
    """Let nobody take white space for an answer."""
    if isinstance(item, Completed) and item.finish != "refused" and item.message.is_blank:
        raise BadOutput(f"model {item.model!r} gave an empty answer", code="model_empty")
