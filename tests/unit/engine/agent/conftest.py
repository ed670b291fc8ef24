from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.agent.context import ALLOWS_WHAT_TOOLS_ALLOW, Equipment
from engine.agent.loop import Agent
from engine.events import EventType
from engine.models.base import Model
from engine.permissions import Touches
from engine.settings import AgentSettings, EngineSettings
from engine.testing.database import MemoryDatabase
from engine.testing.scope import MemoryScope, run_input
from engine.testing.scripted import ScriptedModel, Turn
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.project_scan import ProjectScan
from engine.tools.read_file import ReadFile
from engine.tools.registry import ToolSet
from engine.tools.send_note import SendNote
from gateway.clock import FakeClock


class FakeTool:
    """Does what a test says, and counts."""

    description = "A tool of the tests."
    event_type: EventType = "tool"

    def __init__(
        self,
        name: str,
        work: Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]] | None = None,
        *,
        effect: Effect = "none",
        asks: bool = False,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.effect: Effect = effect
        self.asks = asks
        self.parameters: dict[str, Any] = parameters or {"type": "object"}
        self.is_foreign = False
        self.touched = Touches()
        self.runs: list[dict[str, Any]] = []
        self._work = work

    def touches(self, args: dict[str, Any]) -> Touches:
        return self.touched

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        self.runs.append(args)
        if self._work is not None:
            return await self._work(args, context)
        return ToolResult(success=True, summary="ok", text=f"{self.name} ok")


class OneModel:
    def __init__(self, model: Model) -> None:
        self.model = model

    def get(self, name: str | None = None) -> Model:
        return self.model

    async def aclose(self) -> None: ...


class Bench:
    """An agent with everything it needs, in memory."""

    def __init__(self, clock: FakeClock, home: Path) -> None:
        self.clock = clock
        self.home = home
        self.database = MemoryDatabase()
        self.model: Model = ScriptedModel([])
        self.tools: list[Any] = [ProjectScan(), ReadFile(), SendNote()]
        self.agent_settings = AgentSettings()
        self.policy = ALLOWS_WHAT_TOOLS_ALLOW
        self.workspace = home / "workspace"
        self.workspace.mkdir()

    def script(self, *turns: Turn, repeats: bool = False, context_tokens: int | None = None) -> ScriptedModel:
        model = ScriptedModel(turns, repeats=repeats, context_tokens=context_tokens)
        self.model = model
        return model

    def plans(self, *texts: str | Turn, repeats: bool = False) -> ScriptedModel:
        """A model whose tool calls cannot be relied on."""
        turns = [Turn(each) if isinstance(each, str) else each for each in texts]
        model = ScriptedModel(turns, repeats=repeats, reliable_tools=False)
        self.model = model
        return model

    def equipment(self) -> Equipment:
        settings = EngineSettings(home=self.home, workspace=self.workspace, agent=self.agent_settings)
        tools, model = ToolSet(self.tools), OneModel(self.model)
        return Equipment(settings, self.database, model, tools, self.clock, policy=self.policy)

    def agent(self) -> Agent:
        return Agent(self.equipment())

    def scope(self, text: str = "question", *, run: str = "00000000000000000000000001") -> MemoryScope:
        return MemoryScope(run_input(text), self.clock, run=run, database=self.database)

    def start(self, scope: MemoryScope) -> asyncio.Task[Any]:
        return asyncio.ensure_future(self.agent()(scope))  # type: ignore[arg-type]


async def until(condition: Callable[[], Any]) -> Any:
    """Let the loop run until `condition` gives something true."""
    for _ in range(2000):
        value = condition()
        if value:
            return value
        await asyncio.sleep(0.001)
    raise AssertionError("it never came")


@pytest.fixture
def bench(clock: FakeClock, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(clock, tmp_path)
    yield bench
    bench.database.close()


def texts(events: Sequence[Any], kind: str = "text") -> list[str]:
    return [event.content for event in events if event.type == kind]
