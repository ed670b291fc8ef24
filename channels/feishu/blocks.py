"""Each block of the neutral card as card elements. Results are remembered: a tick changes one block of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import assert_never

from channels.cards.grapheme import ceiling
from channels.cards.model import Block, Form, Image, Lane, LaneBlock, Note, Table, Text, Thinking, Todos, ToolPanel
from channels.cards.shorten import head
from channels.feishu.elements import (
    LINE_BREAK,
    MARKS,
    Piece,
    button,
    element_id,
    markdown,
    note,
    panel,
    part_id,
    piece_of,
    table,
)
from channels.feishu.growth import Texts
from channels.feishu.markdown import escape, fenced
from channels.readable import Json

_TOOL_CHARS = 1500
"""What a folded tool panel shows of its output at most; the whole of it is an artifact of the run."""
_THINKING_CHARS = 3000
_TITLE_CHARS = 200
_PLACEHOLDER_CHARS = 100
"""Source: open.feishu.cn "输入框", read 2026-02."""
_TODOS_PER_ELEMENT = 40
_LANE_BYTES = 9000
_LANE_OBJECTS = 40
_LANE_CHARS = 1500
_CELL_CHARS = 300
_TABLE_COLUMNS = 50
_TABLE_ROWS = 60


def block_pieces(block: Block, thinking_label: str, texts: Texts) -> Sequence[Piece]:
    """Give the block's top-level elements, in order; none when there is nothing to see yet."""
    if isinstance(block, Text):
        return texts.of(element_id(block.id)).pieces(block.markdown, growing=block.streaming)
    if isinstance(block, Thinking):
        return _thinking(element_id(block.id), block, thinking_label, texts)
    if isinstance(block, Lane):
        return _lane(block, thinking_label, texts)
    if isinstance(block, Table):
        return _tables(block)
    if isinstance(block, Form):
        return (_form(block),)
    return _simple(block, block.id)


def _lane_pieces(block: LaneBlock, name: str, thinking_label: str, texts: Texts) -> Sequence[Piece]:
    """Give the elements of a block inside a lane."""
    eid = element_id(name)
    if isinstance(block, Text):
        return texts.of(eid, chars=_LANE_CHARS).pieces(block.markdown, growing=block.streaming)
    if isinstance(block, Thinking):
        return _thinking(eid, block, thinking_label, texts)
    if isinstance(block, Table):
        return texts.of(eid, chars=_LANE_CHARS).pieces(_as_markdown(block), growing=False)
    return _simple(block, name)


@lru_cache(maxsize=512)
def _simple(block: Todos | ToolPanel | Image | Note, name: str) -> tuple[Piece, ...]:
    """Give the elements of a block that never grows letter by letter."""
    eid = element_id(name)
    match block:
        case Todos():
            return tuple(_todos(eid, block))
        case ToolPanel():
            return (piece_of(_tool(eid, block)),)
        case Image():
            alt = {"tag": "plain_text", "content": block.alt}
            return (piece_of({"tag": "img", "element_id": eid, "img_key": block.key, "alt": alt}),)
        case Note():
            return (piece_of(note(eid, block.text, block.tone)),) if block.text else ()
        case _:
            assert_never(block)


def _thinking(eid: str, block: Thinking, label: str, texts: Texts) -> list[Piece]:
    text = block.text
    if len(text) > _THINKING_CHARS:
        # The start moves in steps, so that between them the text still only grows.
        start = ((len(text) - _THINKING_CHARS) // 1500 + 1) * 1500
        text = "… " + text[ceiling(text, start) :]
    inside = texts.of(f"{eid}_t", chars=2 * _THINKING_CHARS, tables=0, small=True)
    children = [piece.native for piece in inside.pieces(text, growing=block.streaming)]
    return [piece_of(panel(eid, label, children, expanded=False))] if children else []


def _todos(eid: str, block: Todos) -> list[Piece]:
    lines = [escape(block.head)] if block.head else []
    lines += [f"{MARKS[item.status]} {escape(item.title)}" for item in block.items]
    groups = [lines[at : at + _TODOS_PER_ELEMENT] for at in range(0, len(lines), _TODOS_PER_ELEMENT)]
    return [piece_of(markdown(part_id(eid, number), LINE_BREAK.join(group))) for number, group in enumerate(groups)]


def _tool(eid: str, block: ToolPanel) -> Json:
    title = head(f"{MARKS[block.status]} {block.title or block.kind}", _TITLE_CHARS)
    body = block.body
    if len(body) > _TOOL_CHARS:
        half = _TOOL_CHARS // 2
        body = f"{head(body, half)}\n…\n{body[ceiling(body, len(body) - half) :]}"
    language = {"terminal": "bash", "diff": "diff", "text": ""}[block.body_kind]
    children = [markdown(f"{eid}_t", fenced(body, language), small=True)] if body.strip() else []
    return panel(eid, title, children or [markdown(f"{eid}_t", "…", small=True)], expanded=False)


def _lane(block: Lane, thinking_label: str, texts: Texts) -> tuple[Piece, ...]:
    """Give a lane as one folding part, or several when it is long: each must fit a card beside others."""
    old = texts.lanes.get(block.id)
    if old is not None and old[:2] == (block, thinking_label):
        return old[2]
    children: list[Piece] = []
    for inner in block.blocks:
        children += _lane_pieces(inner, f"{block.id}/{inner.id}", thinking_label, texts)
    panels: list[Piece] = []
    eid = element_id(block.id)
    for number, group in enumerate(_groups(children)):
        more = f" ({number + 1})" if number else ""
        title = head(f"{MARKS[block.status]} {block.title}{more}", _TITLE_CHARS)
        inside = [piece.native for piece in group] or [{"tag": "markdown", "content": "…"}]
        native = panel(part_id(eid, number), title, inside, expanded=True)
        panels.append(piece_of(native, tables=sum(piece.tables for piece in group)))
    texts.lanes[block.id] = (block, thinking_label, tuple(panels))
    return tuple(panels)


def _groups(children: list[Piece]) -> Iterable[list[Piece]]:
    """Divide a lane's elements among panels; always gives at least one."""
    group: list[Piece] = []
    size = objects = 0
    for child in children:
        if group and (size + child.room > _LANE_BYTES or objects + child.objects > _LANE_OBJECTS):
            yield group
            group, size, objects = [], 0, 0
        group.append(child)
        size, objects = size + child.bytes, objects + child.objects
    yield group


@lru_cache(maxsize=64)
def _tables(block: Table) -> tuple[Piece, ...]:
    """Give a table as native ones of a size that fits a card."""
    rows = tuple(tuple(head(cell, _CELL_CHARS) for cell in row[:_TABLE_COLUMNS]) for row in block.rows)
    if len(block.columns) > _TABLE_COLUMNS:
        block = Table(block.id, block.columns[:_TABLE_COLUMNS], rows)
    eid = element_id(block.id)
    per_table = _TABLE_ROWS
    while True:
        starts = range(0, max(1, len(rows)), per_table)
        pieces = [_table(table(part_id(eid, at), block, rows[i : i + per_table])) for at, i in enumerate(starts)]
        if per_table == 1 or all(piece.bytes <= _LANE_BYTES for piece in pieces):
            return tuple(pieces)
        per_table = max(1, per_table // 2)


def _table(native: Json) -> Piece:
    return piece_of(native, tables=1, fewer=lambda most: _as_code(native))


def _as_code(native: Json) -> Piece:
    """Give a native table again as a code block, for a card that holds as many tables as it may."""
    names = [str(column["display_name"]) for column in native["columns"]]
    rows = [[str(row[f"c{at}"]) for at in range(len(names))] for row in native["rows"]]
    text = "\n".join(" | ".join(row) for row in [names, *rows])
    return piece_of(markdown(native["element_id"], fenced(text)))


def _as_markdown(block: Table) -> str:
    """Give a table as markdown, for places where a native one is not allowed."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(escape(cell).replace("|", "&#124;") for cell in cells) + " |"

    rule = "|" + " --- |" * len(block.columns)
    return "\n".join([line(block.columns), rule, *(line(row) for row in block.rows)])


@lru_cache(maxsize=64)
def _form(block: Form) -> Piece:
    inputs: list[Json] = []
    for field in block.fields:
        element: Json = {"tag": "input", "name": field.name, "required": field.required}
        element["label"] = {"tag": "plain_text", "content": field.label}
        element["placeholder"] = {"tag": "plain_text", "content": head(field.placeholder, _PLACEHOLDER_CHARS)}
        inputs.append(element)
    eid = element_id(block.id)
    inputs.append(button(block.submit, submits=True))
    return piece_of({"tag": "form", "element_id": eid, "name": eid, "elements": inputs})
