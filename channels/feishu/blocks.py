"""Each block of the neutral card as card elements. Results are remembered: a tick changes one block of many."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, assert_never

from channels.cards.model import Block, Form, Image, Lane, LaneBlock, Note, Table, Text, Thinking, Todos, ToolPanel
from channels.feishu.elements import MARKS, Piece, button, element_id, markdown, note, panel, piece_of, table
from channels.feishu.markdown import chunks, escape, fenced, to_platform

Json = dict[str, Any]

_TOOL_CHARS = 1500
"""What a folded tool panel shows of its output at most; the whole of it is an artifact of the run."""
_THINKING_CHARS = 3000
_TODOS_PER_ELEMENT = 40
_LANE_BYTES = 9000
_LANE_OBJECTS = 40
_CELL_CHARS = 300
_TABLE_COLUMNS = 50
_TABLE_ROWS = 60


def block_pieces(block: Block, thinking_label: str) -> tuple[Piece, ...]:
    """Give the block's top-level elements, in order; none when there is nothing to see yet."""
    if isinstance(block, Text):
        # Not remembered as a whole: it is new at every tick, its finished parts are remembered below.
        return tuple(_text(element_id(block.id), block))
    return _remembered(block, thinking_label)


@lru_cache(maxsize=512)
def _remembered(block: Block, thinking_label: str) -> tuple[Piece, ...]:
    if isinstance(block, Table):
        return _tables(block)
    if isinstance(block, Lane):
        return _lane(block, thinking_label)
    if isinstance(block, Form):
        return (piece_of(_form(block)),)
    return tuple(_simple(block, block.id, thinking_label))


@lru_cache(maxsize=256)
def without_tables(piece_content: str, eid: str) -> Piece:
    """Give a markdown element again with its tables as code, for a card that holds as many as it may."""
    return piece_of(markdown(eid, to_platform(piece_content, tables=0)))


@lru_cache(maxsize=512)
def _text_piece(eid: str, content: str) -> Piece:
    """Give a markdown element; of a long text only the last one changes from tick to tick."""
    return piece_of(markdown(eid, content))


def _simple(block: LaneBlock, name: str, thinking_label: str) -> list[Piece]:
    """Give the elements of a block that may also stand in a lane."""
    eid = element_id(name)
    match block:
        case Text():
            return _text(eid, block)
        case Thinking():
            return _thinking(eid, block, thinking_label)
        case Todos():
            return _todos(eid, block)
        case ToolPanel():
            return [piece_of(_tool(eid, block))]
        case Table():
            return _text(eid, Text(block.id, _as_markdown(block)))
        case Image():
            alt = {"tag": "plain_text", "content": block.alt}
            return [piece_of({"tag": "img", "element_id": eid, "img_key": block.key, "alt": alt})]
        case Note():
            return [piece_of(note(eid, block.text, block.tone))] if block.text else []
        case _:
            assert_never(block)


def _text(eid: str, block: Text) -> list[Piece]:
    parts = chunks(block.markdown)
    pieces: list[Piece] = []
    for number, part in enumerate(parts):
        content = to_platform(part, growing=block.streaming and number == len(parts) - 1)
        if content.strip():
            pieces.append(_text_piece(_part(eid, number), content))
    return pieces


def _thinking(eid: str, block: Thinking, label: str) -> list[Piece]:
    text = block.text
    if len(text) > _THINKING_CHARS:
        # The start moves in steps, so that between them the text still only grows.
        text = "… " + text[((len(text) - _THINKING_CHARS) // 1500 + 1) * 1500 :]
    if not text.strip():
        return []
    child = markdown(f"{eid}_t", to_platform(text, tables=0, growing=block.streaming), small=True)
    return [piece_of(panel(eid, label, [child], expanded=False))]


def _todos(eid: str, block: Todos) -> list[Piece]:
    lines = [f"{MARKS[item.status]} {escape(item.title)}" for item in block.items]
    groups = [lines[at : at + _TODOS_PER_ELEMENT] for at in range(0, len(lines), _TODOS_PER_ELEMENT)]
    return [_text_piece(_part(eid, number), "\n".join(group)) for number, group in enumerate(groups)]


def _tool(eid: str, block: ToolPanel) -> Json:
    title = f"{MARKS[block.status]} {block.title or block.kind}"[:200]
    body = block.body
    if len(body) > _TOOL_CHARS:
        body = f"{body[: _TOOL_CHARS // 2]}\n…\n{body[-_TOOL_CHARS // 2 :]}"
    language = {"terminal": "bash", "diff": "diff", "text": ""}[block.body_kind]
    children = [markdown(f"{eid}_t", fenced(body, language), small=True)] if body.strip() else []
    return panel(eid, title, children or [markdown(f"{eid}_t", "…", small=True)], expanded=False)


def _lane(block: Lane, thinking_label: str) -> tuple[Piece, ...]:
    """Give a lane as one folding part, or several when it is long: each must fit a card beside others."""
    children: list[Piece] = []
    for inner in block.blocks:
        children += _simple(inner, f"{block.id}/{inner.id}", thinking_label)
    panels: list[Piece] = []
    eid = element_id(block.id)
    for number, group in enumerate(_groups(children)):
        more = f" ({number + 1})" if number else ""
        title = f"{MARKS[block.status]} {block.title}{more}"[:200]
        panels.append(piece_of(panel(_part(eid, number), title, group, expanded=True)))
    return tuple(panels)


def _groups(children: list[Piece]) -> Iterable[list[Json]]:
    """Divide a lane's elements among panels; always gives at least one, which must not be empty."""
    group: list[Json] = []
    size = objects = 0
    for child in children:
        if group and (size + child.bytes > _LANE_BYTES or objects + child.objects > _LANE_OBJECTS):
            yield group
            group, size, objects = [], 0, 0
        group.append(child.native)
        size, objects = size + child.bytes, objects + child.objects
    yield group or [{"tag": "markdown", "content": "…"}]


def _tables(block: Table) -> tuple[Piece, ...]:
    """Give a table as native ones of a size that fits a card."""
    rows = tuple(tuple(cell[:_CELL_CHARS] for cell in row[:_TABLE_COLUMNS]) for row in block.rows)
    if len(block.columns) > _TABLE_COLUMNS:
        block = Table(block.id, block.columns[:_TABLE_COLUMNS], rows)
    eid = element_id(block.id)
    per_table = _TABLE_ROWS
    while True:
        starts = range(0, max(1, len(rows)), per_table)
        pieces = [piece_of(table(_part(eid, at), block, rows[i : i + per_table])) for at, i in enumerate(starts)]
        if per_table == 1 or all(piece.bytes <= _LANE_BYTES for piece in pieces):
            return tuple(pieces)
        per_table = max(1, per_table // 2)


def table_as_text(block_native: Json) -> Piece:
    """Give a native table again as a code block, for a card that holds as many tables as it may."""
    names = [str(column["display_name"]) for column in block_native["columns"]]
    rows = [[str(row[f"c{at}"]) for at in range(len(names))] for row in block_native["rows"]]
    text = "\n".join(" | ".join(row) for row in [names, *rows])
    return piece_of(markdown(block_native["element_id"], fenced(text)))


def _as_markdown(block: Table) -> str:
    """Give a table as markdown, for places where a native one is not allowed."""

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(escape(cell).replace("|", "&#124;") for cell in cells) + " |"

    rule = "|" + " --- |" * len(block.columns)
    return "\n".join([line(block.columns), rule, *(line(row) for row in block.rows)])


def _form(block: Form) -> Json:
    inputs: list[Json] = []
    for field in block.fields:
        element: Json = {"tag": "input", "name": field.name, "required": field.required}
        element["label"] = {"tag": "plain_text", "content": field.label}
        element["placeholder"] = {"tag": "plain_text", "content": field.placeholder[:100]}
        inputs.append(element)
    eid = element_id(block.id)
    return {"tag": "form", "element_id": eid, "name": eid, "elements": [*inputs, button(block.submit, submits=True)]}


def _part(eid: str, number: int) -> str:
    return eid if number == 0 else f"{eid}_{number}"
