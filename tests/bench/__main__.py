"""`python -m tests.bench`: measures, prints the table, ends with 0 whatever the figures are."""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import sys
import time
import traceback
from collections.abc import Awaitable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tests.bench import machine
from tests.bench.row import Row, table

BENCHES = (
    "first_write",
    "one_card",
    "long_answer",
    "fifty_exempt",
    "fifty_chats",
    "fifty_counted",
    "limit_auto",
    "slack_edits",
    "slack_streams",
    "dingtalk_cards",
    "start",
    "idle_channels",
    "answers",
    "engine_step",
    "idle_conversations",
    "restart",
    "capacity",
    "overload",
    "history",
)
APART = ("scale", "history_postgres")
"""Only where they are asked for: they need a Postgres server."""
LONGEST_S = 240.0
"""After this a measurement is given up."""


class Bench(Protocol):
    """A module of this folder."""

    def measure(self, *, quick: bool = False) -> Awaitable[list[Row]]:
        """Give the rows."""
        ...


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measures niuma on its simulators.")
    parser.add_argument(
        "--only", action="append", choices=BENCHES + APART, metavar="NAME", help=", ".join(BENCHES + APART)
    )
    parser.add_argument("--quick", action="store_true", help="less of everything; the figures are rough")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = parser.parse_args()
    if not machine.is_measurable():
        _say("the bench reads /proc and pins processes to cores: it needs Linux")
        return 2
    machine.keep_off_the_measured_core()
    yardstick_ms = machine.yardstick_ms()
    _say(f"a million additions take {yardstick_ms:.0f} ms of CPU here")
    results = asyncio.run(_all(given.only or BENCHES, quick=given.quick))
    if given.json:
        facts = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "quick": given.quick,
            "yardstick_ms": yardstick_ms,
        }
        given.json.write_text(json.dumps({**facts, "benches": results}, indent=1) + "\n", encoding="utf-8")
    return 0 if all("error" not in each for each in results.values()) else 1


async def _all(names: tuple[str, ...] | list[str], *, quick: bool) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name in names:
        bench: Any = import_module(f"tests.bench.{name}")
        results[name] = await _one(name, bench, quick=quick)
    over = [f"{name}: {row['what']}" for name, each in results.items() for row in each["rows"] if row["ok"] is False]
    _say(f"\n{len(over)} over budget" + "".join(f"\n  {line}" for line in over))
    return results


async def _one(name: str, bench: Bench, *, quick: bool) -> dict[str, Any]:
    started = time.monotonic()
    try:
        async with asyncio.timeout(LONGEST_S):
            rows = await bench.measure(quick=quick)
    except Exception as error:
        # One measurement that fails must not hide the others.
        traceback.print_exc()
        _say(f"\n{name}\n  not measured: {type(error).__name__}: {error}")
        return {"rows": [], "error": f"{type(error).__name__}: {error}"}
    _say(table(f"{name} ({time.monotonic() - started:.0f} s)", rows))
    return {"rows": [row.as_json() for row in rows]}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
