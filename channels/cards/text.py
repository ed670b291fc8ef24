"""A whole card as plain markdown, for messages where no card can be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from channels.cards.markdown import link_images, split
from channels.cards.model import (
    Block,
    Card,
    Form,
    Image,
    Lane,
    Note,
    Table,
    Text,
    Thinking,
    Todos,
    ToolPanel,
    WorkStatus,
)

_SIGNS: dict[WorkStatus, str] = {"pending": "○", "in_progress": "…", "success": "✓", "fail": "✗"}
_LONGEST_OUTPUT = 600


def plain_messages(card: Card, *, max_bytes: int) -> list[str]:
    """Give the card as messages of at most `max_bytes` UTF-8 bytes each, in reading order, each balanced markdown.

    Everything a reader needs is in them; thinking and buttons are left out, long tool output is shortened.
    """
    text = link_images(plain_text(card))
    return split(text, max_bytes, measure=lambda part: len(part.encode()))


def plain_text(card: Card) -> str:
    """Give the card as one text: the answer first, the small print last; never empty."""
    paragraphs = [plain_block(block) for block in card.blocks]
    footer = card.footer.text.strip()
    text = "\n\n".join(part for part in [*paragraphs, footer] if part)
    return text or card.summary or " ".join(part for part in (card.header.title, card.header.subtitle) if part)


def plain_block(block: Block) -> str:
    """Give one block as markdown; empty for what a reader does not need."""
    match block:
        case Text():
            return block.markdown.strip("\n")
        case Thinking():
            return ""
        case Todos():
            lines = (f"{_SIGNS[item.status]} {item.title}" for item in block.items)
            return "\n".join([*([block.head] if block.head else []), *lines])
        case ToolPanel():
            return _tool(block)
        case Lane():
            inner = [f"{_SIGNS[block.status]} {block.title}", *(plain_block(part) for part in block.blocks)]
            return "\n\n".join(part for part in inner if part)
        case Table():
            return _table(block)
        case Image():
            return f"[{block.alt}]" if block.alt else ""
        case Note():
            return block.text
        case Form():
            return "\n".join(f"{field.label}: ____" for field in block.fields)
        case _:
            assert_never(block)


def _tool(panel: ToolPanel) -> str:
    title = f"{_SIGNS[panel.status]} {panel.title}"
    body = panel.body.strip("\n")
    if panel.status == "success" or not body:
        return title
    shown = split(body, _LONGEST_OUTPUT)
    text = shown[0] + ("\n…" if len(shown) > 1 else "")
    mark = "`" * max(3, _longest_ticks(text) + 1)
    return f"{title}\n{mark}\n{text}\n{mark}"


def _table(table: Table) -> str:
    lines = [table.columns, ("---",) * len(table.columns), *table.rows]
    return "\n".join(_row(line) for line in lines)


def _row(cells: Iterable[str]) -> str:
    escaped = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def _longest_ticks(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest
