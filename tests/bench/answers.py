"""Two hundred answers at once through the engine on one core, without a platform: how late its loop gets."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from tests.bench import machine
from tests.bench.row import Row, percentile
from tests.bench.stage import paced_model


async def measure(*, quick: bool = False) -> list[Row]:
    """Stream 50 pieces a second to each."""
    answers, pieces = (40, 100) if quick else (200, 500)
    async with paced_model() as url:
        told = await _record(f"{url}/v1", answers, pieces)
    lags = told["lags_ms"]
    return [
        Row(f"{answers} answers x 50 tokens/s: loop lag p50", percentile(lags, 0.5), "ms"),
        Row(f"{answers} answers x 50 tokens/s: loop lag p99", percentile(lags, 0.99), "ms", 50),
        Row("loop lag, longest", max(lags), "ms"),
        Row("answers done", told["done"], "", answers, answers),
        Row("CPU per token, whole engine", 1e6 * told["cpu_s"] / (answers * pieces), "us"),
        Row("CPU, share of one core", 100 * told["cpu_s"] / told["took_s"], "%"),
    ]


async def _record(api_base: str, answers: int, pieces: int) -> dict[str, Any]:
    words = ["--api-base", api_base, "--answers", str(answers), "--pieces", str(pieces)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.recording", *words, stdout=asyncio.subprocess.PIPE
    )
    machine.pin(process.pid)
    try:
        out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return json.loads(out)
