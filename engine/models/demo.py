"""`demo/offline`: a model without a network, deterministic by its input, that says it is one."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from hashlib import sha256

from engine.errors import Unavailable
from engine.messages import AssistantMessage, ToolCall, Usage
from engine.models.base import Completed, ModelFacts, ModelItem, ModelRequest, ReasoningDelta, TextDelta
from engine.models.demo_script import Script, script_for
from engine.ports import Clock

TOKENS_PER_S = 50.0
SLOW_ANSWER_S = 20.0
LONGEST_ANSWER_S = 60.0
"""An answer that would take longer comes faster: 12,000 Chinese characters are far more tokens than Latin ones."""


class DemoModel:
    """Streams a scripted answer at about 50 tokens/s times `speed`, on the injected clock."""

    def __init__(self, name: str, clock: Clock, *, speed: float = 1.0) -> None:
        self._name = name
        self._clock = clock
        self._tokens_per_s = TOKENS_PER_S * speed
        self._speed = speed

    @property
    def name(self) -> str:
        """Give the settings' name of this model."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream the script that fits the question.

        Raises:
            Unavailable: the question asks for a failure.
        """
        script = script_for(request)
        dice = random.Random(sha256(script.text.encode("utf-8", "replace")).digest())
        pace = self._pace(script)
        async for piece in self._paced(script.reasoning, dice, pace):
            yield ReasoningDelta(piece)
        if script.fails:
            raise Unavailable("the demo model was asked to fail")
        async for piece in self._paced(script.text, dice, pace):
            yield TextDelta(piece)
        yield _completed(self._name, request, script)

    async def facts(self) -> ModelFacts:
        """See `Model.facts`."""
        return ModelFacts(input_price=0.0, output_price=0.0)

    async def aclose(self) -> None:
        """Release nothing: there is no connection."""

    def _pace(self, script: Script) -> float:
        tokens = tokens_in(script.reasoning) + tokens_in(script.text)
        if script.slow:
            return tokens / SLOW_ANSWER_S * self._speed
        return max(self._tokens_per_s, tokens / LONGEST_ANSWER_S * self._speed)

    async def _paced(self, text: str, dice: random.Random, tokens_per_s: float) -> AsyncIterator[str]:
        start, tokens = self._clock.steady_s(), 0.0
        for piece in pieces(text, dice):
            tokens += tokens_in(piece)
            await self._clock.sleep(start + tokens / tokens_per_s - self._clock.steady_s())
            yield piece


def pieces(text: str, dice: random.Random) -> Iterator[str]:
    """Cut `text` into chunks of varied size, one to six tokens, as providers do."""
    at = 0
    while at < len(text):
        wanted, end = dice.choice((1, 1, 2, 2, 3, 3, 4, 6)), at
        tokens = 0.0
        while end < len(text) and tokens < wanted:
            tokens += _weight(text[end])
            end += 1
        yield text[at:end]
        at = end


def tokens_in(text: str) -> float:
    """Estimate tokens: about four Latin letters, or one and a half Chinese characters, each."""
    return sum(_weight(char) for char in text)


def _weight(char: str) -> float:
    return 0.65 if char >= "\u2e80" else 0.25


def _completed(name: str, request: ModelRequest, script: Script) -> Completed:
    calls = tuple(
        ToolCall(id=f"demo_{len(request.messages)}_{index}", name=tool, arguments=arguments)
        for index, (tool, arguments) in enumerate(script.calls)
    )
    read = sum(tokens_in(message.text) for message in request.messages)
    usage = Usage(
        input_tokens=round(read),
        output_tokens=round(tokens_in(script.text) + tokens_in(script.reasoning)),
        reasoning_tokens=round(tokens_in(script.reasoning)),
        cost=0.0,
    )
    message = AssistantMessage(text=script.text, calls=calls, reasoning=script.reasoning)
    return Completed(message=message, usage=usage, finish="tool_calls" if calls else "stop", model=name)
