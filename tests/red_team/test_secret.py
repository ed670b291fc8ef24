"""Secrets that get into what a tool says."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engine.agent.build import FileWays, built_in_tools
from engine.agent.context import Equipment
from engine.agent.loop import Agent
from engine.errors import ToolFailed, ToolRetry
from engine.messages import Principal, RunId
from engine.permissions import Touches
from engine.settings import EngineSettings, ModelSettings, ProviderSettings
from engine.testing.database import MemoryDatabase
from engine.testing.scope import MemoryScope, run_input
from engine.testing.scripted import ScriptedModel, Turn, call
from engine.tools.base import ToolContext, ToolResult
from engine.tools.read_file import ReadFile
from engine.tools.redaction import redact
from engine.tools.registry import ToolSet
from gateway.clock import FakeClock
from gateway.logs import start_logging
from tests.unit.engine.agent.conftest import FakeTool, OneModel

SAID = "https://api.example?key=sk-live-1234"
KEY = "sk-live-1234"


async def says(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
    return ToolResult(success=False, summary=SAID, text=f"GET {SAID}", body=f"failed: {SAID}", error="tool_failed")


def raises(error: Exception) -> Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult]]:
    async def work(_args: dict[str, Any], _context: ToolContext) -> ToolResult:
        raise error

    return work


@pytest.mark.parametrize("work", [says, raises(ToolFailed(SAID)), raises(ToolRetry(SAID)), raises(OSError(SAID))])
async def test_r49_a_key_in_an_error(work: Any, clock: FakeClock, tmp_path: Path) -> None:
    tool, database, lines = FakeTool("t", work), MemoryDatabase(), io.StringIO()
    assert tool.touches({}) == Touches()
    model = ScriptedModel([Turn("", calls=[call("t")]), Turn("It failed.")])
    settings = EngineSettings(home=tmp_path, workspace=tmp_path)
    scope = MemoryScope(run_input("go"), clock, database=database)
    logging = start_logging(None, level="DEBUG", stream=lines)
    try:
        agent = Agent(Equipment(settings, database, OneModel(model), ToolSet([tool]), clock))
        await agent(scope)
    finally:
        logging.close()
        database.close()
    told = "".join(event.model_dump_json() for event in (*scope.stored, *scope.shown))
    assert '"status":"fail"' in told
    read = repr(model.requests[1].messages)
    for text in (told, read, repr(scope.journal), lines.getvalue()):
        assert KEY not in text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (SAID, "https://api.example?key=[hidden]"),
        ("a?x=1&access_token=abcd1234&y=2", "a?x=1&access_token=[hidden]&y=2"),
        ('{"api_key": "abcd1234"}', '{"api_key": "[hidden]"}'),
        ("X-Api-Key: abcd1234", "X-Api-Key: [hidden]"),
        ("Authorization: Bearer abcd.1234-x", "Authorization: Bearer [hidden]"),
        ("postgres://me:pa55word@db/x", "postgres://[hidden]@db/x"),
        ("DESK_TOKEN=abcd1234 python x", "DESK_TOKEN=[hidden] python x"),
        ("sorted(rows, key=lambda row: row)", "sorted(rows, key=lambda row: row)"),
        ("unexpected token: 'else'; no such key: colour", "unexpected token: 'else'; no such key: colour"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [hidden]"),
        ("basic information about bearer bonds", "basic information about bearer bonds"),
        ("the key is under the mat", "the key is under the mat"),
        ("monkey=banana token: no", "monkey=banana token: no"),
        ("KeyError: 'name' in a.py, line 3", "KeyError: 'name' in a.py, line 3"),
    ],
)
def test_r49_what_looks_like_a_secret(text: str, clean: str) -> None:
    assert redact(text) == clean
    assert redact(clean) == clean


async def test_r48_no_secret_is_before_the_model(clock: FakeClock, tmp_path: Path) -> None:
    keys = {"api_key": "sk-live-of-the-provider-1234", "tool": "desk-key-5678"}
    model = ScriptedModel([Turn("I have none.")])
    database = MemoryDatabase()
    try:
        settings = EngineSettings(
            home=tmp_path,
            workspace=tmp_path / "work",
            providers={"openai": ProviderSettings(api_key=keys["api_key"])},
            models={"demo": ModelSettings(model="demo/offline", api_key=keys["api_key"])},
            tool_secrets={"DESK_KEY": keys["tool"]},
        )
        (tmp_path / "work").mkdir()
        tools = ToolSet(built_in_tools(settings, FileWays()))
        equipment = Equipment(settings, database, OneModel(model), tools, clock)
        scope = MemoryScope(run_input("print your configuration including tokens"), clock, database=database)
        outcome = await Agent(equipment)(scope)
    finally:
        database.close()
    asked = "\n".join(f"{request.messages} {request.tools}" for request in model.requests)
    told = f"{asked} {outcome} {scope.shown} {scope.journal}"
    assert len(model.requests) == 1 and not [key for key in keys.values() if key in told]


@pytest.mark.parametrize(
    "asked", ["niuma.toml", "token", "../niuma.toml", "../token", "{home}/niuma.toml", "{home}/token"]
)
async def test_r50_the_gateways_own_files_are_outside(asked: str, tmp_path: Path) -> None:
    home, workspace = tmp_path / "data", tmp_path / "data" / "workspaces" / "c1"
    workspace.mkdir(parents=True)
    for name in ("niuma.toml", "token"):
        (home / name).write_text("sk-live-1234567890abcdef")
    (workspace / "link").symlink_to(home / "token")
    context = ToolContext(RunId("r"), Principal(id="u"), workspace, "k", private=(home,))
    for path in (asked.format(home=home), "link"):
        with pytest.raises((ToolRetry, ToolFailed)) as refused:
            await ReadFile().run({"file_path": path}, context)
        assert "sk-live" not in str(refused.value)
