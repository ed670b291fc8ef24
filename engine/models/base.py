"""The model port: what the agent asks of any language model, and the facts it may rely on.

Implementations: `demo` (offline, scripted), `openai_compatible` (native streaming), `litellm` (everything else).
One contract suite runs over all of them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from engine.messages import AssistantMessage, Message, Usage


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model sees it. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `messages` must be valid history: every tool call has its result."""

    messages: Sequence[Message]
    tools: Sequence[ToolSchema] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Contents of those `FilePart`s that the model should see, by blob; only for models whose facts say `images`."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More answer text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More reasoning text."""

    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """What was streamed so far, if anything, is void: `model` begins from the start. `failed` did not, with `code`."""

    model: str
    reason: str
    failed: str = ""
    code: str = ""


Finish = Literal["stop", "tool_calls", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Completed:
    """Last item of every stream: the whole message, its usage and why it ended."""

    message: AssistantMessage
    usage: Usage
    finish: Finish
    model: str


ModelItem = TextDelta | ReasoningDelta | Restarted | Completed


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model; `None` means unknown."""

    context_tokens: int | None = None
    reliable_tools: bool = True
    """Reliable native tool calls; else it is asked for plans in JSON."""
    images: bool = False
    """Sees pictures."""
    input_price: float | None = None
    """US dollars per million tokens."""
    output_price: float | None = None


class Model(Protocol):
    """A language model.

    Example:
        async for item in model.stream(ModelRequest(messages=history)):
            ...
    """

    @property
    def name(self) -> str:
        """Give the settings' name of this model (`"main"`)."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelItem, None]:
        """Stream one answer: deltas, then exactly one `Completed`. Closing it closes the connection at once.

        Tool calls arrive only in `Completed`, whole: one cut in its arguments raises `CutOff` and is never given out.

        Raises:
            ModelError: by kind; nothing more follows.
        """
        ...

    async def facts(self) -> ModelFacts:
        """Give what is known of this model; the first call may read a file, without holding up the loop."""
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...
