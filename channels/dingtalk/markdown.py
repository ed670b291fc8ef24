"""CommonMark in the platform's two dialects: of a card's text variable, and of a robot's message.

Source: open.dingtalk.com "markdown-variable-new", "robot-message-type", read 2026-11-30; what clients really show as
users reported it: openclaw-channel-dingtalk #192, #533, #562, hermes #37278, dingtalk-openclaw-connector #160.
"""

from __future__ import annotations

import re
from functools import lru_cache

from channels.cards.markdown import Rewriting, image_link
from channels.cards.scan import Atom, Kind

_RULE = re.compile(r"[ \t]*(?:-[ \t]*){3,}\n?|[ \t]*(?:_[ \t]*){3,}\n?")
_TASK = re.compile(r"^([ \t]*[-*+][ \t]+)\[([ xX])\][ \t]")
_EMOJI = re.compile(r"\[([^\[\]\n]{1,12})\](?![(\[:])")
_LINK = re.compile(r"\[([^\]\n]*)\]\(\s*<?([^\s<>)]*)>?[^\n]*\)")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]+)>")
_CELLS = re.compile(r"(?<!\\)\|")
_NARROW = "\u200b"
"""Breaks up what the client would take for one of its own pictures (`[name]`), and is not seen."""


def to_card(markdown: str) -> str:
    """Give finished markdown for a card."""
    return Rewriting(CardDialect()).of(markdown, growing=False)


@lru_cache(maxsize=128)
def to_message(markdown: str) -> str:
    """Give finished markdown for a robot's message: no tables, no code blocks, no rules, and hard line ends."""
    return Rewriting(MessageDialect()).of(markdown, growing=False).strip("\n")


def plain(text: str) -> str:
    """Give plain text that a text variable shows as it is, on one line."""
    return " ".join(text.split())


class CardDialect:
    """The `Rule` of a card's text: tables and code are shown there."""

    def __call__(self, text: str, atom: Atom) -> str:
        """See `Rule`."""
        kind, piece = atom.kind, text[atom.start : atom.end]
        if kind in (Kind.TABLE_HEAD, Kind.ROW):
            return _spaced_rows(piece)
        if kind is Kind.SOLID:
            return _solid(piece)
        if kind is Kind.TEXT:
            return _prose(text, piece, atom.start)
        return piece

    def end(self) -> str:
        """See `Rule`."""
        return ""


class MessageDialect:
    """The `Rule` of a message: a table becomes lines, code becomes a quote, each line ends hard."""

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = ()

    def __call__(self, text: str, atom: Atom) -> str:
        """See `Rule`."""
        kind, piece = atom.kind, text[atom.start : atom.end]
        if kind is Kind.TABLE_HEAD:
            self._columns = _cells(piece.partition("\n")[0])
            return "\n"
        if kind is Kind.ROW:
            return f"- {_row(self._columns, _cells(piece))}\n"
        if kind in (Kind.FENCE_OPEN, Kind.FENCE_CLOSE):
            return "\n"
        if kind is Kind.CODE:
            return f"> {piece[:-1]}  \n" if piece.endswith("\n") else f"> {piece}"
        if kind is Kind.BREAK:
            return "  \n"
        if kind is Kind.SOLID:
            return _solid(piece)
        return _prose(text, piece, atom.start) if kind is Kind.TEXT else _mark(piece)

    def end(self) -> str:
        """See `Rule`."""
        return ""


def _mark(piece: str) -> str:
    """Leave out what strikes through: the platform shows the signs."""
    return "" if piece == "~~" else piece


def _prose(text: str, piece: str, start: int) -> str:
    line_start = start == 0 or text[start - 1] == "\n"
    if line_start and _RULE.fullmatch(piece):
        return "***" + ("\n" if piece.endswith("\n") else "")
    if line_start and (task := _TASK.match(piece)):
        piece = f"{task[1]}{'✓' if task[2] in 'xX' else '○'} {piece[task.end() :]}"
    return _EMOJI.sub(rf"[{_NARROW}\1]", piece)


def _solid(piece: str) -> str:
    if piece.startswith("!["):
        return image_link(piece)
    if piece.startswith("<"):
        # A tag of the model's could colour the card, or name a person: it is shown as what it is.
        address = _AUTOLINK.fullmatch(piece)
        return address[1] if address is not None else f"<{_NARROW}{piece[1:]}"
    link = _LINK.fullmatch(piece)
    if link is not None and not link[2].startswith(("http://", "https://")):
        return link[1]
    return piece


def _spaced_rows(piece: str) -> str:
    """Put a blank beside each bar: without, some clients show the signs."""
    return "\n".join(_spaced(line) if line.strip() else line for line in piece.split("\n"))


def _spaced(line: str) -> str:
    return f"| {' | '.join(_cells(line))} |"


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _CELLS.split(line.strip().strip("|")))


def _row(columns: tuple[str, ...], cells: tuple[str, ...]) -> str:
    pairs = [
        f"{columns[at]}: {cell}" if at < len(columns) and columns[at] else cell for at, cell in enumerate(cells) if cell
    ]
    return "; ".join(pairs)
