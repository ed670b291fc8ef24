"""A model that says what a test wrote down, and refuses what a strict provider would refuse."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from engine.errors import ModelError
from engine.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, Usage
from engine.models.base import (
    Completed,
    Finish,
    ModelFacts,
    ModelItem,
    ModelRequest,
    ReasoningDelta,
    Restarted,
    TextDelta,
)
from engine.models.wire import REASONING_FIELD


class InvalidHistory(Exception):
    """The request is one that a strict provider answers with 400."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer. `text` and `reasoning` arrive in pieces; `fails` is raised after them; `pause` is awaited before it.

    `restarts` shows a `Restarted` before the text, after `discarded` was streamed.
    """

    text: str | Sequence[str] = ""
    calls: Sequence[ToolCall] = ()
    reasoning: str = ""
    fails: ModelError | None = None
    pause: Callable[[], Awaitable[None]] | None = None
    discarded: str = ""
    finish: Finish | None = None
    usage: Usage = field(default_factory=lambda: Usage(input_tokens=10, output_tokens=5, cost=0.001))


def call(name: str, arguments: object = None, *, id: str = "") -> ToolCall:
    """Give a call; `arguments` that are no text are encoded."""
    text = arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments)
    return ToolCall(id=id or f"call_{name}", name=name, arguments=text)


class ScriptedModel:
    """Gives its turns one after the other; the last one again and again when `repeats`.

    Example:
        model = ScriptedModel([Turn(calls=[call("project_scan")]), Turn("done")])
    """

    def __init__(
        self,
        turns: Sequence[Turn],
        *,
        name: str = "scripted",
        repeats: bool = False,
        context_tokens: int | None = None,
        reliable_tools: bool = True,
    ) -> None:
        self._reliable_tools = reliable_tools
        self._context_tokens = context_tokens
        self._turns = list(turns)
        self._repeats = repeats
        self._name = name
        self.requests: list[ModelRequest] = []
        self.closed_early = 0
        """Streams that were closed before their end."""

    @property
    def name(self) -> str:
        """Give the model's name."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream the next turn.

        Raises:
            InvalidHistory: a strict provider would refuse the request.
        """
        check_history(request.messages)
        self.requests.append(request)
        place = len(self.requests) - 1
        turn = self._turns[min(place, len(self._turns) - 1) if self._repeats else place]
        is_whole = False
        try:
            for item in _deltas(turn, self._name):
                yield item
            if turn.pause is not None:
                await turn.pause()
            if turn.fails is not None:
                is_whole = True
                raise turn.fails
            is_whole = True
            yield _completed(turn, self._name)
        finally:
            self.closed_early += not is_whole

    async def facts(self) -> ModelFacts:
        """See `Model.facts`."""
        return ModelFacts(context_tokens=self._context_tokens, reliable_tools=self._reliable_tools)

    async def aclose(self) -> None:
        """Release nothing."""


def check_history(messages: Sequence[Message]) -> None:
    """Refuse what strict providers refuse.

    Raises:
        InvalidHistory: a call without a result, a result without a call, an empty assistant message, a system message
            that is not first, or arguments that are no JSON object.
    """
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if message.call_id not in waiting:
                raise InvalidHistory(f"a result without its call: {message.call_id!r}")
            waiting.remove(message.call_id)
            continue
        if waiting:
            raise InvalidHistory(f"calls without results: {waiting!r}")
        if isinstance(message, SystemMessage) and place > 0:
            raise InvalidHistory("a system message that is not first")
        if isinstance(message, AssistantMessage):
            if not message.text.strip() and not message.calls:
                raise InvalidHistory("an empty assistant message")
            waiting = [item.id for item in message.calls]
    if waiting:
        raise InvalidHistory(f"calls without results: {waiting!r}")


def _deltas(turn: Turn, name: str) -> list[ModelItem]:
    items: list[ModelItem] = []
    if turn.discarded:
        items += [TextDelta(turn.discarded), Restarted(model=name, reason="CutOff")]
    if turn.reasoning:
        items.append(ReasoningDelta(turn.reasoning))
    pieces = [turn.text] if isinstance(turn.text, str) else turn.text
    return items + [TextDelta(piece) for piece in pieces if piece]


def _completed(turn: Turn, name: str) -> Completed:
    text = turn.text if isinstance(turn.text, str) else "".join(turn.text)
    details = {REASONING_FIELD: "reasoning_content"} if turn.reasoning else {}
    message = AssistantMessage(text=text, calls=tuple(turn.calls), reasoning=turn.reasoning, provider_details=details)
    finish: Finish = turn.finish or ("tool_calls" if turn.calls else "stop")
    return Completed(message=message, usage=turn.usage, finish=finish, model=name)
