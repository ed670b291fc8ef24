"""A hundred thousand finished runs: what they make slower, and what it takes to forget them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from engine.ports import Outcome, RunScope
from engine.runs.retention import Retention
from engine.storage.database import FILE_NAME, Database
from engine.storage.statement import execute
from tests.bench.row import Row, percentile
from tests.bench.stage import Stage, stage
from tests.bench.start import timed_start
from tests.contract.processes.house import FAST, House, answer, running
from tests.processes.past import copy_runs, free_bytes, make_old, size_bytes

Figures = dict[str, float]
COUNT = 100_000
SLOWER = 1.25
"""What a hundred thousand may cost; a millisecond counts for nothing, two measurements differ by as much."""
NOISE_MS = 1.0


async def measure(*, quick: bool = False) -> list[Row]:
    """Measure on the embedded database."""
    async with stage() as set_:
        return await measure_on(set_, "sqlite", quick=quick)


async def measure_on(set_: Stage, url: str, *, quick: bool) -> list[Row]:
    """Measure almost empty, then with the past, then while it is forgotten. `set_` is on the database at `url`."""
    count, asked = (2000, 10) if quick else (COUNT, 60)
    before = await _figures(set_, url, asked)
    database = Database(url, set_.home)
    began_s = time.monotonic()
    await asyncio.to_thread(copy_runs, database, count)
    filled_s, full = time.monotonic() - began_s, size_bytes(database)
    after = await _figures(set_, url, asked)
    rows = [Row(f"{count} finished runs: made in", filled_s, "s"), Row("database", full / 1e6, "MB")]
    for what, figure in after.items():
        rows.append(Row(f"{what}, almost empty", before[what], "ms"))
        rows.append(Row(f"{what}, full", figure, "ms", before[what] * SLOWER + NOISE_MS))
    await asyncio.to_thread(make_old, database, 200)
    rows += await _forgotten(url, set_.home, database, count)
    database.close()
    return rows


async def _figures(set_: Stage, url: str, asked: int) -> Figures:
    return {**await _through_the_gateway(set_, asked), **await _in_the_engine(url, set_.home, asked)}


async def _through_the_gateway(set_: Stage, asked: int) -> Figures:
    starts = [(await timed_start(set_))[0] * 1000 for _ in range(2)]
    async with set_.serving() as process:
        key = f"{time.monotonic_ns()}"
        await set_.finished([await set_.ask(f"w{key}", "n=2 r=50")], within_s=20)
        sent = {}
        for n in range(asked):
            sent[f"q{key}{n}"] = await set_.ask(f"q{key}{n}", "n=3 r=50", chat=n)
            await asyncio.sleep(0.3)
        await set_.finished(list(sent.values()), within_s=30)
        firsts = [each.first_write_s * 1000 for each in await set_.answers(sent)]
        process.terminate()
        await process.ended()
    await set_.place.connected(0)
    p50, p99 = percentile(firsts, 0.5), percentile(firsts, 0.99)
    return {"start": min(starts), "event -> first write p50": p50, "event -> first write p99": p99}


async def _in_the_engine(url: str, home: Path, asked: int) -> Figures:
    async with running(url, home) as house:
        old = await _oldest(house)
        runs = house.runs
        database, membership, ledger = house.runtime.database, runs._membership, runs._ledger
        key = time.monotonic_ns()

        async def turn(n: int) -> None:
            await house.ended((await house.say("hello", to=f"c{key}{n}", key=f"t{key}{n}")).run)

        async def line_up(n: int) -> None:
            await house.say("hello", to=f"s{key}{n}", key=f"s{key}{n}")

        async def verdict(n: int) -> None:
            await house.press(old[n % len(old)], "satisfied", key=f"v{key}{n}")

        async def by_code(n: int) -> None:
            await house.runtime.conversations.by_code(old[n % len(old)][-8:])

        async def letters(_n: int) -> None:
            await database.read(ledger.dead_letters)

        return {
            "a whole turn, without platform": await _typical(turn, asked),
            "submit": await _typical(line_up, asked),
            "a verdict on an old card": await _typical(verdict, asked),
            "a run by its code": await _typical(by_code, asked),
            "heartbeat and sweep": await _typical(lambda _n: asyncio.to_thread(membership._beat), asked),
            "answers nobody saw": await _typical(letters, asked),
        }


async def _oldest(house: House) -> list[Any]:
    sql = "SELECT id FROM nm_run WHERE status = 'done' ORDER BY ended_at LIMIT 60"
    return await house.runtime.database.read(lambda session: list(execute(session, sql).scalars()))


async def _typical(do: Callable[[int], Awaitable[object]], times: int) -> float:
    """Give the median of its milliseconds."""
    took: list[float] = []
    for n in range(times):
        began_s = time.monotonic()
        await do(n)
        took.append((time.monotonic() - began_s) * 1000)
    return percentile(took, 0.5)


async def _forgotten(url: str, home: Path, database: Database, count: int) -> list[Row]:
    """Let a run record step after step, alone and while everything is forgotten."""
    gaps: list[float] = []
    ends = asyncio.Event()

    async def busy(scope: RunScope) -> Outcome:
        n = 0
        while not ends.is_set():
            began_s = time.monotonic()
            await scope.step(f"step/{n}", _nothing, result=str)
            gaps.append((time.monotonic() - began_s) * 1000)
            n += 1
            await asyncio.sleep(0.02)
        return await answer(scope)

    async with running(url, home, busy) as house:
        run = (await house.say("go on", to="busy", key=f"b{time.monotonic_ns()}")).run
        await asyncio.sleep(3)
        alone, gaps = gaps, []
        retention = Retention(house.runs.replica, house.runs._queue, FAST)
        began_s = time.monotonic()
        gone = await retention.clean()
        took_s, beside, left = time.monotonic() - began_s, list(gaps), size_bytes(database)
        ends.set()
        await house.ended(run)
    assert gone >= count, f"{gone} of {count} are forgotten"
    rows = [
        Row("a step of a live run, alone, p99", percentile(alone, 0.99), "ms"),
        Row("a step of a live run while all is forgotten, p50", percentile(beside, 0.5), "ms", 20),
        Row("a step of a live run while all is forgotten, p99", percentile(beside, 0.99), "ms", 100),
        Row(f"forgetting {gone} runs: all of it", took_s, "s"),
        Row("forgetting: the longest portion, its turn included", retention.longest_s * 1000, "ms", 250),
        Row("database afterwards", left / 1e6, "MB"),
    ]
    if database.dialect.is_sqlite:
        rows.append(Row("of that free to be used again", free_bytes(database) / 1e6, "MB"))
        rows.append(Row("write-ahead log", (home / f"{FILE_NAME}-wal").stat().st_size / 1e6, "MB"))
    return rows


async def _nothing() -> str:
    return "x" * 500
