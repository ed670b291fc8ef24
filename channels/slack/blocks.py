"""Each block of the neutral card as the platform's blocks. Nothing folds here: what is long is shortened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from channels.cards.grapheme import ceiling
from channels.cards.model import Block, Form, Image, Lane, LaneBlock, Note, Table, Text, Thinking, Todos, ToolPanel
from channels.cards.panels import Words, in_pieces, snippet, titled
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
_CODE_CHARS = 550
"""One block of code: each character may be written as five, and a section takes 3,000."""
_THOUGHT_CHARS = 150
_CELL_CHARS = 200
_TABLE_BYTES = 8000
_TONES = {"info": "ℹ️", "success": "✅", "warning": "⚠️", "error": "❌"}


def block_pieces(block: Block, words: Words, texts: Texts, thread: str) -> Sequence[Piece]:
    """Give the block's parts, in order; none when there is nothing to see yet."""
    if isinstance(block, Lane):
        title = piece_of(bold(f"{MARKS[block.status]} {block.title}"))
        inner = (piece for each in block.blocks for piece in _pieces(each, f"{block.id}/{each.id}", words, texts))
        return [title, *inner]
    if isinstance(block, Form):
        return [piece_of(*form_blocks(block, thread))]
    return _pieces(block, block.id, words, texts)


def _pieces(block: LaneBlock, name: str, words: Words, texts: Texts) -> Sequence[Piece]:
    if isinstance(block, Text):
        return texts.of(name).pieces(block.markdown, growing=block.streaming)
    if isinstance(block, Thinking):
        return _thinking(block, words.thinking)
    return _still(block, words.cut)


def _thinking(block: Thinking, label: str) -> Sequence[Piece]:
    """Give one line: the newest thought while it goes on, then only that there was thinking."""
    if not block.text.strip():
        return ()
    newest = block.text[ceiling(block.text, max(0, len(block.text) - _THOUGHT_CHARS)) :]
    words = f"💭 {label}: {shorten(newest, _THOUGHT_CHARS)}" if block.streaming else f"💭 {label}"
    return (piece_of(line(words)),)


@lru_cache(maxsize=512)
def _still(block: Todos | ToolPanel | Image | Note | Table, cut: str) -> tuple[Piece, ...]:
    """Give the parts of a block that never grows letter by letter."""
    if isinstance(block, Todos):
        return tuple(_todos(block))
    if isinstance(block, ToolPanel):
        return tuple(_tool(block, cut))
    if isinstance(block, Table):
        return tuple(_tables(block.columns, block.rows))
    if isinstance(block, Note):
        return tuple(_note(block))
    return (piece_of(_image(block)),)


def _todos(block: Todos) -> Iterable[Piece]:
    lines = [f"{MARKS[item.status]} {fitted(item.title, LINE_CHARS)}" for item in block.items]
    if block.title:
        yield piece_of(bold(block.title))
    yield from (piece_of(section(text)) for text in stacked(lines))


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


def _tool(block: ToolPanel, cut: str) -> Iterable[Piece]:
    """Give a tool's line, and its output while it matters: as it works, when it failed, when a person has to read it.

    Of a command or a change that went well a little is shown too.
    """
    title = line(fitted(f"{MARKS[block.status]} {titled(block)}", LINE_CHARS))
    body = snippet(block, _TOOL_CHARS, cut)
    if not body.strip():
        return (piece_of(title),)
    first, *more = in_pieces(body, _CODE_CHARS)
    return (piece_of(title, code_block(first)), *(piece_of(code_block(each)) for each in more))


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
