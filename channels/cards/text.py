"""A whole card as plain markdown, for messages where no card can be shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from channels.cards.links import inert
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
from channels.cards.panels import Words, snippet, titled, words_of

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
    words = words_of(card)
    paragraphs = [plain_block(block, words) for block in card.blocks]
    footer = card.footer.text.strip()
    text = "\n\n".join(part for part in [*paragraphs, footer] if part)
    return text or card.summary or " ".join(part for part in (card.header.title, card.header.subtitle) if part)


def plain_block(block: Block, words: Words) -> str:
    """Give one block as markdown; empty for what a reader does not need. What is plain text makes no links in it."""
    match block:
        case Text():
            return block.markdown.strip("\n")
        case Thinking():
            return ""
        case Todos():
            lines = (f"{_SIGNS[item.status]} {inert(item.title)}" for item in block.items)
            return "\n".join([*([f"**{inert(block.title)}**"] if block.title else []), *lines])
        case ToolPanel():
            return _tool(block, words)
        case Lane():
            title = f"{_SIGNS[block.status]} {inert(block.title)}"
            inner = [title, *(plain_block(part, words) for part in block.blocks)]
            return "\n\n".join(part for part in inner if part)
        case Table():
            return _table(block)
        case Image():
            return inert(f"[{block.alt}]") if block.alt else ""
        case Note():
            return inert(block.text)
        case Form():
            return "\n".join(f"{inert(field.label)}: ____" for field in block.fields)
        case _:
            assert_never(block)


def _tool(panel: ToolPanel, words: Words) -> str:
    title = f"{_SIGNS[panel.status]} {inert(titled(panel))}"
    text = snippet(panel, _LONGEST_OUTPUT, words.cut)
    if not text.strip():
        return title
    mark = "`" * max(3, _longest_ticks(text) + 1)
    language = "diff" if panel.body_kind == "diff" else ""
    return f"{title}\n{mark}{language}\n{text}\n{mark}"


def _table(table: Table) -> str:
    lines = [table.columns, ("---",) * len(table.columns), *table.rows]
    return "\n".join(_row(line) for line in lines)


def _row(cells: Iterable[str]) -> str:
    escaped = (inert(" ".join(cell.split())).replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(escaped) + " |"


def _longest_ticks(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest
