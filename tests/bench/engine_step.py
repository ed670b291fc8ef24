"""What the engine itself costs of a step of the loop, journal and events included, and what its import costs."""

from __future__ import annotations

import asyncio
import json
import sys

from tests.bench import machine
from tests.bench.row import Row

_IMPORT = "import time; a = time.process_time(); import {name}; print(time.process_time() - a)"


async def measure(*, quick: bool = False) -> list[Row]:
    """Let runs follow each other, each in a conversation of its own."""
    await _imported("engine.runtime")  # so that everything is compiled
    rounds = range(1 if quick else 3)
    bare_s = min([await _imported("engine") for _ in rounds])
    whole_s = min([await _imported("engine.runtime") for _ in rounds])
    told = json.loads(await _said("-m", "tests.bench.stepping", "--runs", "10" if quick else "60"))
    return [
        Row(f"CPU of a step, {told['runs']} runs x {told['steps']} steps", told["cpu_ms"] / told["all"], "ms", 5),
        Row("CPU of a run, from the question to the end", told["cpu_ms"] / told["runs"], "ms"),
        Row("CPU of `import engine`", bare_s, "s", 0.5),
        Row("CPU of `import engine.runtime`, all a host needs", whole_s, "s", 0.5),
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
