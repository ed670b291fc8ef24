"""Text that grows as markdown blocks: what is finished is converted once and kept."""

from __future__ import annotations

from collections.abc import Sequence

from channels.cards.markdown import Parts
from channels.cards.shorten import head
from channels.cards.tables import TablePiece, pieces
from channels.kept import Kept
from channels.readable import Json
from channels.slack.cells import markdown_cell
from channels.slack.elements import (
    SECTION_CHARS,
    TABLE_COLUMNS,
    TABLE_ROWS,
    Piece,
    code_block,
    markdown_block,
    piece_of,
    table_block,
)
from channels.slack.escape import markdown

PART_BYTES = 2800
"""One markdown block holds at most this much: small enough to fill messages well."""
_KEPT = 200
_CELL_CHARS = 60
_LINE_CHARS = SECTION_CHARS // 6


def utf8(text: str) -> int:
    """Give the size of a text in UTF-8 bytes."""
    return len(text.encode())


class Growing:
    """One text block of a card."""

    def __init__(self) -> None:
        self._parts = Parts(PART_BYTES, measure=utf8)
        self._done: dict[str, tuple[Piece, ...]] = {}

    def pieces(self, text: str, *, growing: bool) -> list[Piece]:
        """Give the blocks that show `text`; of a growing one an unfinished tail is held back."""
        parts = [part for part in self._parts.of(text, growing=growing) if part.strip()]
        self._done = {part: self._done.get(part) or tuple(_converted(part)) for part in parts}
        return [piece for part in parts for piece in self._done[part]]


class Texts:
    """The growing texts of one card, by block id."""

    def __init__(self) -> None:
        self._texts: Kept[str, Growing] = Kept(_KEPT)

    def of(self, name: str) -> Growing:
        """Give the text of a block."""
        text = self._texts[name] = self._texts.get(name) or Growing()
        return text


def _converted(part: str) -> list[Piece]:
    """Give one part of a text as blocks: its tables as native ones, with their words as code where none is left."""
    found: list[Piece] = []
    for piece in pieces(part):
        if isinstance(piece, TablePiece):
            if len(piece.columns) <= TABLE_COLUMNS and len(piece.rows) < TABLE_ROWS:
                code = grid(piece.columns, piece.rows)
                cells = [[markdown_cell(cell) for cell in row] for row in (piece.columns, *piece.rows)]
                found.append(piece_of(table_block(cells, piece.aligns), plain=code))
            else:
                found.append(piece_of(*grid(piece.columns, piece.rows)))
        elif text := markdown(piece.markdown).strip("\n"):
            found.append(piece_of(markdown_block(text)))
    return found


def grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Json]:
    """Give a table as aligned lines of code, in as many blocks as it needs."""
    lines = [[" ".join(cell.split()) for cell in row] for row in (columns, *rows)]
    widths = [min(_CELL_CHARS, max(len(row[at]) for row in lines if at < len(row))) for at in range(len(columns))]
    texts = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in lines]
    blocks: list[Json] = []
    group: list[str] = []
    for text in (part for whole in texts for part in _cut(whole)):
        if group and _size([*group, text]) > SECTION_CHARS - 100:
            blocks.append(code_block("\n".join(group)))
            group = []
        group.append(text)
    return [*blocks, code_block("\n".join(group))] if group else blocks


def _cut(text: str) -> list[str]:
    parts: list[str] = []
    while len(text) > _LINE_CHARS:
        parts.append(head(text, _LINE_CHARS) or text[:_LINE_CHARS])
        text = text[len(parts[-1]) :]
    return [*parts, text]


def _size(lines: Sequence[str]) -> int:
    """Give the characters of these lines as entities are written."""
    return sum(len(each) + 4 * (each.count("<") + each.count(">") + each.count("&")) + 1 for each in lines)
