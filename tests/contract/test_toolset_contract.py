"""What holds for every built-in tool."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.events import EventType
from engine.messages import Principal, RunId
from engine.tools.base import Effect, Tool, ToolContext, ToolResult
from engine.tools.create_file import CreateFile
from engine.tools.delete_file import DeleteFile
from engine.tools.edit_file import EditFile
from engine.tools.project_scan import ProjectScan
from engine.tools.read_file import ReadFile
from engine.tools.registry import ToolSet
from engine.tools.sandbox import Unconfined
from engine.tools.schema import problems
from engine.tools.send_note import SendNote
from engine.tools.shell_command import ShellCommand
from engine.tools.write_file import WriteFile

CASES: list[tuple[Tool, dict[str, Any]]] = [
    (ProjectScan(), {}),
    (ReadFile(), {"file_path": "a.txt"}),
    (WriteFile(), {"file_path": "b.txt", "content": "hi"}),
    (CreateFile(), {"file_path": "b.txt", "content": "hi"}),
    (EditFile(), {"file_path": "a.txt", "edits": [{"old_text": "hello", "new_text": "bye"}]}),
    (DeleteFile(), {"file_path": "a.txt"}),
    (SendNote(), {"text": "hi"}),
    (ShellCommand(Unconfined(), tool_timeout_s=20), {"command": "echo hi > b.txt"}),
]


@pytest.fixture(params=CASES, ids=[tool.name for tool, _ in CASES])
def case(request: pytest.FixtureRequest) -> tuple[Tool, dict[str, Any]]:
    return request.param


def test_what_a_model_is_told_is_well_formed(case: tuple[Tool, dict[str, Any]]) -> None:
    tool, args = case
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool.name)
    assert 20 <= len(tool.description) <= 1024
    assert tool.parameters["type"] == "object"
    assert tool.parameters["additionalProperties"] is False
    assert problems(args, tool.parameters) == []
    assert problems({"surely_unknown": 1, **args}, tool.parameters) != []


def test_what_the_agent_relies_on_is_declared(case: tuple[Tool, dict[str, Any]]) -> None:
    tool, _ = case
    assert tool.effect in get_args(Effect)
    assert tool.event_type in get_args(EventType)
    assert tool.asks == (tool.effect != "none")


async def test_a_result_is_structured(case: tuple[Tool, dict[str, Any]], tmp_path: Path) -> None:
    tool, args = case
    (tmp_path / "a.txt").write_text("hello")
    result = await tool.run(args, ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:p"))
    assert result.success
    assert result.error is None
    assert "\n" not in result.summary
    assert result.summary
    assert result.text
    assert result.parsed
    assert ToolResult.model_validate_json(result.model_dump_json()) == result


async def test_a_tool_that_only_looks_changes_nothing(case: tuple[Tool, dict[str, Any]], tmp_path: Path) -> None:
    tool, args = case
    (tmp_path / "a.txt").write_text("hello")
    await tool.run(args, ToolContext(RunId("r"), Principal(id="u"), tmp_path, "r:p"))
    left = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert (left == {"a.txt": "hello"}) == (tool.effect == "none")


def test_names_are_unique() -> None:
    tools = ToolSet([tool for tool, _ in CASES])
    assert tools.names == tuple(tool.name for tool, _ in CASES)
    assert tools.get("nothing") is None
    assert [schema.name for schema in tools.schemas()] == list(tools.names)
    with pytest.raises(ValueError, match="send_note"):
        ToolSet([SendNote(), SendNote()])
