"""The events that show a tool call."""

from __future__ import annotations

import json
from typing import Any

from engine.agent.state import CallResult, Rejected, Reviewed
from engine.events import TOOL_TYPES, EventType, RunEvent
from engine.messages import RunId
from engine.tools.base import ToolResult
from engine.tools.cut import cut
from engine.tools.progress import Steps

MAX_PANEL_CHARS = 8_000
MAX_PARSED_CHARS = 16_000
MAX_ARG_CHARS = 1_000
BAR = "progress"
"""The segment of a run's steps, whichever call moved them."""
COUNTS = ("add_lines", "remove_lines")
"""What the protocol tells of a changed file, beside its `file_path`."""


def opening_event(run: RunId, path: str, item: Reviewed, at_ms: int) -> RunEvent:
    """Tell that the call begins."""
    return RunEvent(
        run=run, type=item.tool.event_type, content=_head(item), status="in_progress", segment=path, at_ms=at_ms
    )


def closing_event(run: RunId, path: str, item: Reviewed | Rejected, value: CallResult, at_ms: int) -> RunEvent:
    """Tell what came of the call."""
    result = value.result
    content = {
        **_head(item),
        "summary": cut(result.summary, MAX_ARG_CHARS),
        "body": cut(result.body, MAX_PANEL_CHARS),
        "body_kind": result.body_kind,
        "parsed": _bounded(result),
        "error": result.error,
        "took_ms": value.took_ms,
        **{name: result.parsed[name] for name in COUNTS if name in result.parsed},
    }
    return RunEvent(
        run=run,
        type=_type_of(item),
        content=content,
        status="success" if result.success else "fail",
        segment=path,
        at_ms=at_ms,
    )


def bar_event(run: RunId, value: CallResult, at_ms: int) -> RunEvent:
    """Tell how far the steps of the run are: always in the same place of the card."""
    content = Steps.model_validate(value.result.parsed["steps"]).content()
    return RunEvent(run=run, type="todos", content=content, status="success", segment=BAR, opr="replace", at_ms=at_ms)


def _type_of(item: Reviewed | Rejected) -> EventType:
    """Give the type of a panel; what is shown in another way while it works, a question or a bar, fails as a tool."""
    return item.tool.event_type if isinstance(item, Reviewed) and item.tool.event_type in TOOL_TYPES else "tool"


def _head(item: Reviewed | Rejected) -> dict[str, Any]:
    head: dict[str, Any] = {"call": item.call.id, "name": item.call.name, "args": {}}
    if isinstance(item, Reviewed):
        head["args"] = {name: _short(value) for name, value in item.args.items()}
        if isinstance(item.args.get("file_path"), str):
            head["file_path"] = item.args["file_path"]
    return head


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value, MAX_ARG_CHARS)
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= MAX_ARG_CHARS else cut(text, MAX_ARG_CHARS)


def _bounded(result: ToolResult) -> dict[str, Any]:
    size = len(json.dumps(result.parsed, ensure_ascii=False, default=str))
    return result.parsed if size <= MAX_PARSED_CHARS else {"cut": True, "chars": size}
