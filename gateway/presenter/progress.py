"""How far the steps of a run are, as a line over them: a bar and a number."""

from __future__ import annotations

from typing import Any

FULL, EMPTY, CELLS = "▰", "▱", 10


def bar(data: dict[str, Any]) -> str:
    """Give the line; empty for a list of to-dos, which has no number of its own."""
    percent = data.get("percent")
    if not isinstance(percent, int):
        return ""
    percent = min(100, max(0, percent))
    full = percent * CELLS // 100
    return f"{FULL * full}{EMPTY * (CELLS - full)} {percent} %"


def step_title(item: dict[str, Any]) -> str:
    """Give a step's line: how far it is stands behind its title."""
    title, percent = str(item.get("title", "")), item.get("percent")
    return f"{title} · {percent} %" if isinstance(percent, int) else title
