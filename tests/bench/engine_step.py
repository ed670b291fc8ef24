"""What the engine itself costs of a step of the loop, journal and events included, and what its import costs.

A model that answers at once calls tools that give their result at once: what is left is ours.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench import machine
from tests.bench.row import Row

ROUNDS = 4
"""Of tools, in each run: with the last answer 9 steps of the loop."""
_IMPORT = "import time; a = time.process_time(); import {name}; print(time.process_time() - a)"


async def measure(*, quick: bool = False) -> list[Row]:
    """Let runs follow each other, as in one conversation after another."""
    await _imported("engine.runtime")  # so that everything is compiled
    imports = {name: min([await _imported(name) for _ in range(1 if quick else 3)]) for name in ("engine", "engine.runtime")}
    told = json.loads(await _said("-m", "tests.bench.engine_step", "--runs", "10" if quick else "60"))
    return [
        Row(f"CPU of a step, {told['runs']} runs x {told['steps']} steps", told["cpu_ms"] / told["all"], "ms", 5),
        Row("CPU of a run, from the question to the end", told["cpu_ms"] / told["runs"], "ms"),
        Row("CPU of `import engine`", imports["engine"], "s", 0.5),
        Row("CPU of `import engine.runtime`, all a host needs", imports["engine.runtime"], "s", 0.5),
    ]


async def _imported(name: str) -> float:
    return float(await _said("-c", _IMPORT.format(name=name)))


async def _said(*words: str) -> str:
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    machine.pin(process.pid)
    try:
        out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise RuntimeError(f"{words[-1]} ended with {process.returncode}")
    return out.decode()


async def _work(home: Path, runs: int) -> dict[str, Any]:
    from engine.agent.context import Equipment
    from engine.agent.loop import Agent
    from engine.messages import Address, InboxKey, Principal, RunInput, TextPart
    from engine.ports import Outcome, RunScope
    from engine.runtime import Runtime
    from engine.settings import EngineSettings
    from engine.storage.statement import execute
    from engine.testing.scripted import ScriptedModel, Turn, call
    from engine.tools.project_scan import ProjectScan
    from engine.tools.registry import ToolSet
    from gateway.clock import SystemClock
    from gateway.migrations import migrate
    from tests.bench.recording import RecordingSurface

    clock, settings, surface = SystemClock(), EngineSettings(home=home), RecordingSurface()

    class Fresh:
        def get(self, name: str | None = None) -> ScriptedModel:
            turns = [Turn("Looking.", calls=[call("project_scan", id=f"c{n}")]) for n in range(ROUNDS)]
            return ScriptedModel([*turns, Turn("All of it was counted.")])

        async def aclose(self) -> None: ...

    # The tool says something else each time: the same again and again would end the run.
    class Scan(ProjectScan):
        count = 0

        async def run(self, args: dict[str, Any], context: Any) -> Any:
            Scan.count += 1
            result = type(self).given
            return result.model_copy(update={"text": f"{result.text} {Scan.count}"})

    from engine.tools.base import ToolResult

    Scan.given = ToolResult(success=True, summary="12 files", text="12 files", body="12 files")  # type: ignore[attr-defined]

    async def work(scope: RunScope) -> Outcome:
        return await Agent(Equipment(settings, runtime.database, Fresh(), ToolSet([Scan()]), clock))(scope)

    runtime = Runtime(settings, surface, clock, work, migrate=migrate)
    await runtime.start()

    async def ask(number: int) -> None:
        to, key = Address(f"bench:main:t:c{number}"), InboxKey(channel="b", account="m", kind="message", key=f"m{number}")
        given = RunInput(to=to, by=Principal(id="u1"), parts=(TextPart(text="count"),))
        await runtime.wait_ended((await runtime.submit(given, key=key)).run, 30)

    try:
        for number in range(5):
            await ask(number)
        used_s = time.process_time()
        for number in range(5, 5 + runs):
            await ask(number)
        used_s = time.process_time() - used_s
        count = "SELECT count(*) AS n FROM nm_step WHERE path LIKE 'model/%' OR path LIKE 'tool/%'"
        steps = await runtime.database.read(lambda session: execute(session, count).scalar_one())
    finally:
        await runtime.stop()
    if any(each.status != "done" for each in surface.outcomes):
        raise RuntimeError("a run was not done")
    each = steps // (runs + 5)
    return {"runs": runs, "steps": each, "all": each * runs, "cpu_ms": used_s * 1000}


def main() -> None:
    """Work and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="niuma-bench-") as home:
        told = asyncio.run(_work(Path(home), given.runs))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
