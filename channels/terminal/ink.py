"""Styled text: spans, lines of them, how they wrap, and how they become bytes for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from channels.terminal.width import cells, clusters, width

_CODES: Final[dict[str, str]] = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "under": "4",
    "reverse": "7",
    "strike": "9",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}
_WORD = re.compile(r"\s+|[^\s]+")
_NOT_FIRST = frozenset("，。！？；：、）】》」』”’,.!?;:)]}…")
"""What no line begins with."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of clean text in one style: words of `bold dim italic under reverse strike red green ...`."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def line(text: str, style: str = "") -> Line:
    """Give a line of one piece."""
    return (Span(text, style),) if text else ()


def plain(given: Line) -> str:
    """Give a line's text alone."""
    return "".join(span.text for span in given)


def line_width(given: Line) -> int:
    """Give a line's cells."""
    return sum(width(span.text) for span in given)


def paint(given: Line, *, colour: bool) -> str:
    """Give a line as a terminal reads it."""
    return "".join(_paint(span) if colour else span.text for span in given)


def _paint(span: Span) -> str:
    codes = ";".join(_CODES[word] for word in span.style.split())
    return f"\x1b[{codes}m{span.text}\x1b[0m" if codes else span.text


def indented(lines: Iterable[Line], first: Span, rest: Span) -> list[Line]:
    """Put `first` before the first line and `rest` before all others."""
    return [(first if number == 0 else rest, *each) for number, each in enumerate(lines)]


@lru_cache(maxsize=2048)
def wrap(given: Line, most: int) -> tuple[Line, ...]:
    """Break a line into lines of at most `most` cells: at spaces, between wide characters, else anywhere.

    A line break inside a span ends a line. An empty line gives one empty line.
    """
    filled = _Filling(max(2, most))
    for span in given:
        for number, part in enumerate(span.text.split("\n")):
            if number:
                filled.end_line()
            for word in _WORD.findall(part):
                filled.add(Span(word, span.style))
    return tuple(filled.lines())


class _Filling:
    def __init__(self, most: int) -> None:
        self._most = most
        self._lines: list[Line] = []
        self._spans: list[Span] = []
        self._used = 0
        self._word: list[Span] = []
        """A word under way: it may change its style in the middle."""

    def add(self, piece: Span) -> None:
        """Take a piece of a word, or the blanks between two."""
        if not piece.text.isspace():
            self._word.append(piece)
            return
        self._end_word()
        room = max(0, self._most - self._used)
        self._put(Span(piece.text[:room], piece.style))

    def end_line(self) -> None:
        self._end_word()
        self._end_line()

    def lines(self) -> Sequence[Line]:
        self._end_word()
        return [*self._lines, tuple(self._spans)]

    def _end_word(self) -> None:
        word, self._word = self._word, []
        size = line_width(tuple(word))
        can_break = any(not each.text.isascii() for each in word)
        if self._used + size > self._most and size <= self._most and not can_break:
            self._turn()
        for each in word:
            if self._used + width(each.text) <= self._most:
                self._put(each)
            else:
                self._break(each.text, each.style)

    def _end_line(self) -> None:
        self._lines.append(tuple(self._spans))
        self._spans, self._used = [], 0

    def _turn(self) -> None:
        """Go to the next line, unless this one is still empty; blanks at its end are not shown."""
        if not self._spans:
            return
        last = self._spans[-1]
        self._spans[-1] = Span(last.text.rstrip(), last.style)
        self._end_line()

    def _break(self, word: str, style: str) -> None:
        """Fill the line with what fits of a long word, or of a text without spaces."""
        if word.isascii() and self._used > self._most // 2:
            self._turn()
        piece, size = "", 0
        for each in clusters(word):
            wide = cells(each)
            if self._used + size + wide > self._most:
                piece, carried = self._kept_back(piece, each)
                self._put(Span(piece, style))
                self._turn()
                piece, size = carried, width(carried)
            piece += each
            size += wide
        self._put(Span(piece, style))

    @staticmethod
    def _kept_back(piece: str, following: str) -> tuple[str, str]:
        """Take the last character along to the next line when `following` must not begin one."""
        parts = list(clusters(piece))
        if following in _NOT_FIRST and len(parts) > 1 and parts[-1] not in _NOT_FIRST:
            return "".join(parts[:-1]), parts[-1]
        return piece, ""

    def _put(self, span: Span) -> None:
        if not span.text:
            return
        self._used += width(span.text)
        if self._spans and self._spans[-1].style == span.style:
            span = Span(self._spans.pop().text + span.text, span.style)
        self._spans.append(span)
