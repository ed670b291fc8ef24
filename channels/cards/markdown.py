"""Markdown that grows: how much of it can be shown, and in which parts.

Nothing that was shown is rewritten: an unfinished tail (half a table row, half a link, a lone `**`) is held back until
it is finished or clearly is none; `growing=False` shows everything. Parts are balanced each on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from channels.cards.cut import Cutter
from channels.cards.scan import Atom, Kind, Scanner

_UNLIMITED = 1 << 62


class Parts:
    """Splits one growing text into parts of at most `limit`. Keep one for each text; the cost is that of the growth.

    `measure` counts a string in the platform's unit (characters, UTF-8 bytes, ...); it must be additive. A part may
    be larger than `limit` only where a single character is; below about 250 bytes a fence line may be cut. Part k never
    changes once part k + 1 has begun.
    """

    def __init__(self, limit: int = _UNLIMITED, *, measure: Callable[[str], int] = len) -> None:
        self._limit = limit
        self._measure = measure
        self._text = ""
        self._scanner = Scanner()
        self._cutter = Cutter(limit, measure)

    def of(self, text: str, *, growing: bool) -> list[str]:
        """Give the parts of `text` as they can be shown; none for an empty text.

        A text that does not begin with the one before (a segment was replaced) is split anew.
        """
        cutter = self._advance(text, growing)
        last, _ = cutter.last(text, final=not growing)
        return [*cutter.done, last] if last else list(cutter.done)

    def bodies(self, text: str, *, growing: bool) -> list[str]:
        """Give the same parts without what was added to balance them; joined they are the shown text."""
        cutter = self._advance(text, growing)
        _, body = cutter.last(text, final=not growing)
        return [*cutter.bodies, body] if body else list(cutter.bodies)

    def _advance(self, text: str, growing: bool) -> Cutter:
        if not text.startswith(self._text):
            self._scanner, self._cutter = Scanner(), Cutter(self._limit, self._measure)
        self._text = text
        for atom in self._scanner.scan(text, growing=True):
            self._cutter.feed(text, atom, growing=True)
        if growing:
            return self._cutter
        scanner, cutter = self._scanner.copy(), self._cutter.copy()
        for atom in scanner.scan(text, growing=False):
            cutter.feed(text, atom, growing=False)
        cutter.finish(text)
        return cutter


def split(text: str, limit: int, *, measure: Callable[[str], int] = len) -> list[str]:
    """Give a finished text in balanced parts of at most `limit`."""
    return Parts(limit, measure=measure).of(text, growing=False)


def settled(text: str) -> str:
    """Give what of a growing text can be shown without having to be rewritten later."""
    return "".join(Parts().bodies(text, growing=True))


class ImageLinks:
    """Turns images by web address into links, outside of code: platforms refuse them, some fail the whole card.

    Keep one for each growing text; the result grows as the text does, an unfinished tail is held back.
    """

    def __init__(self) -> None:
        self._text = ""
        self._scanner = Scanner()
        self._out = ""

    def of(self, text: str, *, growing: bool) -> str:
        """Give `text` with links in the place of such images."""
        if not text.startswith(self._text):
            self._scanner, self._out = Scanner(), ""
        self._text = text
        self._out += "".join([_linked(text, atom) for atom in self._scanner.scan(text, growing=True)])
        if growing:
            return self._out
        rest = self._scanner.copy().scan(text, growing=False)
        return self._out + "".join([_linked(text, atom) for atom in rest])


def link_images(text: str) -> str:
    """Give a finished text with links in the place of images by web address."""
    return ImageLinks().of(text, growing=False)


def _linked(text: str, atom: Atom) -> str:
    piece = text[atom.start : atom.end]
    if atom.kind is Kind.SOLID and piece.startswith("![") and re.search(r"\]\(\s*<?https?://", piece):
        return piece[1:]
    return piece
