"""What of a card can be streamed: text that only grows, and tasks that change in place.

Source: docs.slack.dev chat.startStream (chunks `markdown_text` and `task_update`), read 2026-08; the size of a stream,
with the fields of tasks counted twice: CopilotKit#6063, openclaw#143882.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from channels.cards.markdown import Rewriting
from channels.cards.model import Card, CardStatus, Text, Thinking, Todos, ToolPanel, WorkStatus
from channels.cards.panels import titled
from channels.readable import Json, dump
from channels.slack.elements import fitted
from channels.slack.escape import Dialect, neutral, settled_tail

STREAM_BYTES = 9_000
"""For all of one stream; users met the end at 10,600 to 11,300."""
_TITLE_CHARS = 200
_STATES: Mapping[WorkStatus, str] = {
    "pending": "pending",
    "in_progress": "in_progress",
    "success": "complete",
    "fail": "error",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a stream shows: its text, and by id each task's title and state, in order."""

    text: str = ""
    tasks: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    spent_bytes: int = 0
    """What was sent for it so far; the platform counts repeats."""

    def follows(self, shown: Draft) -> bool:
        """Tell whether this is `shown` with more to it: nothing that was streamed can be taken back."""
        return self.text.startswith(shown.text) and shown.tasks.keys() <= self.tasks.keys()

    def chunks_after(self, shown: Draft) -> list[Json]:
        """Give what must be appended to `shown`."""
        changed = [(name, task) for name, task in self.tasks.items() if shown.tasks.get(name) != task]
        chunks: list[Json] = [
            {"type": "task_update", "id": name, "title": title, "status": state} for name, (title, state) in changed
        ]
        added = self.text[len(shown.text) :]
        return [*chunks, {"type": "markdown_text", "text": added}] if added else chunks

    def after(self, shown: Draft) -> Draft:
        """Give this draft with what it will have cost, appended to `shown`."""
        cost = sum(_weight(chunk) for chunk in self.chunks_after(shown))
        return replace(self, spent_bytes=shown.spent_bytes + cost)


class Drafting:
    """Draws the drafts of one card, snapshot after snapshot."""

    def __init__(self) -> None:
        self._texts: dict[str, Rewriting[Dialect]] = {}

    def of(self, card: Card) -> Draft | None:
        """Give what a stream can show of this snapshot; `None` where only a message of blocks can."""
        if card.header.status not in (CardStatus.QUEUED, CardStatus.WORKING):
            return None
        texts: list[str] = []
        tasks: dict[str, tuple[str, str]] = {}
        for block in card.blocks:
            if isinstance(block, Text):
                texts.append(self._text(block))
            elif isinstance(block, ToolPanel):
                tasks[block.id] = (_title(titled(block)), _STATES[block.status])
            elif isinstance(block, Todos):
                tasks |= _head(block)
                tasks |= {f"{block.id}.{item.id}": (_title(item.title), _STATES[item.status]) for item in block.items}
            elif not isinstance(block, Thinking):
                return None
        text = neutral("\n\n".join(each for each in texts if each))
        return Draft(settled_tail(text), tasks)

    def words_of(self, card: Card) -> Draft | None:
        """Give what a stream that cannot be ended now can show of a last snapshot: its words and tasks."""
        blocks = tuple(block for block in card.blocks if isinstance(block, Text | ToolPanel | Todos))
        return self.of(replace(card, header=replace(card.header, status=CardStatus.WORKING), blocks=blocks))

    def _text(self, block: Text) -> str:
        rewriting = self._texts.setdefault(block.id, Rewriting(Dialect()))
        return rewriting.of(block.markdown, growing=block.streaming).strip("\n")


def _head(block: Todos) -> dict[str, tuple[str, str]]:
    """Give the line over a list as a task of its own, which is done when all of them are."""
    if not block.title:
        return {}
    is_done = all(item.status == "success" for item in block.items)
    return {f"{block.id}.head": (_title(block.title), _STATES["success" if is_done else "in_progress"])}


def _title(text: str) -> str:
    return fitted(text, _TITLE_CHARS) or "…"


def _weight(chunk: Json) -> int:
    size = len(dump(chunk).encode())
    return size if chunk["type"] == "markdown_text" else 2 * size
