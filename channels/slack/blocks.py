"""Each block of the neutral card as the platform's blocks. Nothing folds here: what is long is shortened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from channels.cards.grapheme import ceiling
from channels.cards.model import Block, Form, Image, Lane, LaneBlock, Note, Table, Text, Thinking, Todos, ToolPanel
from channels.cards.shorten import head, shorten
from channels.readable import Json
from channels.slack.cells import plain_cell
from channels.slack.elements import (
    LINE_CHARS,
    MARKS,
    SECTION_CHARS,
    TABLE_COLUMNS,
    TABLE_ROWS,
    Piece,
    bold,
    code_block,
    fitted,
    form_blocks,
    line,
    piece_of,
    section,
    table_block,
)
from channels.slack.escape import neutral
from channels.slack.growth import Texts, grid

_TOOL_CHARS = 500
"""What of a tool's output is shown; the whole of it is an artifact of the run."""
_THOUGHT_CHARS = 150
_CELL_CHARS = 200
_TABLE_BYTES = 8000
_TONES = {"info": "ℹ️", "success": "✅", "warning": "⚠️", "error": "❌"}


def block_pieces(block: Block, thinking_label: str, texts: Texts, thread: str) -> Sequence[Piece]:
    """Give the block's parts, in order; none when there is nothing to see yet."""
    if isinstance(block, Lane):
        title = piece_of(bold(f"{MARKS[block.status]} {block.title}"))
        inner = (
            piece for each in block.blocks for piece in _pieces(each, f"{block.id}/{each.id}", thinking_label, texts)
        )
        return [title, *inner]
    if isinstance(block, Form):
        return [piece_of(*form_blocks(block, thread))]
    return _pieces(block, block.id, thinking_label, texts)


def _pieces(block: LaneBlock, name: str, thinking_label: str, texts: Texts) -> Sequence[Piece]:
    if isinstance(block, Text):
        return texts.of(name).pieces(block.markdown, growing=block.streaming)
    if isinstance(block, Thinking):
        return _thinking(block, thinking_label)
    return _still(block)


def _thinking(block: Thinking, label: str) -> Sequence[Piece]:
    """Give one line: the newest thought while it goes on, then only that there was thinking."""
    if not block.text.strip():
        return ()
    newest = block.text[ceiling(block.text, max(0, len(block.text) - _THOUGHT_CHARS)) :]
    words = f"💭 {label}: {shorten(newest, _THOUGHT_CHARS)}" if block.streaming else f"💭 {label}"
    return (piece_of(line(words)),)


@lru_cache(maxsize=512)
def _still(block: Todos | ToolPanel | Image | Note | Table) -> tuple[Piece, ...]:
    """Give the parts of a block that never grows letter by letter."""
    if isinstance(block, Todos):
        return tuple(_todos(block))
    if isinstance(block, ToolPanel):
        return (_tool(block),)
    if isinstance(block, Table):
        return tuple(_tables(block.columns, block.rows))
    if isinstance(block, Note):
        return tuple(_note(block))
    return (piece_of(_image(block)),)


def _todos(block: Todos) -> Iterable[Piece]:
    lines = [fitted(block.head, LINE_CHARS)] if block.head else []
    lines += [f"{MARKS[item.status]} {fitted(item.title, LINE_CHARS)}" for item in block.items]
    return (piece_of(section(text)) for text in stacked(lines))


def stacked(lines: Sequence[str]) -> Iterable[str]:
    """Give lines, which are neutral, as paragraphs that fit a section each."""
    group: list[str] = []
    size = 0
    for each in lines:
        if group and size + len(each) + 1 > SECTION_CHARS:
            yield "\n".join(group)
            group, size = [], 0
        group.append(each)
        size += len(each) + 1
    if group:
        yield "\n".join(group)


def _tool(block: ToolPanel) -> Piece:
    """Give a tool's line, and its output while it matters: as it works, and when it failed."""
    title = line(fitted(f"{MARKS[block.status]} {block.title or block.kind}", LINE_CHARS))
    body = block.body.strip("\n")
    if block.status == "success" or not body.strip():
        return piece_of(title)
    if len(body) > _TOOL_CHARS:
        half = _TOOL_CHARS // 2
        body = f"{head(body, half)}\n…\n{body[ceiling(body, len(body) - half) :]}"
    return piece_of(title, code_block(body))


def _note(block: Note) -> Iterable[Piece]:
    text = neutral(block.text.strip())
    lines = f"{_TONES[block.tone]} {text}".split("\n") if text else []
    for paragraph in stacked([part for each in lines for part in _cut(each)]):
        yield piece_of(line(paragraph) if block.tone == "info" else section(paragraph))


def _cut(text: str) -> Iterable[str]:
    while len(text) > SECTION_CHARS:
        part = head(text, SECTION_CHARS)
        yield part
        text = text[len(part) :]
    yield text


def _tables(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[Piece]:
    """Give a table as native ones that fit a message each; the platform takes one a message, others become code."""
    names = [head(name, _CELL_CHARS) for name in columns[:TABLE_COLUMNS]]
    left = [[head(cell, _CELL_CHARS) for cell in row[:TABLE_COLUMNS]] for row in rows]
    while True:
        count = min(len(left), TABLE_ROWS - 1)
        while True:
            native = table_block([[plain_cell(cell) for cell in row] for row in (names, *left[:count])])
            piece = piece_of(native, plain=grid(names, left[:count]))
            if piece.bytes <= _TABLE_BYTES or count <= 1:
                break
            count //= 2
        yield piece
        left = left[count:]
        if not left:
            return


def _image(block: Image) -> Json:
    words = fitted(block.alt, 200) or "image"
    where: Json = {"image_url": block.key} if block.key.startswith("https://") else {"slack_file": {"id": block.key}}
    return {"type": "image", "alt_text": words, **where}
