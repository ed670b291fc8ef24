"""The trace on a terminal, and the run as data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput
from engine.ports import Delivered, Json, Opening, Outcome, Owed
from gateway.cli.result import result_data
from gateway.cli.trace import TraceSurface, line_of

RUN = RunId("r" * 26)
MINE = Address("cli:local::one")


class NoJournal:
    """A terminal creates nothing that would have to be found again."""

    async def step(self, path: str, fn: Callable[[], Awaitable[Json]]) -> Json:
        raise AssertionError(path)

    def recorded(self, path: str) -> Json | None:
        raise AssertionError(path)

    async def guard(self) -> None:
        raise AssertionError


def event(type_: Any, content: Any = "", **more: Any) -> RunEvent:
    return RunEvent(run=RUN, type=type_, content=content, **more)


def opening(to: str = MINE, run: RunId = RUN) -> Opening:
    return Opening(run=run, to=Address(to), attempt=1, input=RunInput(to=Address(to), by=Principal(id="p"), parts=()))


def test_lines_of_events() -> None:
    call = {"call": "c", "name": "read_file", "args": {"path": "中.md"}, "summary": "3 lines"}
    assert line_of(event("tool", call, status="in_progress")) == '  read_file {"path": "中.md"}'
    assert line_of(event("read_file", call, status="success")) == "  read_file ok: 3 lines"
    assert line_of(event("tool", call | {"summary": "", "error": "gone"}, status="fail")) == "  read_file failed: gone"
    assert line_of(event("thinking", "a\n  b", status="success")) == "  thinking: a b"
    assert line_of(event("thinking", "a", status="in_progress")) == ""
    assert line_of(event("text", "delta")) == ""
    assert line_of(event("error", {"code": "model_timeout", "params": {}})) == "  error: model_timeout"
    assert (
        line_of(event("notice", {"code": "fallback", "params": {"model": "x"}})) == '  notice: fallback {"model": "x"}'
    )
    assert line_of(event("approval", {"tool": "send_note", "state": "denied"})) == "  approval: send_note denied"
    assert line_of(event("done", {"status": "done"})) == ""
    assert len(line_of(event("text", "x" * 1000, status="success"))) < 200


def test_each_line_is_shown_once_and_the_answer_not_at_all() -> None:
    shown: list[str] = []
    surface = TraceSurface(MINE, shown.append)
    steps = [
        event("text", "Let me look.", status="success", segment="main/model/1"),
        event("tool", {"name": "project_scan"}, status="in_progress", segment="main/tool/1"),
        event("tool", {"name": "project_scan"}, status="in_progress", segment="main/tool/1"),
        event("tool", {"name": "project_scan", "summary": "1 file"}, status="success", segment="main/tool/1"),
        event("text", "There is one file.", status="success", segment="main/model/2"),
        event("done", {"status": "done"}),
    ]
    for each in steps:
        surface.show(each)
    assert shown == ["  text: Let me look.", "  project_scan {}", "  project_scan ok: 1 file"]
    TraceSurface(MINE, None).show(steps[1])


def test_questions_wait_until_they_are_answered() -> None:
    surface = TraceSurface(MINE, None)
    surface.show(event("approval", {"id": "q", "tool": "send_note", "state": "pending"}))
    surface.show(event("approval", {"id": "q", "tool": "send_note", "state": "denied"}))
    assert surface.questions.get_nowait()["id"] == "q"
    assert surface.questions.empty()


async def test_runs_of_others_stay_owed() -> None:
    """A store may hold runs of a gateway that is not running: their answers belong on their cards."""
    surface = TraceSurface(MINE, None)
    other = RunId("o" * 26)
    await surface.open(opening(), NoJournal())
    await surface.open(opening("feishu:main:t:oc", other), NoJournal())
    outcome = Outcome(status="done", answer="x")
    assert isinstance(await surface.close(RUN, outcome, within_s=1), Delivered)
    assert await surface.close(other, outcome, within_s=1) == Owed(reason="not_here")
    owed = await surface.deliver(opening("feishu:main:t:oc", other), outcome, NoJournal())
    assert isinstance(owed, Owed) and not owed.permanent
    gone = await surface.deliver(opening(), outcome, NoJournal())
    assert isinstance(gone, Owed) and gone.permanent


def test_result_data_adds_up() -> None:
    usage = {"model": "main", "input_tokens": 10, "output_tokens": 2, "cost": 0.5}
    call = {"call": "c", "name": "read_file", "args": {"path": "a"}, "summary": "3 lines", "parsed": {"lines": 3}}
    events = [
        event("usage", usage),
        event("tool", call, status="in_progress"),
        event("read_file", call, status="success"),
        event("tool", {"name": "other", "error": "boom"}, status="fail"),
        event("usage", usage | {"model": "second", "cost": None}),
        event("text", "answer", status="success"),
    ]
    data = result_data(events)
    assert data["model"] == "second"
    assert data["usage"] == {"input_tokens": 20, "output_tokens": 4, "reasoning_tokens": 0, "cost": 0.5}
    assert data["tools"] == [
        {
            "name": "read_file",
            "args": {"path": "a"},
            "status": "success",
            "parsed": {"lines": 3},
            "summary": "3 lines",
            "error": None,
        },
        {"name": "other", "args": {}, "status": "fail", "parsed": {}, "summary": "", "error": "boom"},
    ]
    assert result_data([]) == {
        "model": "",
        "usage": {"input_tokens": 0, "output_tokens": 0, "reasoning_tokens": 0, "cost": None},
        "tools": [],
    }
