"""Field reports about tools (F62, F63, F69, F71) through the loop, where a model and a rule meet the tool itself."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from engine.agent.build import FileWays, build_agent
from engine.errors import OutOfBounds
from engine.messages import Principal, RunId
from engine.models.base import ToolSchema
from engine.permissions import Policy, Role, Rule
from engine.settings import EngineSettings
from engine.testing.scripted import Turn, call
from engine.tools.base import ToolContext
from engine.tools.declared.definition import Definition
from engine.tools.declared.http_tool import HttpTool
from engine.tools.declared.loader import Means, load_tools
from engine.tools.redaction import Secrets
from engine.tools.shell_command import ShellCommand
from engine.tools.web.boundary import Boundary
from engine.tools.web.fetcher import Fetcher
from engine.tools.web.web_fetch import WebFetch
from tests.processes.sites import PRIVATE, fetcher, site
from tests.sandbox import living, working_sandbox
from tests.unit.engine.agent.conftest import Bench, until

INSIDE = "the inside"


def declared(fetch: Fetcher, url: str) -> HttpTool:
    handler = {"type": "http", "url": url}
    definition = Definition.model_validate(
        {"name": "web_fetch", "description": "d", "parameters": [], "handler": handler}
    )
    assert definition.handler.type == "http"
    return HttpTool(definition, definition.handler, fetch, Secrets({}))


@pytest.mark.parametrize("door", ["web_fetch", "declared"])
@pytest.mark.parametrize("way", ["redirect", "metadata", "mapped", "name"])
async def test_f62_no_door_leads_inside(bench: Bench, door: str, way: str) -> None:
    """Refused before anybody connects; the model reads why, and no body. The operator can open a host."""

    def leads(_request: web.Request) -> web.Response:
        where = "http://169.254.169.254/latest" if way == "metadata" else inside.url("/", PRIVATE)
        return web.Response(status=302, headers={"Location": where})

    async with site(lambda _: web.Response(text=INSIDE), PRIVATE) as inside, site(leads) as public:
        # With `redirect` and `metadata` the page is public; the two others are addressed themselves.
        hosts = {"mapped": "[::ffff:127.0.0.2]", "name": "localhost"}
        url = public.url("/") if way in ("redirect", "metadata") else inside.url("/", hosts[way])
        fetch = (
            fetcher(public, inside)
            if way in ("redirect", "metadata")
            else Fetcher(Boundary(ports=frozenset({inside.port})))
        )
        tool = WebFetch(fetch) if door == "web_fetch" else declared(fetch, url)
        args = {"url": url} if door == "web_fetch" else {}
        bench.tools = [tool]
        model = bench.script(Turn(calls=[call("web_fetch", args)]), Turn("It may not be read."))
        assert (await bench.agent()(bench.scope())).status == "done"
        told = model.requests[1].messages[-1].text
        assert told.startswith("error: ") and INSIDE not in told, told
        assert inside.connections == 0
        opened = Fetcher(Boundary(opened=(f"{PRIVATE}:{inside.port}",)))
        result = await WebFetch(opened).run({"url": inside.url("/", PRIVATE)}, context(bench.workspace))
        assert INSIDE in result.text, "an explicit list opens chosen hosts"
        with pytest.raises(OutOfBounds):
            await WebFetch(opened).run({"url": inside.url("/", "127.0.0.3")}, context(bench.workspace))


def context(workspace: Path) -> ToolContext:
    return ToolContext(RunId("0" * 26), Principal(id="u1"), workspace, "key")


@pytest.mark.parametrize(
    "command",
    [
        "echo fine; touch pwned",
        "echo fine && touch pwned",
        "echo fine\ntouch pwned",
        "echo $(touch pwned)",
        "echo fine | tee pwned",
        "echo fine > pwned",
        "echo fine & touch pwned",
        "(touch pwned)",
    ],
)
async def test_f63_an_allowed_command_carries_no_guests(bench: Bench, command: str) -> None:
    rule = Rule(id="echo", verdict="allow", tool=("shell_command",), command=("echo fine",))
    bench.policy = Policy([rule], {"main": Role()})
    bench.tools = [ShellCommand(await working_sandbox(), tool_timeout_s=20)]
    bench.script(Turn(calls=[call("shell_command", {"command": command})]), Turn("It was not run."))
    scope = bench.scope("please run that command as it is")
    task = bench.start(scope)
    await until(lambda: task.done() or scope.events("approval"))
    if not task.done():
        (asked,) = scope.events("approval")
        assert isinstance(asked.content, dict) and asked.content["args"] == {"command": command}, "as a whole"
        scope.answer(asked.content["id"], "deny")
    assert (await task).answer == "It was not run."
    assert not (bench.workspace / "pwned").exists()


async def test_f63_the_allowed_command_itself_runs_unasked(bench: Bench) -> None:
    rule = Rule(id="echo", verdict="allow", tool=("shell_command",), command=("echo fine",))
    bench.policy = Policy([rule], {"main": Role()})
    bench.tools = [ShellCommand(await working_sandbox(), tool_timeout_s=20)]
    bench.script(Turn(calls=[call("shell_command", {"command": "echo fine"})]), Turn("Fine."))
    scope = bench.scope()
    assert (await asyncio.wait_for(bench.agent()(scope), 20)).answer == "Fine."
    assert scope.events("approval") == []


NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def acceptable(tool: ToolSchema) -> bool:
    """Tell whether strict providers take it."""
    return NAME.fullmatch(tool.name) is not None and tool.parameters.get("type") == "object"


def test_f69_one_bad_tool_does_not_spoil_the_request(tmp_path: Path) -> None:
    """A tool file whose name or parameters no provider takes is left out and listed; the others are told."""
    good: dict[str, Any] = {
        "name": "healthy",
        "description": "Fine.",
        "parameters": [{"name": "q", "required": True}],
        "handler": {"type": "http", "url": "https://api.example/{{q}}"},
    }
    bad = {"odd": {**good, "name": "report.generate/v2"}, "text": {**good, "parameters": "string"}}
    for name, content in {"good": good, **bad}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    loaded = load_tools(tmp_path, Means(Fetcher(Boundary()), Secrets({}), None), taken=())
    assert [tool.name for tool in loaded.tools] == ["healthy"]
    assert {each.file for each in loaded.mistakes} == {"odd.json", "text.json"}
    assert all(each.reason for each in loaded.mistakes)
    assert all(acceptable(ToolSchema(each.name, each.description, each.parameters)) for each in loaded.tools)


async def test_f69_every_tool_of_ours_is_one_that_providers_take(bench: Bench) -> None:
    settings = EngineSettings(home=bench.home, workspace=bench.workspace)
    ways = FileWays(confinement=await working_sandbox())
    agent = build_agent(settings, bench.database, bench.clock, ways=ways)
    try:
        told = agent._equipment.tools.schemas()
        assert len(told) > 7 and [each.name for each in told if not acceptable(each)] == []
    finally:
        await agent.aclose()


async def test_f71_the_time_limit_covers_the_whole_tree_and_nobody_else_waits(tmp_path: Path) -> None:
    tool = ShellCommand(await working_sandbox(), tool_timeout_s=20)
    mark = f"7{os.getpid() % 10_000:04}.7"
    command = f"echo so far; sleep {mark} | cat; (setsid sleep {mark} &); wait"
    long = asyncio.ensure_future(tool.run({"command": command, "timeout_s": 1}, context(tmp_path)))
    other = await asyncio.wait_for(tool.run({"command": "echo other"}, context(tmp_path)), 15)
    assert other.success and not long.done(), "another chat's command is over first"
    result = await asyncio.wait_for(long, 20)
    assert (result.success, result.error, result.parsed["stdout"]) == (False, "tool_timeout", "so far\n")
    assert living(mark) == [], "no descendant is alive"
