"""What a tool is: a schema, an effect, and a structured result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from engine.events import EventType
from engine.messages import Principal, RunId, Value
from engine.permissions import Touches
from engine.tools.quota import UNLIMITED, Quota

Effect = Literal["none", "idempotent", "once"]
"""none: may be repeated freely; idempotent: gets a key and may be repeated with it; once: never repeated blindly."""


class OutgoingFile(Value):
    """A file of the workspace that is meant for the person: a tool gives `path` and `caption`.

    The rest is filled in when its content is kept: `blob` names it, `name` is what the person sees.
    """

    path: str
    caption: str = ""
    blob: str = ""
    name: str = ""
    mime: str = ""
    size_bytes: int = 0


class ToolResult(Value):
    """What a call gave.

    `summary` is one line for people; `text` is what the model reads; `parsed` is data for programs.
    """

    success: bool
    summary: str = ""
    text: str = ""
    parsed: dict[str, Any] = Field(default_factory=dict[str, Any])
    body: str = ""
    body_kind: Literal["terminal", "diff", "text"] = "text"
    artifacts: tuple[str, ...] = ()
    """Paths of files in the workspace that hold more than `text`, for the model."""
    outgoing: tuple[OutgoingFile, ...] = ()
    """What the chat shows to the person, in this order."""
    error: str | None = None


async def _never() -> None:
    await asyncio.Event().wait()


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a call may know and touch. Paths outside `workspace` and those in `private` are not for tools."""

    run: RunId
    by: Principal
    workspace: Path
    key: str
    """`run:path`: the same on every repeat of this very call."""
    private: tuple[Path, ...] = ()
    """The gateway's own folders, which no tool sees, even where they lie in the workspace."""
    quota: Quota = UNLIMITED
    """What the workspace may hold; asked before anything is written."""
    progress: Callable[[str], None] = field(default=lambda _line: None)
    """Show a line of progress on the card; never blocks, and may be called from any thread."""
    kept: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the last call of this tool in this run that worked gave as `parsed`; empty before."""
    stopped: Callable[[], Awaitable[None]] = field(default=_never)
    """Returns when the person stops the run: a tool with effect `once` is not cut off and ends by itself."""


class Tool(Protocol):
    """Something an agent can call."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]:
        """Give the JSON Schema of the arguments, of type object."""
        ...

    @property
    def effect(self) -> Effect: ...

    @property
    def asks(self) -> bool:
        """Tell whether a person must approve each call."""
        ...

    @property
    def is_foreign(self) -> bool:
        """Tell whether strangers may have written what it gives: it may pretend to be orders."""
        ...

    @property
    def event_type(self) -> EventType:
        """Give the event type its panel is shown as; `"tool"` unless the protocol has one of its own."""
        ...

    def touches(self, args: dict[str, Any], /) -> Touches:
        """Tell what a call with these arguments would touch, for the rules that allow it; looks at nothing."""
        ...

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Do it.

        Raises:
            ToolRetry: the arguments are wrong in a way the model can mend.
            ToolFailed: it cannot be done; the model has to go on without it.
        """
        ...
