"""The engine alone, as a process of its own: 200 answers into a surface that only keeps what it is told.

Prints one JSON object: how late the loop was, and what the surface has seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from engine.events import RunEvent
from engine.messages import Address, InboxKey, Principal, RunId, RunInput, TextPart
from engine.ports import Delivered, JournalStep, Json, Opening, Outcome, Owed
from engine.runtime import build_runtime
from engine.settings import AgentSettings, EngineSettings, ModelSettings, RunSettings
from gateway.clock import SystemClock
from gateway.migrations import migrate

LOOK_EVERY_S = 0.005
LONGEST_S = 90.0


class RecordingSurface:
    """A surface that is always reachable and keeps all it is told."""

    def __init__(self) -> None:
        self.shown: list[RunEvent] = []
        self.outcomes: list[Outcome] = []
        self.changed = asyncio.Event()

    async def open(self, opening: Opening, journal: JournalStep) -> None:
        """Put nothing up."""

    def show(self, event: RunEvent) -> None:
        """Keep it."""
        self.shown.append(event)

    def state(self, run: RunId) -> Json | None:
        """Give a state: there is one card a run."""
        return {"run": run}

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        """Take the last word."""
        self.outcomes.append(outcome)
        self.changed.set()
        return Delivered(receipt={"run": run})

    async def closed(self, count: int) -> None:
        """Wait until so many runs have said their last word."""
        while len(self.outcomes) < count:
            await self.changed.wait()
            self.changed.clear()

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        """Let go of nothing."""
        return Delivered(receipt={"run": run})

    def abandon(self, run: RunId) -> None:
        """Let go of nothing."""

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed:
        """Take it."""
        return Delivered(receipt={"run": opening.run})


async def _watch(lags_ms: list[float]) -> None:
    while True:
        asked = time.monotonic()
        await asyncio.sleep(LOOK_EVERY_S)
        lags_ms.append((time.monotonic() - asked - LOOK_EVERY_S) * 1000)


async def _answer(home: Path, api_base: str, answers: int, pieces: int) -> Json:
    surface = RecordingSurface()
    model = ModelSettings(model="openai/bench", api_base=api_base, api_key="none")
    # One person asks in place of hundreds.
    runs = RunSettings(open_per_person=0)
    agent = AgentSettings(router_asks=False)
    settings = EngineSettings(home=home, models={"bench": model}, default_model="bench", runs=runs, agent=agent)
    runtime = build_runtime(settings, surface, SystemClock(), migrate=migrate)
    await runtime.start()
    lags_ms: list[float] = []
    watch = asyncio.create_task(_watch(lags_ms))
    cpu_s, started = time.process_time(), time.monotonic()
    try:
        questions = [_question(n, pieces) for n in range(answers)]
        await asyncio.gather(*(runtime.submit(given, key=key) for given, key in questions))
        async with asyncio.timeout(LONGEST_S):
            await surface.closed(answers)
    finally:
        watch.cancel()
        used_s, took_s = time.process_time() - cpu_s, time.monotonic() - started
        await runtime.stop()
    done = sum(each.status == "done" for each in surface.outcomes)
    return {"lags_ms": lags_ms, "done": done, "events": len(surface.shown), "cpu_s": used_s, "took_s": took_s}


def _question(number: int, pieces: int) -> tuple[RunInput, InboxKey]:
    to = Address(f"bench:main:t:c{number}")
    words = TextPart(text=f"key=k{number} n={pieces} r=50")
    return RunInput(to=to, by=Principal(id="u1"), parts=(words,)), InboxKey(
        channel="bench", account="main", kind="message", key=f"m{number}"
    )


def main() -> None:
    """Answer and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--api-base", required=True)
    parser.add_argument("--answers", type=int, required=True)
    parser.add_argument("--pieces", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="niuma-bench-") as home:
        told = asyncio.run(_answer(Path(home), given.api_base, given.answers, given.pieces))
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
