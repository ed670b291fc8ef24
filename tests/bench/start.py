"""How long a start takes, against what the vendors' packages would cost alone, and what an idle gateway weighs."""

from __future__ import annotations

import asyncio
import os
import sys
import time

from tests.bench import machine
from tests.bench.row import Row, percentile
from tests.bench.stage import Stage, stage

IMPORTS = "import lark_oapi, litellm"
IDLE_S = 2.0


async def measure(*, quick: bool = False) -> list[Row]:
    """Start on an empty folder, then again and again on the same one."""
    rounds = 1 if quick else 5
    async with stage() as set_:
        fresh_s, *_ = await timed_start(set_)
        again = [await timed_start(set_) for _ in range(rounds)]
    start_s = percentile([each[0] for each in again], 0.5)
    imports_s = min([await _import_s() for _ in range(2)])
    return [
        Row("CPU of a start, all of it", min(each[2] for each in again), "s"),
        Row("process start -> channel connected, empty folder", fresh_s, "s", 2),
        Row(f"process start -> channel connected, median of {rounds}", start_s, "s", 2),
        Row(f"`{IMPORTS}`", imports_s, "s"),
        Row("start as a share of that", start_s / imports_s, "x", 0.25),
        Row("CPU while idle, share of one core", 100 * percentile([each[3] for each in again], 0.5), "%"),
        Row("memory, idle, connected", max(each[1] for each in again), "MB", 120),
    ]


async def timed_start(set_: Stage) -> tuple[float, float, float, float]:
    """Give seconds to the open connection; a moment later the megabytes; the start's CPU, the idle CPU's share."""
    seen = len(await set_.timeline())
    started = time.monotonic()
    async with set_.serving() as process:
        used_s = machine.cpu_s(process.pid)
        await asyncio.sleep(IDLE_S)
        idle = (machine.cpu_s(process.pid) - used_s) / IDLE_S
        weight = machine.rss_mb(process.pid)
        opened = [each for each in (await set_.timeline())[seen:] if each["kind"] == "socket" and each["status"] == 101]
        process.terminate()
        await process.ended()
    await set_.place.connected(0)
    return opened[0]["mono_s"] - started, weight, used_s, idle


async def _import_s() -> float:
    """Give how long a process of its own takes for the imports, on the same core."""
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", IMPORTS, env=env)
    machine.pin(process.pid)
    try:
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return time.monotonic() - started
