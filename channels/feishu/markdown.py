"""CommonMark in the platform's dialect: what its markdown element shows differently, lets vanish or refuses.

Source: open.feishu.cn "富文本组件" (card JSON 2.0 markdown), read 2026-02; refusals (11310, 200570) as users
reported them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from channels.cards.links import honest_link, unlinked
from channels.cards.markdown import Rewriting, image_link
from channels.cards.scan import Atom, Kind
from channels.feishu.calls import silent

TABLES_PER_ELEMENT = 4

_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]+)>")
_POINTED = re.compile(r"\]\(<([^<>\n]*)>")
_QUOTE = re.compile(r"(?:[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)*[ \t]*(?:>[ \t]?)+")
_QUOTED_CODE = re.compile(r"(?:[ \t]*>[ \t]?)+")
_DASHES = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*")
_RULE_SO_FAR = re.compile(r"[ \t|:]*-[ \t|:-]*")
_CODE = frozenset({Kind.FENCE_OPEN, Kind.CODE, Kind.FENCE_CLOSE})
_SPECIAL = str.maketrans({char: f"&#{ord(char)};" for char in "\\`*_[]<>~#&"})
_BRACKETS = str.maketrans({"<": "&#60;", ">": "&#62;"})


def escape(text: str) -> str:
    """Give plain text that a markdown element shows as it is, on one line."""
    return " ".join(text.split("\n")).translate(_SPECIAL)


def fenced(text: str, language: str = "") -> str:
    """Give plain text as a code block."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{silent(text)}\n{fence}"


def to_platform(markdown: str, *, tables: int = TABLES_PER_ELEMENT) -> str:
    """Give finished markdown that shows the same here; further tables than `tables` become code."""
    return Rewriting(Dialect(tables)).of(markdown, growing=False)


class Dialect:
    """The `Rule` of one markdown element: what stands for each atom."""

    def __init__(self, tables: int = TABLES_PER_ELEMENT) -> None:
        self.tables = 0
        """Tables that stay tables, so far."""
        self._most = tables
        self._code_table = False

    def __call__(self, text: str, atom: Atom) -> str:
        """See `Rule`."""
        kind, piece = atom.kind, text[atom.start : atom.end]
        if kind is Kind.ROW:
            return piece if self._code_table else _row(piece)
        ended = self._end_of_table()
        if kind is Kind.TEXT:
            return ended + unlinked(text, atom.start, piece, lambda part, at: _prose(text, part, at))
        if kind is Kind.SOLID:
            return ended + _solid(piece)
        if kind in _CODE:
            return ended + _code(text, piece, atom)
        return ended + (self._head(piece) if kind is Kind.TABLE_HEAD else piece)

    def end(self) -> str:
        """See `Rule`."""
        return "\n```" if self._code_table else ""

    def _end_of_table(self) -> str:
        ended, self._code_table = self._code_table, False
        return "```\n" if ended else ""

    def _head(self, piece: str) -> str:
        """Begin a table; as code it keeps its words and loses the line of dashes."""
        if self.tables < self._most:
            self.tables += 1
            head, end, rule = piece.partition("\n")
            return _inline(head) + end + rule
        self._code_table = True
        return "```\n" + piece.partition("\n")[0] + "\n"


def _prose(text: str, piece: str, start: int) -> str:
    """Show angle brackets as such, but for the signs of a quote at the start of the line; let no rule begin a table."""
    if not any(sign in piece for sign in "<>|"):
        return piece
    line = text.rfind("\n", 0, start) + 1
    quote = _QUOTE.match(text, line, start + len(piece))
    kept = max(0, quote.end() - start) if quote else 0
    rest = _unruled(text, line, start + kept, piece[kept:]) if "|" in piece else piece[kept:]
    return piece[:kept] + rest.translate(_BRACKETS)


def _unruled(text: str, line: int, start: int, piece: str) -> str:
    """Write the bars of a line that so far is a table's rule as entities.

    The platform makes a table of it below any line with as many cells, and the tables of an element are counted here.
    """
    return "".join(
        "&#124;" if char == "|" and _RULE_SO_FAR.fullmatch(text, line, start + place) else char
        for place, char in enumerate(piece)
    )


def _solid(piece: str) -> str:
    first = piece[0]
    if first in "`&":
        return piece
    if first == "!":
        # One picture that was not uploaded by us makes the platform refuse the whole card, and a text has none that
        # was: a key in it is made up.
        piece = image_link(piece)
    if first == "\\":
        return piece[1].translate(_BRACKETS) if piece[1] in "<>" else piece
    if first == "<" and (link := _AUTOLINK.fullmatch(piece)):
        return link[1]
    return _POINTED.sub(r"](\1", honest_link(piece)).translate(_BRACKETS)


def _code(text: str, piece: str, atom: Atom) -> str:
    """Move code to the left as a whole: here fences must begin at column 0."""
    if atom.kind is not Kind.CODE:
        return piece.lstrip(" \t>")
    fence = atom.before.fence
    lead = fence[: len(fence) - len(fence.lstrip(" \t>"))]
    if not lead or (atom.start > 0 and text[atom.start - 1] != "\n"):
        return piece
    if ">" in lead:
        signs = _QUOTED_CODE.match(piece)
        return piece[signs.end() :] if signs else piece
    return piece[min(len(lead), len(piece) - len(piece.lstrip(" "))) :]


def _row(piece: str) -> str:
    """Convert a row; one of dashes only, as where tables follow each other without a gap, must not begin a table."""
    return _inline(piece.replace("-", "&#45;") if _DASHES.fullmatch(piece) else piece)


@lru_cache(maxsize=1024)
def _inline(rows: str) -> str:
    """Convert the inside of table rows."""
    return "\n".join(Rewriting(Dialect(0)).of(row, growing=False) if row else "" for row in rows.split("\n"))
