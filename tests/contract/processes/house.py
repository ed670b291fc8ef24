"""A runtime with a recording surface, for tests in this process and in children."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from engine.messages import Address, InboxKey, Principal, RunId, RunInput, TextPart
from engine.ports import Control, Outcome, RunScope, Work
from engine.pressed import Press, PressAction, Pressed
from engine.runs.runs import Runs
from engine.runtime import Runtime, Submitted
from engine.settings import DatabaseSettings, EngineSettings, RunSettings
from gateway.clock import SystemClock
from gateway.migrations import migrate
from tests.contract.processes.recording import RecordingSurface, lines

ANN = Principal(id="ann", name="Ann")
FAST = RunSettings(lease_ttl_s=2.0, drain_s=2.0, final_try_s=2.0)


async def answer(scope: RunScope) -> Outcome:
    """The simplest work: one step."""

    async def think() -> str:
        return f"answer to {scope.input.text}"

    return Outcome(status="done", answer=await scope.step("model/1", think, result=str))


class House:
    """Short words for what tests do all the time."""

    def __init__(self, runtime: Runtime, surface: RecordingSurface, seen: Path) -> None:
        self.runtime = runtime
        self.surface = surface
        self._seen = seen

    @property
    def runs(self) -> Runs:
        return self.runtime._runs

    async def say(self, text: str, *, to: str = "chat", key: str | None = None) -> Submitted:
        return await self.runtime.submit(given(text, to), key=inbox_key(key or f"{to}-{text}"))

    async def stop_run(self, run: RunId) -> str:
        return await self.runtime.control(run, Control(id=f"stop-{run}", kind="stop", by="ann"))

    async def press(self, run: RunId, do: PressAction, *, by: Principal = ANN, key: str = "", **more: Any) -> Pressed:
        press = Press(run=run, do=do, by=by, **more)
        name = key or f"{run}-{do}-{by.id}-{uuid.uuid4().hex}"
        return await self.runtime.press(inbox_key(name, "action"), Address("chat"), press)

    async def ended(self, run: RunId, timeout_s: float = 40) -> Any:
        return await self.runtime.wait_ended(run, timeout_s)

    def seen(self, what: str | None = None, run: str | None = None) -> list[dict[str, Any]]:
        return lines(self._seen, what, run)

    async def until(self, claim: Callable[[], object], timeout_s: float = 30) -> None:
        await until(claim, timeout_s)


async def until(claim: Callable[[], object], timeout_s: float = 30) -> None:
    end = time.monotonic() + timeout_s
    while not claim():
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.01)


def given(text: str, to: str = "chat") -> RunInput:
    return RunInput(to=Address(to), by=ANN, parts=(TextPart(text=text),))


def inbox_key(key: str, kind: str = "message") -> InboxKey:
    return InboxKey(channel="fake", account="main", kind=kind, key=key)


def build(
    url: str,
    home: Path,
    work: Work,
    *,
    settings: RunSettings = FAST,
    surface: RecordingSurface | None = None,
    busy_ms: int = 5000,
) -> House:
    seen = home / "surface.jsonl"
    surface = surface or RecordingSurface(seen)
    told = EngineSettings(home=home, database=DatabaseSettings(url=url), runs=settings)
    runtime = Runtime(told, surface, SystemClock(), work, migrate=migrate, busy_ms=busy_ms)
    return House(runtime, surface, seen)


@asynccontextmanager
async def running(url: str, home: Path, work: Work = answer, **told: Any) -> AsyncIterator[House]:
    house = build(url, home, work, **told)
    await house.runtime.start()
    try:
        yield house
    finally:
        await house.runtime.stop()
