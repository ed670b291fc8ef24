"""Where `niuma agent` shows its run: a surface that prints each finished step and keeps nothing for later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

from engine.events import TOOL_TYPES, RunEvent
from engine.messages import RunId
from engine.ports import Delivered, JournalStep, Json, Opening, Outcome, Owed

_LINE_CHARS = 160


class TraceSurface:
    """Shows the runs of one conversation on a terminal; runs of others in the same store are left owed.

    Implements `engine.ports.Surface`. `write` gets whole lines; `None` shows nothing. Questions to the person wait in
    `questions`.
    """

    def __init__(self, address: str, write: Callable[[str], None] | None) -> None:
        self._address = address
        self._write = write
        self._last_text = ""
        self._seen: set[tuple[str, str, str]] = set()
        self._mine: set[RunId] = set()
        self.questions: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def open(self, opening: Opening, journal: JournalStep) -> None:
        """See `Surface.open`."""
        if opening.to == self._address:
            self._mine.add(opening.run)

    def show(self, event: RunEvent) -> None:
        """See `Surface.show`."""
        content = event.content
        if event.type in ("approval", "choice") and isinstance(content, dict) and content.get("state") == "pending":
            self.questions.put_nowait(content)
        line = line_of(event)
        key = (event.type, event.segment, line)
        if line and key not in self._seen:
            self._seen.add(key)
            self._put(line, is_text=event.type == "text")

    def _put(self, line: str, *, is_text: bool) -> None:
        """Write a line; a text waits for what follows it, since the last one is the answer and printed as such."""
        lines = [self._last_text, "" if is_text else line]
        self._last_text = line if is_text else ""
        if self._write is not None:
            for each in filter(None, lines):
                self._write(each)

    def state(self, run: RunId) -> Json | None:
        """See `Surface.state`."""
        return None

    async def close(self, run: RunId, outcome: Outcome, *, within_s: float) -> Delivered | Owed:
        """See `Surface.close`."""
        if run in self._mine:
            return Delivered(receipt={"channel": "cli"})
        return Owed(reason="not_here")

    async def suspend(self, run: RunId, *, resumes: bool) -> Delivered | Owed:
        """See `Surface.suspend`."""
        return Owed(reason="not_here")

    def abandon(self, run: RunId) -> None:
        """See `Surface.abandon`."""

    async def deliver(self, opening: Opening, outcome: Outcome, journal: JournalStep) -> Delivered | Owed:
        """See `Surface.deliver`: an answer that this process did not wait for is for `niuma serve`, or for nobody."""
        return Owed(reason="not_here", state=opening.known, permanent=opening.to.startswith("cli:"))


def line_of(event: RunEvent) -> str:
    """Give the line an event is worth in the trace; empty when none, as for pieces of text."""
    content = event.content
    if event.type in ("text", "thinking"):
        whole = event.status == "success" and isinstance(content, str)
        return f"  {event.type}: {_short(cast(str, content))}" if whole else ""
    if not isinstance(content, dict):
        return ""
    if event.type in TOOL_TYPES:
        return _tool_line(event, content)
    if event.type == "approval":
        return f"  approval: {content.get('tool')} {content.get('state')}"
    if event.type == "choice" and content.get("state"):
        return (
            f"  question: {_short(str(content.get('question')))} {content.get('state')} {content.get('answer') or ''}"
        )
    if event.type == "todos" and "percent" in content:
        return f"  progress: {content['percent']} %"
    if event.type == "file":
        return f"  file: {content.get('name')}"
    if event.type in ("notice", "error"):
        params = content.get("params")
        return f"  {event.type}: {content.get('code')}{f' {_json(params)}' if params else ''}"
    return ""


def _tool_line(event: RunEvent, content: dict[str, Any]) -> str:
    name = content.get("name") or event.type
    if event.status == "in_progress" or event.status is None:
        return f"  {name} {_short(_json(content.get('args') or {}))}"
    mark = "ok" if event.status == "success" else "failed"
    return f"  {name} {mark}: {_short(str(content.get('summary') or content.get('error') or ''))}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
