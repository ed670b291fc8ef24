"""The outcome of `niuma agent` as data; other programs rely on its form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.events import TOOL_TYPES, RunEvent
from engine.messages import Usage


def result_data(events: Sequence[RunEvent]) -> dict[str, Any]:
    """Give model, usage and finished tool calls of a run: `{"model": "", "usage": {}, "tools": [...]}`."""
    model, usage, uncounted = "", Usage(), 0
    tools: list[dict[str, Any]] = []
    for event in events:
        if not isinstance(event.content, dict):
            continue
        if event.type == "usage":
            model = str(event.content.get("model") or model)
            usage = usage + Usage.model_validate(event.content)
            uncounted += event.content.get("counted") is False
        elif event.type in TOOL_TYPES and event.status in ("success", "fail"):
            tools.append(_tool(event, event.content))
    told = usage.model_dump(mode="json")
    # Nothing known is not nothing used.
    return {"model": model, "usage": told | ({"uncounted_calls": uncounted} if uncounted else {}), "tools": tools}


def _tool(event: RunEvent, content: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": content.get("name") or event.type,
        "args": content.get("args") or {},
        "status": event.status,
        "parsed": content.get("parsed") or {},
        "summary": content.get("summary") or "",
        "error": content.get("error"),
    }
