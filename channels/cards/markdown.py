"""Markdown that grows: how much of it can be shown, and in which parts.

Nothing that was shown is rewritten: an unfinished tail (half a table row, half a link, a lone `**`) is held back until
it is finished or clearly is none; `growing=False` shows everything. Parts are balanced each on its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from typing import Generic, Protocol, TypeVar

from channels.cards.cut import Cutter
from channels.cards.scan import Atom, Kind, Scanner

_UNLIMITED = 1 << 62
_PIECES = 64
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(\s*<?([^\s<>]*)>?[^\n]*\)")


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
        self._cutter.release(text)
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


class Rule(Protocol):
    """What stands for each atom of a text in another kind of markdown; may carry simple state, it is copied shallowly.

    What it gives for an atom must depend on the text up to the atom's end only, so that growth stays growth.
    """

    def __call__(self, text: str, atom: Atom) -> str:
        """Give what stands for the next atom."""
        ...

    def end(self) -> str:
        """Give what a finished text needs at its end."""
        ...


R = TypeVar("R", bound=Rule)


class Rewriting(Generic[R]):
    """Turns one growing text into another kind of markdown. Keep one for each text; the cost is that of the growth."""

    def __init__(self, rule: R) -> None:
        self.rule = rule
        """The rule in the state after all that was given last."""
        self._first = rule
        self._start()

    def _start(self) -> None:
        self._text = ""
        self._scanner = Scanner()
        self._rule = copy(self._first)
        self._out: list[str] = []

    def of(self, text: str, *, growing: bool) -> str:
        """Give the text rewritten; while it grows an unfinished tail is held back."""
        if not growing:
            whole = self.of_settled(text)
            return whole + self.rule.end()
        self._advance(text)
        self.rule = self._rule
        return "".join(self._out)

    def of_settled(self, text: str) -> str:
        """Give all of a growing text that holds nothing unfinished, as the parts of `Parts` do."""
        self._advance(text)
        rule = self.rule = copy(self._rule)
        rest = [rule(text, atom) for atom in self._scanner.copy().scan(text, growing=False)]
        return "".join([*self._out, *rest])

    def _advance(self, text: str) -> None:
        if not text.startswith(self._text):
            self._start()
        self._text = text
        self._out += [self._rule(text, atom) for atom in self._scanner.scan(text, growing=True)]
        if len(self._out) > _PIECES:
            self._out = ["".join(self._out)]


def link_images(text: str) -> str:
    """Give a finished text with links in the place of images by web address: platforms refuse them, some the card."""
    return Rewriting(_LinkedImages()).of(text, growing=False)


def image_link(piece: str) -> str:
    """Give the link for an image (`![alt](target)`); its words alone where the target is no web address."""
    found = _IMAGE.fullmatch(piece)
    if found is None:
        return piece
    words, target = found[1].strip() or found[2], found[2]
    return f"[{words}]({target})" if target.startswith(("http://", "https://")) else words


class _LinkedImages:
    def __call__(self, text: str, atom: Atom) -> str:
        piece = text[atom.start : atom.end]
        is_image = atom.kind is Kind.SOLID and piece.startswith("![")
        return image_link(piece) if is_image else piece

    def end(self) -> str:
        return ""
