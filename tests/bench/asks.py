"""`python -m tests.bench.asks sqlite|postgres`: what an answer asks of the database, of threads and of the platform.

Counts do not depend on how busy the machine is, CPU does a little, and waiting is not told at all. An answer is one of
a second and ten chunks; what the process asks while nobody does (heartbeats, looks at the queue) is taken off.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench import machine
from tests.bench.place import until
from tests.bench.stage import Stage, stage
from tests.processes.gateway import GatewayProcess
from tests.processes.postgres import empty_database

WAVES, AT_ONCE, IDLE_S, ENDS_S = 6, 20, 5.0, 2.0
ORDER = "n=10 r=10"
LEAST = 0.05
"""What is asked less often than this for an answer is left out."""
_IDS = re.compile(r"\d{12,}|(?<=/)(?:om|oc|ou|b)_\w+|=[^&]*")


@dataclass(frozen=True, slots=True)
class Look:
    """What was asked so far, and what it took."""

    at_s: float
    cpu_s: float
    asked: Counter[str]

    def since(self, before: Look) -> Look:
        """Give what came after another look."""
        asked = Counter(self.asked)
        asked.subtract(before.asked)
        return Look(self.at_s - before.at_s, self.cpu_s - before.cpu_s, asked)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.asks")
    parser.add_argument("database", choices=["sqlite", "postgres"])
    database = parser.parse_args().database
    machine.keep_off_the_measured_core()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="niuma-asks-")))
        more = {"NIUMA_DATABASE__URL": stack.enter_context(empty_database()).url} if database == "postgres" else {}
        idle, busy = asyncio.run(_measure(folder / "counts.json", more))
    sys.stdout.write(_drawn(idle, busy, WAVES * AT_ONCE))
    return 0


async def _measure(file: Path, more: dict[str, str]) -> tuple[Look, Look]:
    async with stage() as set_:
        set_.under = ("-m", "tests.bench.counting", str(file))
        async with set_.serving(**more) as process:
            # Each chat has its session by then, as most have.
            await _ask(set_, "w", 2)
            began = await _look(set_, process, file)
            await asyncio.sleep(IDLE_S)
            rested = await _look(set_, process, file)
            await _ask(set_, "m", WAVES)
            ended = await _look(set_, process, file)
    return rested.since(began), ended.since(rested)


async def _ask(set_: Stage, name: str, waves: int) -> None:
    for wave in range(waves):
        sent = await asyncio.gather(*(set_.ask(f"{name}{wave}x{n}", ORDER, chat=n) for n in range(AT_ONCE)))
        await set_.finished(sent, within_s=120)
    # A run ends in the database a moment after its card.
    await asyncio.sleep(ENDS_S)


async def _look(set_: Stage, process: GatewayProcess, file: Path) -> Look:
    file.unlink(missing_ok=True)
    os.kill(process.pid, signal.SIGUSR1)

    async def written() -> bool:
        return file.exists()

    await until(written, why="the counts")
    told = json.loads(file.read_text(encoding="utf-8"))
    asked = Counter({f"  {name}": count for name, count in told["statements"].items()})
    asked.update(told["others"])
    asked["statements"] = sum(told["statements"].values())
    for each in await set_.timeline():
        if each["kind"] == "rest":
            asked["requests to the platform"] += 1
            asked[f"  {each['method']} {_IDS.sub('..', each['path'])}"] += 1
    return Look(time.monotonic(), machine.cpu_s(process.pid), asked)


def _drawn(idle: Look, busy: Look, answers: int) -> str:
    rest = busy.at_s / idle.at_s
    cpu_ms = 1000 * (busy.cpu_s - idle.cpu_s * rest) / answers
    lines = [f"{answers} answers: {cpu_ms:.1f} ms of CPU each; idle: {100 * idle.cpu_s / idle.at_s:.1f} % of a core"]
    each = {name: (count - idle.asked[name] * rest) / answers for name, count in busy.asked.items()}
    rows = sorted(each.items(), key=lambda row: (row[0].startswith("  "), -row[1]))
    lines += [f"{count:7.2f}  {name}" for name, count in rows if count >= LEAST]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
