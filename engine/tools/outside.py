"""The tools that reach the network, as the settings allow them: none unless they say so.

What they need is imported where they are made: most gateways have none of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_network
from typing import TYPE_CHECKING

from engine.settings import EngineSettings, WebSettings
from engine.tools.base import Tool
from engine.tools.redaction import Secrets

if TYPE_CHECKING:
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


def declared_tools(
    settings: EngineSettings, taken: Iterable[Tool] = (), *, runner: ScriptRunner | None = None
) -> list[Tool]:
    """Give the tools of the operator's folder, if one is named. Blocks; mistakes in it are logged.

    May be called again when files have changed: `LiveToolSet.replace` takes what it gives.
    """
    folder = settings.agent.tools_folder
    if not folder:
        return []
    from engine.tools.declared.loader import Means, load_tools

    means = Means(fetcher_for(settings.web), Secrets(settings.tool_secrets), runner)
    return list(load_tools(settings.home / folder, means, taken=[tool.name for tool in taken]).tools)


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
