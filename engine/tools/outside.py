"""The tools that reach the network, as the settings allow them: none unless they say so.

What they need is imported where they are made: most gateways have none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING

from engine.settings import EngineSettings, WebSettings
from engine.tools.base import Tool
from engine.tools.declared.folder import ToolFolder
from engine.tools.redaction import Secrets

if TYPE_CHECKING:
    from engine.tools.declared.loader import Means
    from engine.tools.declared.script_tool import ScriptRunner
    from engine.tools.web.fetcher import Fetcher


def fetcher_for(web: WebSettings) -> Fetcher:
    """Give the one way to fetch for everything that an address is given to from outside."""
    from engine.tools.web.boundary import Boundary
    from engine.tools.web.fetcher import Fetcher, Limits

    boundary = Boundary(
        ports=frozenset(web.ports),
        opened=web.open_hosts,
        closed=tuple(ip_network(text, strict=False) for text in web.closed_networks),
    )
    return Fetcher(boundary, Limits(total_s=web.timeout_s, max_bytes=web.max_bytes), proxy=web.proxy)


def web_tools(web: WebSettings) -> list[Tool]:
    """Give `web_fetch` and `web_search` where they are switched on."""
    if not web.fetch and not web.search_url:
        return []
    from engine.tools.web.json_search import JsonSearch
    from engine.tools.web.web_fetch import WebFetch
    from engine.tools.web.web_search import WebSearch

    tools: list[Tool] = [WebFetch(fetcher_for(web))] if web.fetch else []
    if web.search_url:
        tools.append(WebSearch(JsonSearch(web.search_url, _fetcher_of_search(web))))
    return tools


def means_of(settings: EngineSettings, runner: ScriptRunner | None) -> Means:
    """Give what the operator's tools work with; without a `runner` there are no scripts among them."""
    from engine.tools.declared.loader import Means

    return Means(fetcher_for(settings.web), Secrets(settings.tool_secrets), runner)


def tools_folder(settings: EngineSettings) -> Path | None:
    """Give the folder of the operator's tool files; `None` where none is named."""
    name = settings.agent.tools_folder
    return settings.home / name if name else None


def tool_folder(
    settings: EngineSettings,
    runner: ScriptRunner | None,
    taken: Iterable[Tool] = (),
    changed: Callable[[Iterable[Tool]], None] = lambda _tools: None,
) -> ToolFolder | None:
    """Give the operator's tools as they are at each look; `None` where no folder is named.

    `taken` are tools whose names are no longer free; `changed` takes the tools that are there from then on.
    """
    folder = tools_folder(settings)
    if folder is None:
        return None
    return ToolFolder(folder, lambda: means_of(settings, runner), taken=[tool.name for tool in taken], changed=changed)


def _fetcher_of_search(web: WebSettings) -> Fetcher:
    """Give one that reaches the operator's search engine and, where that is a private host, no other one."""
    from yarl import URL

    from engine.tools.web.boundary import Boundary, host_of
    from engine.tools.web.fetcher import Fetcher, Limits

    url = URL(web.search_url)
    port = url.port or 80
    boundary = Boundary(ports=frozenset({port}), opened=(_entry(host_of(url), port),))
    return Fetcher(boundary, Limits(total_s=web.timeout_s, max_bytes=web.max_bytes), proxy=web.proxy)


def _entry(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
