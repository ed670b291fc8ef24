"""Lines of a running tool, from the loop and from threads."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from engine.agent.progress import MAX_LINES
from engine.agent.stopping import unless_first
from engine.events import RunEvent
from engine.testing.scope import MemoryScope
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext, ToolResult
from tests.unit.engine.agent.conftest import Bench, FakeTool, until


def bodies(scope: MemoryScope) -> list[str]:
    told = [event.content for event in scope.shown if event.type == "tool" and event.status == "in_progress"]
    return [content["body"] for content in told if isinstance(content, dict) and "body" in content]


def watch_threads(scope: MemoryScope, monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Give the threads `scope.show` is called in."""
    seen: set[int] = set()
    show = scope.show

    def watched(event: RunEvent) -> None:
        seen.add(threading.get_ident())
        show(event)

    monkeypatch.setattr(scope, "show", watched)
    return seen


async def test_a_thread_tells_by_way_of_the_loop(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(args: dict[str, Any], context: ToolContext) -> ToolResult:
        def scan() -> None:
            for n in range(MAX_LINES + 10):
                context.progress(f"line {n}")

        context.progress("begins")
        await asyncio.to_thread(scan)
        return ToolResult(success=True, summary="ok")

    bench.tools = [FakeTool("scan", work)]
    bench.script(Turn(calls=[call("scan")]), Turn("done"))
    scope = bench.scope()
    threads = watch_threads(scope, monkeypatch)
    await bench.agent()(scope)
    assert threads == {threading.get_ident()}
    shown = bodies(scope)
    assert shown[0] == "begins"
    assert len(shown) == MAX_LINES + 11
    assert shown[-1].split("\n") == [f"line {n}" for n in range(10, MAX_LINES + 10)]


async def test_a_thread_that_outlives_its_call_shows_nothing(bench: Bench) -> None:
    told, go = threading.Event(), threading.Event()

    async def work(args: dict[str, Any], context: ToolContext) -> ToolResult:
        def late() -> None:
            go.wait(10)
            context.progress("too late")
            told.set()

        context.progress("in time")
        threading.Thread(target=late, daemon=True).start()
        await asyncio.Event().wait()
        raise AssertionError

    tool = FakeTool("scan", work)
    bench.tools = [tool]
    bench.script(Turn(calls=[call("scan")]), Turn("done"))
    scope = bench.scope()
    running = bench.start(scope)
    await until(lambda: bodies(scope))
    await bench.clock.advance(bench.agent_settings.tool_timeout_s + 1)
    await running
    go.set()
    assert await asyncio.to_thread(told.wait, 10)
    await asyncio.sleep(0)
    assert bodies(scope) == ["in time"]


async def test_the_loser_of_a_race_has_ended() -> None:
    ended: list[str] = []

    async def waits(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append(name)

    async def gives(value: int) -> int:
        return value

    assert await unless_first(waits("rival"), gives(7)) == 7
    assert await unless_first(gives(1), waits("work")) is None
    assert ended == ["rival", "work"]


async def test_a_rival_that_breaks_is_told() -> None:
    async def breaks() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await unless_first(breaks(), asyncio.Event().wait())
