"""A stream's content as its chunks build it: text, tasks, plan title, blocks, and what all of it weighs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from channels.simulators.jsons import Json, dumps
from channels.simulators.slack.options import Options

StreamEnd = Literal["", "stopped", "stopped_by_user", "expired"]


@dataclass
class Stream:
    """What a streamed message holds.

    `parts` keeps the order on screen: `{"type": "markdown_text", "text"}`, `{"type": "task", "id"}`,
    `{"type": "blocks", "blocks"}`. Times are UTC milliseconds of the simulator's clock. `first_text` is what members
    other than the recipient see until the stop.
    """

    started_ms: int
    last_ms: int
    recipient: str | None = None
    display_mode: str = "timeline"
    end: StreamEnd = ""
    plan_title: str = ""
    parts: list[Json] = field(default_factory=list[Json])
    tasks: dict[str, Json] = field(default_factory=dict[str, Json])
    final_blocks: list[Json] = field(default_factory=list[Json])
    first_text: str = ""

    @property
    def markdown(self) -> str:
        """The text so far."""
        return "".join(str(part["text"]) for part in self.parts if part["type"] == "markdown_text")

    @property
    def weight_bytes(self) -> int:
        """What counts against the total: UTF-8 bytes, a task's details and output twice.

        Source: CopilotKit#6063 and #6064, openclaw#143882, read 2026-08.
        """
        tasks = sum(_task_weight(task) for task in self.tasks.values())
        blocks = sum(len(dumps(part["blocks"]).encode()) for part in self.parts if part["type"] == "blocks")
        return len(self.markdown.encode()) + len(self.plan_title.encode()) + tasks + blocks

    def is_live(self, now_ms: int, options: Options) -> bool:
        """Tell whether appends are taken; a stream whose time is up ends here."""
        since_ms = self.started_ms if options.stream_life == "total" else self.last_ms
        if not self.end and now_ms - since_ms >= options.stream_life_s * 1000:
            self.end = "expired"
        return not self.end

    def add(self, chunks: list[Json], *, appends: bool) -> None:
        """Take chunks that were checked; `appends` decides what a task's second details or output does."""
        for chunk in chunks:
            if chunk["type"] == "markdown_text":
                self._add_text(str(chunk["text"]))
            elif chunk["type"] == "plan_update":
                self.plan_title = str(chunk["title"])
            elif chunk["type"] == "blocks":
                self.parts.append({"type": "blocks", "blocks": chunk["blocks"]})
            else:
                self._add_task(chunk, appends=appends)

    def blocks(self) -> list[Json]:
        """Give the message as blocks, as reading calls show it after the stop."""
        shown: list[Json] = []
        for part in self.parts:
            if part["type"] == "markdown_text":
                shown.append({"type": "markdown", "text": part["text"]})
            elif part["type"] == "blocks":
                shown += part["blocks"]
            elif self.display_mode == "timeline":
                shown.append(_task_card(self.tasks[str(part["id"])]))
        if self.tasks and self.display_mode == "plan":
            cards = [_task_card(task) for task in self.tasks.values()]
            shown.insert(0, {"type": "plan", "title": self.plan_title, "tasks": cards})
        return shown + self.final_blocks

    def _add_text(self, text: str) -> None:
        if self.parts and self.parts[-1]["type"] == "markdown_text":
            self.parts[-1]["text"] += text
        else:
            self.parts.append({"type": "markdown_text", "text": text})

    def _add_task(self, chunk: Json, *, appends: bool) -> None:
        task_id = str(chunk["id"])
        if task_id not in self.tasks:
            self.tasks[task_id] = {"id": task_id, "title": "", "status": "pending", "details": "", "output": ""}
            self.parts.append({"type": "task", "id": task_id})
        task = self.tasks[task_id]
        for name in ("title", "status", "sources"):
            if name in chunk:
                task[name] = chunk[name]
        for name in ("details", "output"):
            if name in chunk:
                task[name] = (str(task[name]) if appends else "") + str(chunk[name])


def _task_weight(task: Json) -> int:
    once = len(str(task["title"]).encode()) + len(str(task["id"]).encode())
    sources = len(dumps(task["sources"]).encode()) if task.get("sources") else 0
    return once + sources + 2 * (len(str(task["details"]).encode()) + len(str(task["output"]).encode()))


def _task_card(task: Json) -> Json:
    card: Json = {"type": "task_card", "task_id": task["id"], "title": task["title"], "status": task["status"]}
    for name in ("details", "output"):
        if task[name]:
            text = {"type": "rich_text_section", "elements": [{"type": "text", "text": task[name]}]}
            card[name] = {"type": "rich_text", "elements": [text]}
    return card | ({"sources": task["sources"]} if task.get("sources") else {})
