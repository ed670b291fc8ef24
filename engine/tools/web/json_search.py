"""A search engine that answers `GET /search?q=...&format=json` as SearXNG does.

Source: docs.searxng.org "Search API" (`results[].title|url|content`, `format=json` must be enabled), read 2026-11.
"""

from __future__ import annotations

import json
from typing import Any, cast

from yarl import URL

from engine.errors import ToolFailed
from engine.tools.cut import clean, cut
from engine.tools.web.boundary import host_of
from engine.tools.web.decoding import decode
from engine.tools.web.fetcher import Ask, Fetcher
from engine.tools.web.hidden import one_line
from engine.tools.web.links import absolute
from engine.tools.web.search_provider import Hit

MAX_SNIPPET_CHARS = 400
MAX_TITLE_CHARS = 200


class JsonSearch:
    """`base` is where it lies (`https://search.example`); `fetcher` is its own: that host may be a private one."""

    def __init__(self, base: str, fetcher: Fetcher) -> None:
        self._search = URL(base.rstrip("/") + "/search")
        self._fetcher = fetcher

    @property
    def host(self) -> str:
        """See `SearchProvider.host`."""
        return host_of(self._search)

    async def search(self, query: str, count: int) -> list[Hit]:
        """See `SearchProvider.search`."""
        url = self._search.with_query({"q": query, "format": "json"})
        reply = await self._fetcher.fetch(Ask(str(url), accept="application/json"))
        if reply.status != 200 or reply.onward:
            raise ToolFailed(f"the search engine answers with the status {reply.status}")
        return _hits(decode(reply.body, reply.charset))[:count]


def _hits(text: str) -> list[Hit]:
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise ToolFailed("the search engine does not answer in JSON; is its JSON format enabled?") from None
    rows: Any = cast("dict[str, Any]", data).get("results") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ToolFailed("the search engine's answer has no list of results")
    found = [_hit(cast("dict[str, Any]", row)) for row in cast("list[Any]", rows) if isinstance(row, dict)]
    return [hit for hit in found if hit is not None]


def _hit(row: dict[str, Any]) -> Hit | None:
    url = absolute(str(row.get("url") or ""), "")
    if not url.startswith(("http://", "https://")):
        return None
    title, snippet = (one_line(clean(str(row.get(key) or ""))) for key in ("title", "content"))
    return Hit(cut(title or url, MAX_TITLE_CHARS), url, cut(snippet, MAX_SNIPPET_CHARS))
