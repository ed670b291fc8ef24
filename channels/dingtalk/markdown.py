"""CommonMark in the platform's two dialects: of a card's text variable, and of a robot's message.

Source: open.dingtalk.com "markdown-variable-new", "robot-message-type", read 2026-11-30; what clients really show as
users reported it: openclaw-channel-dingtalk #192, #533, #562, hermes #37278, dingtalk-openclaw-connector #160.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from channels.cards.links import honest_link, inert, unlinked
from channels.cards.markdown import Rewriting, image_link
from channels.cards.scan import Atom, Kind

_RULE = re.compile(r"(?m)^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_RULE_MAYBE = re.compile(r" {0,3}(?:[- \t]+|[_ \t]+)")
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[")
_TASK = re.compile(r"([ xX])\][ \t]")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]+)>")
_CELLS = re.compile(r"(?<!\\)\|")
_NARROW = "\u200b"
"""Breaks up what the client would take for one of its own pictures (`[name]`), and is not seen."""


def to_card(markdown: str) -> str:
    """Give finished markdown for a card."""
    return Rewriting(CardDialect()).of(with_rules(markdown, growing=False), growing=False)


@lru_cache(maxsize=128)
def to_message(markdown: str) -> str:
    """Give finished markdown for a robot's message: no tables, no code blocks, no rules, and hard line ends."""
    return Rewriting(MessageDialect()).of(with_rules(markdown, growing=False), growing=False).strip("\n")


def with_rules(text: str, *, growing: bool) -> str:
    """Give a text with its rules as `***`, the only ones known here; a last line that may become one is held back."""
    if growing:
        last = text.rfind("\n") + 1
        text = text[:last] if _RULE_MAYBE.fullmatch(text, last) else text
    if not _RULE.search(text):
        return text
    lines, is_code = text.split("\n"), False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and _RULE.fullmatch(line):
            lines[number] = "***"
    return "\n".join(lines)


def plain(text: str) -> str:
    """Give plain text that a text variable shows as it is, on one line."""
    return " ".join(text.split())


class _Prose:
    """Plain text of both dialects; a bracket that may begin a task waits for what follows."""

    def __init__(self) -> None:
        self._open = ""

    def __call__(self, text: str, atom: Atom) -> str:
        """See `Rule`."""
        piece = text[atom.start : atom.end]
        if atom.kind is Kind.TEXT:
            return self._prose(text, piece, atom.start)
        lead, self._open = self._open, ""
        return lead + self._other(atom.kind, piece)

    def _other(self, kind: Kind, piece: str) -> str:
        """Give what stands for what is no plain text."""
        raise NotImplementedError

    def end(self) -> str:
        """See `Rule`."""
        return self._open

    def _prose(self, text: str, piece: str, start: int) -> str:
        line = text.rfind("\n", 0, start) + 1
        if piece == "[" and _ITEM.fullmatch(text, line, start + 1):
            self._open = "["
            return ""
        if self._open:
            self._open, task = "", _TASK.match(piece)
            kept = unlinked(text, start, piece)
            return f"{'○' if task[1] == ' ' else '✓'} {piece[task.end() :]}" if task else f"[{_NARROW}{kept}"
        return unlinked(text, start, piece, lambda part, at: part.replace("[", f"[{_NARROW}"))


class CardDialect(_Prose):
    """The `Rule` of a card's text: tables and code are shown there."""

    def _other(self, kind: Kind, piece: str) -> str:
        if kind in (Kind.TABLE_HEAD, Kind.ROW):
            return _spaced_rows(piece, CardDialect)
        return _solid(piece) if kind is Kind.SOLID else piece


class MessageDialect(_Prose):
    """The `Rule` of a message: a table becomes lines, code becomes a quote, each line ends hard."""

    def __init__(self) -> None:
        super().__init__()
        self._columns: tuple[str, ...] = ()

    def _other(self, kind: Kind, piece: str) -> str:
        if kind is Kind.TABLE_HEAD:
            self._columns = _shown_cells(piece.partition("\n")[0], MessageDialect)
            return "\n"
        if kind is Kind.ROW:
            return f"- {_row(self._columns, _shown_cells(piece, MessageDialect))}\n"
        if kind in (Kind.FENCE_OPEN, Kind.FENCE_CLOSE):
            return "\n"
        if kind is Kind.CODE:
            return f"> {piece[:-1]}  \n" if piece.endswith("\n") else f"> {piece}"
        if kind is Kind.BREAK:
            return "  \n"
        return _solid(piece) if kind is Kind.SOLID else _mark(piece)


def _mark(piece: str) -> str:
    """Leave out what strikes through: the platform shows the signs."""
    return "" if piece == "~~" else piece


def _solid(piece: str) -> str:
    if piece.startswith("!["):
        piece = image_link(piece)
    if piece.startswith("<"):
        # A tag of the model's could colour the card, or name a person: it is shown as what it is.
        address = _AUTOLINK.fullmatch(piece)
        return address[1] if address is not None else f"<{_NARROW}{piece[1:]}"
    return _link(piece) if piece.startswith("[") else piece


def _link(piece: str) -> str:
    shown = honest_link(piece)
    words = shown.replace("[", f"[{_NARROW}") if shown == inert(piece) else shown
    return words.replace("<", f"<{_NARROW}")


def _spaced_rows(piece: str, dialect: Callable[[], _Prose]) -> str:
    """Put a blank beside each bar: without, some clients show the signs."""
    lines = piece.split("\n")
    return "\n".join(f"| {' | '.join(_shown_cells(line, dialect))} |" if line.strip() else line for line in lines)


def _shown_cells(line: str, dialect: Callable[[], _Prose]) -> tuple[str, ...]:
    """Give the cells of a row, each as prose is shown."""
    return tuple(_shown_cell(cell, dialect) for cell in _cells(line))


@lru_cache(maxsize=1024)
def _shown_cell(cell: str, dialect: Callable[[], _Prose]) -> str:
    return Rewriting(dialect()).of(cell, growing=False) if any(sign in cell for sign in "[<!") else cell


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _CELLS.split(line.strip().strip("|")))


def _row(columns: tuple[str, ...], cells: tuple[str, ...]) -> str:
    pairs = [
        f"{columns[at]}: {cell}" if at < len(columns) and columns[at] else cell for at, cell in enumerate(cells) if cell
    ]
    return "; ".join(pairs)
