"""The shell tool: what it tells of a command, and how a person's stop reaches it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ToolRetry
from engine.messages import Principal, RunId
from engine.tools.base import ToolContext, ToolResult
from engine.tools.sandbox import Finished, Limits
from engine.tools.shell_command import MAX_COMMAND_CHARS, ShellCommand
from engine.tools.shell_report import report
from gateway.presenter.calls import CALL_CHARS, call_panel
from tests.sandbox import working_sandbox

RUN = RunId("00000000000000000000000001")


def context(workspace: Path, told: list[str] | None = None, stopped: asyncio.Event | None = None) -> ToolContext:
    async def until_stopped() -> None:
        await (stopped or asyncio.Event()).wait()

    lines = [] if told is None else told
    return ToolContext(RUN, Principal(id="u1"), workspace, "key", progress=lines.append, stopped=until_stopped)


async def called(workspace: Path, command: str, **args: Any) -> ToolResult:
    tool = ShellCommand(await working_sandbox(), tool_timeout_s=20)
    return await tool.run({"command": command, **args}, context(workspace))


async def test_what_a_command_said_and_json_as_data(tmp_path: Path) -> None:
    result = await called(tmp_path, """echo '{"lines": [1, 2]}'""")
    assert (result.success, result.parsed["exit_code"], result.parsed["json"]) == (True, 0, {"lines": [1, 2]})
    assert result.text.startswith('exit code 0\nstdout:\n{"lines": [1, 2]}\n')
    assert (result.body, result.body_kind) == ('{"lines": [1, 2]}', "terminal")
    result = await called(tmp_path, "echo '{broken'; echo oops >&2; exit 4")
    assert (result.success, result.error, result.parsed["exit_code"]) == (False, "tool_failed", 4)
    assert "stdout:\n{broken\nstderr:\noops\n" in result.text
    assert result.body == "{broken\noops\n[exit code 4]"
    assert "json" not in result.parsed
    assert (await called(tmp_path, "true")).text == "exit code 0\n(no output)"


async def test_the_time_of_a_call_is_limited_and_the_output_so_far_is_told(tmp_path: Path) -> None:
    result = await called(tmp_path, "echo first; sleep 300 | cat", timeout_s=1)
    assert (result.success, result.error, result.parsed["stdout"]) == (False, "tool_timeout", "first\n")
    assert "not done within 1 s" in result.summary
    assert result.parsed["duration_ms"] < 4_000


async def test_live_output_comes_as_lines_and_a_stop_ends_the_command(tmp_path: Path) -> None:
    told: list[str] = []
    stopped = asyncio.Event()
    tool = ShellCommand(await working_sandbox(), tool_timeout_s=60)
    working = asyncio.ensure_future(
        tool.run({"command": "echo here; sleep 0.3; echo there; sleep 50"}, context(tmp_path, told, stopped))
    )
    for _ in range(500):
        if "there" in told:
            break
        await asyncio.sleep(0.01)
    assert told == ["here", "there"]
    stopped.set()
    result = await asyncio.wait_for(working, 5)
    assert (result.success, result.error) == (False, "stopped")
    assert "here\nthere" in result.text


async def test_a_command_is_needed(tmp_path: Path) -> None:
    for command in ("", "  \n", "a\0b", "x" * 1_901):
        with pytest.raises(ToolRetry):
            await called(tmp_path, command)


def test_a_person_who_is_asked_sees_the_longest_command_whole() -> None:
    command = "\u202e" * MAX_COMMAND_CHARS
    shown = call_panel("call", "shell_command", {"command": command, "timeout_s": 12345.678}, "en")
    assert "\\u202e" * MAX_COMMAND_CHARS in shown.body and len(shown.body) < CALL_CHARS


async def test_data_can_leave_only_by_the_network() -> None:
    sandbox = await working_sandbox()
    closed, open_ = (ShellCommand(sandbox, tool_timeout_s=60, network=each) for each in (False, True))
    assert not closed.touches({"command": "ls"}).sends
    assert open_.touches({"command": "ls"}).sends
    assert closed.touches({"command": "git status"}).command == "git status"
    assert "no network" in closed.description
    assert (closed.asks, closed.effect, closed.is_foreign, closed.event_type) == (True, "once", True, "bash")


@pytest.mark.parametrize(
    ("finished", "words"),
    [
        (Finished("output", None, b"y\n" * 10), "the rest is missing"),
        (Finished("memory", None), "more than 1024 MB of memory"),
        (Finished("processes", None), "more than 128 processes"),
    ],
)
def test_a_limit_is_said_in_words(finished: Finished, words: str) -> None:
    result = report("yes", finished, Limits())
    assert words in result.text
    assert words in result.body
    assert not result.success


def test_data_for_programs_is_bounded() -> None:
    result = report("x" * 5_000, Finished("exited", 0, b"[" + b"1," * 200_000 + b"1]", b"e" * 9_000), Limits())
    assert "json" not in result.parsed
    assert len(str(result.parsed)) < 12_000
    assert report("x", Finished("exited", 0, b"[" * 100_000), Limits()).success
