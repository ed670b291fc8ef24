"""Takes the tables out of markdown, for platforms that have a table component of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

Align = Literal["left", "center", "right"]
_PARSER = MarkdownIt("commonmark").enable("table")
_DELIMITER = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*\|", re.M)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Markdown without tables, never empty."""

    markdown: str


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A table; cells are inline markdown, every row has as many cells as there are columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    markdown: str
    """The table as it stood in the text."""
    aligns: tuple[Align, ...] = ()
    """Of each column."""


Piece = TextPiece | TablePiece


@lru_cache(maxsize=256)
def pieces(markdown: str) -> tuple[Piece, ...]:
    """Give a text as pieces in order; joined, their markdown is the text. Tables inside quotes and lists stay text."""
    if not _DELIMITER.search(markdown):
        return (TextPiece(markdown),) if markdown else ()
    lines = markdown.splitlines(keepends=True)
    found: list[Piece] = []
    end = 0
    tokens = _PARSER.parse(markdown)
    for index, token in enumerate(tokens):
        if token.type != "table_open" or token.level != 0 or token.map is None:
            continue
        first, stop = token.map
        _add_text(found, lines[end:first])
        found.append(_table(tokens[index:], "".join(lines[first:stop])))
        end = stop
    _add_text(found, lines[end:])
    return tuple(found)


def _add_text(found: list[Piece], lines: list[str]) -> None:
    if lines:
        found.append(TextPiece("".join(lines)))


def _table(tokens: list[Token], markdown: str) -> TablePiece:
    rows: list[list[str]] = []
    aligns: list[Align] = []
    for index, token in enumerate(tokens):
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(tokens[index + 1].content)
            if token.type == "th_open":
                aligns.append(_align_of(token))
    columns = tuple(rows[0])
    body = tuple(tuple(row[: len(columns)]) + ("",) * (len(columns) - len(row)) for row in rows[1:])
    return TablePiece(columns, body, markdown, tuple(aligns))


def _align_of(head: Token) -> Align:
    style = str(head.attrGet("style") or "")
    return "right" if style.endswith("right") else "center" if style.endswith("center") else "left"
