"""Nothing reaches the network unless the settings say so, and then only what they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web
from pydantic import ValidationError

from engine.agent.build import build_agent
from engine.errors import OutOfBounds
from engine.messages import Principal, RunId
from engine.settings import AgentSettings, EngineSettings, WebSettings
from engine.testing.database import MemoryDatabase
from engine.tools.base import ToolContext
from engine.tools.outside import tool_folder, web_tools
from gateway.clock import FakeClock
from tests.processes.sites import PRIVATE, site


def names_of(settings: EngineSettings, clock: FakeClock) -> tuple[str, ...]:
    database = MemoryDatabase()
    try:
        return build_agent(settings, database, clock)._equipment.tools.names
    finally:
        database.close()


BUILT_IN = ("project_scan", "read_file", "ask_user", "progress")
BUILT_IN += ("write_file", "create_file", "edit_file", "delete_file", "send_note")


async def test_off_by_default(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert names_of(EngineSettings(home=tmp_path), clock) == BUILT_IN


async def test_on_by_settings(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "tools").mkdir()
    handler = {"type": "http", "url": "https://api.example/"}
    for name in ("ping", "read_file"):
        (tmp_path / "tools" / f"{name}.json").write_text(
            json.dumps({"name": name, "description": "d", "handler": handler})
        )
    settings = EngineSettings(
        home=tmp_path,
        agent=AgentSettings(tools_folder="tools"),
        web=WebSettings(fetch=True, search_url="https://search.example"),
    )
    assert names_of(settings, clock)[len(BUILT_IN) :] == ("web_fetch", "web_search", "ping")


async def test_the_operators_settings_reach_the_guard(tmp_path: Path) -> None:
    context = ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k")
    async with site(lambda _: web.json_response({"results": []}), PRIVATE) as inner:
        opened = f"{PRIVATE}:{inner.port}"
        (fetch,) = web_tools(WebSettings(fetch=True, open_hosts=(opened,)))
        assert "results" in (await fetch.run({"url": inner.url()}, context)).text
        (shut,) = web_tools(WebSettings(fetch=True, ports=(inner.port,)))
        with pytest.raises(OutOfBounds):
            await shut.run({"url": inner.url()}, context)
        (closed,) = web_tools(WebSettings(fetch=True, closed_networks=("8.0.0.0/8",)))
        with pytest.raises(OutOfBounds, match="closed"):
            await closed.run({"url": "http://8.8.8.8/"}, context)
        # The search engine's private host is for searching, not for reading.
        fetch, search = web_tools(WebSettings(fetch=True, search_url=inner.url(""), ports=(80, inner.port)))
        assert (await search.run({"query": "x"}, context)).text == "Nothing was found."
        with pytest.raises(OutOfBounds):
            await fetch.run({"url": inner.url()}, context)


async def test_tool_files_get_the_secrets_they_are_given(tmp_path: Path) -> None:
    context = ToolContext(RunId("r"), Principal(id="u"), tmp_path, "k")
    async with site(lambda _: web.json_response({}), PRIVATE) as inner:
        handler = {"type": "http", "url": inner.url(), "headers": {"X-Key": "${KEY}"}}
        (tmp_path / "a.json").write_text(json.dumps({"name": "a", "description": "d", "handler": handler}))
        settings = EngineSettings(
            home=tmp_path,
            agent=AgentSettings(tools_folder=str(tmp_path)),
            web=WebSettings(open_hosts=(f"{PRIVATE}:{inner.port}",)),
            tool_secrets={"KEY": "s3cret"},
        )
        folder = tool_folder(settings, None)
        assert folder is not None
        (tool,) = folder.look().tools
        await tool.run({}, context)
        assert inner.headers[0]["X-Key"] == "s3cret"
        assert "s3cret" not in repr(settings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"ports": (0,)},
        {"open_hosts": ("http://wiki.example",)},
        {"open_hosts": ("*",)},
        {"closed_networks": ("nonsense",)},
        {"proxy": "http://u:p@proxy.example"},
        {"search_url": "search.example"},
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        WebSettings.model_validate(wrong)
