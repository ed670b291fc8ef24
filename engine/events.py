"""What a run tells the outside.

Types are those of the team-chat event protocol we must serve (`thinking` ... `done`), plus `tool` for a tool without a
type of its own and `text approval verdict usage notice`. The presenter merges them into a card.
"""

from __future__ import annotations

from typing import Any, Literal

from engine.messages import RunId, Value

EventType = Literal[
    "thinking",
    "todos",
    "task",
    "edit_file",
    "delete_file",
    "create_file",
    "read_file",
    "bash",
    "search",
    "summary",
    "outputs",
    "error",
    "done",
    "tool",
    "text",
    "approval",
    "choice",
    "verdict",
    "usage",
    "notice",
    "file",
]
TOOL_TYPES: frozenset[EventType] = frozenset(
    {"edit_file", "delete_file", "create_file", "read_file", "bash", "search", "outputs", "tool"}
)
"""Types that show one tool call each, with the content of a tool."""
EventStatus = Literal["in_progress", "success", "fail"]
Visibility = Literal["visible", "folded", "hidden", "superseded"]
Operation = Literal["add", "update", "replace", "withdraw"]
"""add: something new; update: merge into the last of this type (or this segment); replace: the segment's content is
now this; withdraw: the segment disappears."""

MAX_BODY_BYTES = 64 * 1024
"""Largest stored event body; more goes to an artifact."""


class RunEvent(Value):
    """One thing a run tells.

    `content` is text (it concatenates) or an object (it deep-merges while `in_progress`, and is replaced on `success`
    or `fail`). `segment` names the model step or tool call it belongs to: the path of its journal step. `card` isolates
    a lane (a to-do of a task). Content by type:

    - `text`, `thinking`, `summary`: str
    - `notice`: {"code": str, "params": {...}, "tone": info | success | warning | error}
    - `TOOL_TYPES`: {"call": id, "name": str, "args": {...}, "summary": str, "body": str,
      "body_kind": terminal | diff | text, "file_path": str?, "add_lines": int?, "remove_lines": int?,
      "parsed": {...}?, "error": str?, "took_ms": int?}
    - `approval`: {"id": str, "tool": str, "args": {...}, "purpose": str, "hash": str, "for": person id,
      "deadline_ms": int, "state": pending | approved | denied | expired | stopped | changed, "by": person id?,
      "name": str?, "reason": ask | cut, "offers": {lifetime: [rank]}?, "covers": {"kind": str, "what": [str]}?,
      "lasting": lifetime?}; a lifetime is conversation | always, offered beyond the one call
    - `choice`: {"id": str, "code": str, "for": person id, "count": int, "texts": [str], "options": [str],
      "state": pending | one of the options | expired | stopped}. With the code `question` the agent asks:
      {"id", "code", "for", "deadline_ms": int, "question": str, "options": [str], "takes_words": bool, "hint": str,
      "answer": str?, "option": int?, "by": person id?, "name": str?,
      "state": pending | answered | declined | expired | stopped}
    - `todos`: {"items": [{"id": str, "title": str, "status": pending | in_progress | success | fail,
      "percent": int?, "code": str?}], "percent": int?, "name": str?}; with a `percent` of its own it is a bar
    - `usage`, one for each model call: {"model": str, "input_tokens": int, "output_tokens": int, "cost": float | None};
      of the loop's own calls also {"counted": bool, "agent": str, "took_ms": int?, "first_ms": int?,
      "failed": [{"model", "error"}], "asked": {...}, "calls": [name], "chars": int, "ended": str, "error": str?};
      `counted` false: the provider told no tokens
    - `error`: {"code": str, "params": {...}}
    - `done`: {"status": done | stopped | failed | interrupted, "elapsed_ms": int}
    - `verdict`: {"verdict": satisfied | revise | abandon, "by": person id, "name": str}
    - `task`: an object with a title; with a `card`, its title and status are those of that lane as a whole
    - `file`: {"key": str, "blob": str, "name": str, "mime": str, "size_bytes": int, "caption": str}: a file for the
      person, to be shown once; `key` names it within the run
    """

    v: int = 1
    run: RunId
    type: EventType
    content: str | dict[str, Any] = ""
    status: EventStatus | None = None
    segment: str = ""
    n: int = 0
    """Place within the segment, from 0; set when stored."""
    card: str | None = None
    executor: str = "main"
    opr: Operation = "update"
    visibility: Visibility = "visible"
    at_ms: int = 0
