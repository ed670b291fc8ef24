"""`python -m tests.bench.profile update|message`: where the gateway's loop spends its time for one of them.

Ten cards grow at once for the one, a hundred messages with an answer of one word come for the other. A profiler slows
calls down unevenly: read the shares, not the milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import pstats
import sys
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.sight import Answer
from tests.bench.stage import Stage, stage

CARDS, SECONDS = 10, 15
MESSAGES, AT_ONCE = 100, 10
TOP = 25
PARTS = ("channels", "gateway", "engine", "aiohttp", "sqlalchemy", "pydantic", "dbos", "asyncio", "json", "logging")


class Row(NamedTuple):
    """One function: its own seconds, those with what it called, its calls, and where it stands."""

    own_s: float
    whole_s: float
    calls: int
    place: tuple[str, int, str]

    @property
    def part(self) -> str:
        """Give the package it belongs to."""
        file = self.place[0]
        return next((part for part in PARTS if f"/{part}/" in file or file.endswith(f"/{part}.py")), "other")


def main() -> int:
    """Profile and print two tables: time by part, and the costliest functions."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.profile")
    parser.add_argument("what", choices=["update", "message"])
    what = parser.parse_args().what
    with tempfile.TemporaryDirectory(prefix="niuma-profile-") as folder:
        idle, busy = Path(folder) / "idle", Path(folder) / "busy"
        asyncio.run(_profile(_nothing, idle))
        count = asyncio.run(_profile(_updates if what == "update" else _messages, busy))
        _print(_without(pstats.Stats(str(busy)), pstats.Stats(str(idle))), count, what)
    return 0


async def _profile(work: Callable[[Stage], Awaitable[int]], file: Path) -> int:
    """Profile a gateway that has answered once, so that what is done once is in both profiles."""
    async with stage() as set_:
        set_.under = ("-m", "cProfile", "-o", str(file))
        async with set_.serving() as process:
            await set_.finished([await set_.ask("warm", "n=100 r=100", chat=199)], within_s=60)
            count = await work(set_)
            process.terminate()
            await process.ended()
    return count


async def _nothing(_set: Stage) -> int:
    return 0


def _without(busy: Any, idle: Any) -> list[Row]:
    """Give what the work took, without start, first answer and end."""
    rows: list[Row] = []
    for place, (_, calls, own, whole, _) in busy.stats.items():
        _, calls_idle, own_idle, whole_idle, _ = idle.stats.get(place, (0, 0, 0.0, 0.0, {}))
        if not ("select.epoll" in place[2] or "sleep" in place[2]):
            rows.append(Row(max(0.0, own - own_idle), max(0.0, whole - whole_idle), calls - calls_idle, place))
    return rows


async def _updates(set_: Stage) -> int:
    asked = await set_.ask_all(CARDS, f"n={20 * SECONDS} r=20")
    await set_.finished(list(asked.values()), within_s=4 * SECONDS + 60)
    answers: list[Answer] = await set_.answers(asked)
    return sum(each.updates for each in answers)


async def _messages(set_: Stage) -> int:
    for first in range(0, MESSAGES, AT_ONCE):
        keys = range(first, first + AT_ONCE)
        asked = await asyncio.gather(*(set_.ask(f"m{n}", "n=1 r=50", chat=n) for n in keys))
        await set_.finished(asked, within_s=60)
    return MESSAGES


def _print(rows: list[Row], count: int, what: str) -> None:
    all_s = sum(row.own_s for row in rows)
    by_part: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        by_part[row.part] += row.own_s
    out = [f"{count} {what}s, {1000 * all_s / count:.2f} ms each under the profiler", ""]
    out += [f"{100 * own / all_s:5.1f} %  {part}" for part, own in sorted(by_part.items(), key=lambda each: -each[1])]
    out += ["", "   own  whole   calls each"]
    for row in sorted(rows, reverse=True)[:TOP]:
        file, line, name = row.place
        shares = f"{100 * row.own_s / all_s:5.1f} %{100 * row.whole_s / all_s:5.1f} %"
        out.append(f"{shares} {row.calls / count:7.1f}  {'/'.join(Path(file).parts[-2:])}:{line} {name}")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    sys.exit(main())
