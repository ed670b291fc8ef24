"""The stages of one pass, which may follow which, and what the stages hand to each other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from engine.agent.facts import CallFacts
from engine.agent.route import Route
from engine.agent.staged.results import ExecutionPlan, PlannedAction
from engine.agent.window import Window
from engine.messages import AssistantMessage, Message, RunId, SessionId, ToolCall, Usage, Value
from engine.models.base import Model, ToolSchema
from engine.permissions import Ruling
from engine.ports import Outcome, RunScope
from engine.tools.base import Tool, ToolResult
from engine.tools.registry import ToolSet


class Stage(StrEnum):
    """Where a pass is."""

    PLAN = "plan"
    REVIEW = "review"
    EXECUTE = "execute"
    EVALUATE = "evaluate"
    REPAIR = "repair"
    SUMMARIZE = "summarize"
    END = "end"


TRANSITIONS: dict[Stage, frozenset[Stage]] = {
    Stage.PLAN: frozenset({Stage.PLAN, Stage.REVIEW, Stage.SUMMARIZE, Stage.END}),
    Stage.REVIEW: frozenset({Stage.EXECUTE}),
    Stage.EXECUTE: frozenset({Stage.EVALUATE, Stage.END}),
    Stage.EVALUATE: frozenset({Stage.PLAN, Stage.REPAIR, Stage.SUMMARIZE, Stage.END}),
    Stage.REPAIR: frozenset({Stage.REVIEW, Stage.SUMMARIZE, Stage.END}),
    Stage.SUMMARIZE: frozenset({Stage.END}),
    Stage.END: frozenset(),
}


class ModelTurn(Value):
    """What one model step gave; recorded, so that a failure is not tried again by the next owner."""

    v: int = 1
    message: AssistantMessage
    usage: Usage = Usage()
    model: str = ""
    ended: Literal["stop", "tool_calls", "length", "stopped", "failed"] = "stop"
    error: str | None = None
    params: dict[str, Any] = Field(default_factory=dict[str, Any])
    is_cut: bool = False
    """The person's own words were too long to be read whole."""
    facts: CallFacts = CallFacts()
    """For the log; older versions noted nothing."""


class CallResult(Value):
    """What one tool call gave, as recorded."""

    v: int = 1
    call: str
    name: str
    asked: str = ""
    """The arguments as the model wrote them, shortened."""
    result: ToolResult
    stopped: bool = False
    took_ms: int | None = None
    """From its beginning to its result; `None` where it was not made, or nobody measured."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A call that may run. `args` are parsed and fit the tool's schema."""

    call: ToolCall
    tool: Tool
    args: dict[str, Any]
    ruling: Ruling

    @property
    def asks(self) -> bool:
        """Tell whether a person decides about it."""
        return self.ruling.verdict == "ask"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A call that may not run, and what the model is told."""

    call: ToolCall
    reason: str
    code: Literal["tool_not_found", "tool_args_invalid", "permission_denied", "call_refused", "held_back"]
    basis: str = ""
    """The rule that denies it."""


@dataclass(slots=True)
class Staging:
    """What a pass keeps whose model writes plans instead of calling tools; see `engine/agent/staged`."""

    plan: ExecutionPlan | None = None
    actions: tuple[PlannedAction, ...] = ()
    """Of the round that is worked on."""
    at: str = ""
    """The step that gave them."""
    shown: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    """How far each of them is, for people; nothing is decided by it."""
    missing: tuple[str, ...] = ()
    """Why the last round was not enough, in words for the model."""
    repair_goal: str = ""
    repairs: int = 0


@dataclass(frozen=True, slots=True)
class Lane:
    """Where a pass belongs that works for another run: that run, and its path there."""

    run: RunId
    path: str


@dataclass(slots=True)
class Pass:
    """The state of one pass; only values that came out of journaled steps go in."""

    scope: RunScope
    session: SessionId
    model: Model
    messages: list[Message]
    window: Window
    tools: list[ToolSchema]
    workspace: Path
    toolset: ToolSet = field(default_factory=ToolSet)
    """The tools as they were when the run, or this attempt of it, began: what changes meanwhile is for the next one."""
    private: tuple[Path, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Contents of pictures that the model should see, by blob."""
    staging: Staging | None = None
    """Only where the model is asked for plans."""
    route: Route | None = None
    """Which way the request goes; `None` where nobody said."""
    is_direct: bool = False
    """The model is asked for its answer at once, with no tool but the way out; over when it takes that."""
    begun_at_ms: int = 0
    questions: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a person is asked; one for all lanes of a run."""
    lane: Lane | None = None
    """Of a pass in a lane."""
    has_heard: bool = False
    """What lanes read of strangers' words is before the model, in their results."""
    stage: Stage = Stage.PLAN
    round: int = 0
    """Rounds so far; names their steps."""
    spent: int = 0
    """Rounds that use up the allowance."""
    failing: int = 0
    """Rounds in a row that brought nothing but failures."""
    turn: ModelTurn | None = None
    reviewed: list[Reviewed | Rejected] = field(default_factory=list["Reviewed | Rejected"])
    results: list[CallResult] = field(default_factory=list[CallResult])
    kept: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """By tool, what its last call that worked gave as data: read back from recorded results, so the same after a crash.
    Only of tools that go on from there."""
    texts: list[str] = field(default_factory=list[str])
    identical: int = 0
    signature: str = ""
    exhausted: str = ""
    outcome: Outcome | None = None

    @property
    def run(self) -> RunId:
        """Give the run that people know: of a lane, the one it works for."""
        return self.scope.id if self.lane is None else self.lane.run

    def place(self, path: str) -> str:
        """Give a step's path in that run."""
        return path if self.lane is None else f"{self.lane.path}/{path}"

    def enter(self, stage: Stage) -> None:
        """Go to the next stage.

        Raises:
            ValueError: the table does not allow it.
        """
        if stage not in TRANSITIONS[self.stage]:
            raise ValueError(f"no way from {self.stage!r} to {stage!r}")
        self.stage = stage
