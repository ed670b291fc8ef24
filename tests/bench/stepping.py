"""The engine alone, as a process of its own: runs of some steps, whose model and tool answer at once.

What is left is ours. Prints one JSON object: how many runs and steps, and the CPU of all threads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from engine.agent.context import Equipment
from engine.agent.loop import Agent
from engine.messages import Address, InboxKey, Principal, RunInput, TextPart
from engine.ports import Outcome, RunScope
from engine.runtime import Runtime
from engine.settings import EngineSettings
from engine.storage.statement import execute
from engine.testing.scripted import ScriptedModel, Turn, call
from engine.tools.base import ToolContext, ToolResult
from engine.tools.project_scan import ProjectScan
from engine.tools.registry import ToolSet
from gateway.clock import SystemClock
from gateway.migrations import migrate
from tests.bench.recording import RecordingSurface

ROUNDS = 4
"""Of tools, in each run: with the last answer 9 steps of the loop."""
WARM = 5
STEPS = "SELECT count(*) AS n FROM nm_step WHERE path LIKE 'model/%' OR path LIKE 'tool/%'"
_numbers = count()


class Scan(ProjectScan):
    """Looks at nothing, and says something else each time: the same again and again would end the run."""

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Give a result."""
        return ToolResult(success=True, summary="files", text=f"{next(_numbers)} files", body="files")


class Scripts:
    """A new script for each run."""

    def get(self, name: str | None = None) -> ScriptedModel:
        """Give a model that asks for the tool some times, then answers."""
        turns = [Turn("Looking.", calls=[call("project_scan", id=f"c{n}")]) for n in range(ROUNDS)]
        return ScriptedModel([*turns, Turn("All of it was counted.")])

    async def aclose(self) -> None:
        """Release nothing."""


class Stepping:
    """A runtime with an agent that does nothing but steps."""

    def __init__(self, home: Path) -> None:
        self._clock, self._settings, self.surface = SystemClock(), EngineSettings(home=home), RecordingSurface()
        self.runtime = Runtime(self._settings, self.surface, self._clock, self._work, migrate=migrate)

    async def _work(self, scope: RunScope) -> Outcome:
        tools = ToolSet([Scan()])
        return await Agent(Equipment(self._settings, self.runtime.database, Scripts(), tools, self._clock))(scope)

    async def ask(self, numbers: range) -> None:
        """Put questions one after the other and wait for each end."""
        for number in numbers:
            to = Address(f"bench:main:t:c{number}")
            key = InboxKey(channel="bench", account="main", kind="message", key=f"m{number}")
            given = RunInput(to=to, by=Principal(id="u1"), parts=(TextPart(text="count"),))
            await self.runtime.wait_ended((await self.runtime.submit(given, key=key)).run, 30)


async def _measured(home: Path, runs: int) -> dict[str, Any]:
    stepping = Stepping(home)
    await stepping.runtime.start()
    try:
        await stepping.ask(range(WARM))
        began_s = time.process_time()
        await stepping.ask(range(WARM, WARM + runs))
        used_s = time.process_time() - began_s
        steps = await stepping.runtime.database.read(lambda session: execute(session, STEPS).scalar_one())
    finally:
        await stepping.runtime.stop()
    if any(each.status != "done" for each in stepping.surface.outcomes):
        raise RuntimeError("a run was not done")
    each = steps // (runs + WARM)
    return {"runs": runs, "steps": each, "all": each * runs, "cpu_ms": used_s * 1000}


def main() -> None:
    """Work and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="niuma-bench-") as home:
        told = asyncio.run(_measured(Path(home), given.runs))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
