"""Cuts scanned markdown into parts as it comes in; where a part ends never depends on what comes much later.

A part ends at the first good place after it is nearly full: a blank line from 60 %, the end of a line from 75 %, a
space from 90 %, any character at the limit. That is why a part that grew up to its limit need not give text back.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from channels.cards import grapheme
from channels.cards.scan import Atom, Context, Kind, bare_fence, closing, opening

_BLANK_FROM, _LINE_FROM, _SPACE_FROM = 0.6, 0.75, 0.9
_LARGEST_OPENING = 0.25
_LARGEST_CHARACTER = 64
_PAUSE = re.compile(r"\s|[。！？；，、]")
_NO_PART_BEGINS_WITH = frozenset({Kind.BLANK, Kind.FENCE_CLOSE})
_NO_PART_ENDS_WITH = frozenset({Kind.FENCE_OPEN, Kind.TABLE_HEAD, Kind.OPEN})


class Cutter:
    """Collects atoms of one text into parts of at most `limit`, as `measure` counts (it must be additive)."""

    def __init__(self, limit: int, measure: Callable[[str], int]) -> None:
        self._limit = limit
        self._measure = measure
        self.done: list[str] = []
        """Parts that will not change any more."""
        self.bodies: list[str] = []
        """The same without what was added to open and close them: joined they are the text."""
        self._opening = ""
        self._start = 0
        self._end = 0
        self._used = 0
        self._full = False
        self._context = Context()
        self._fed = 0
        """How far atoms came; behind `_end` waits a last character."""

    def copy(self) -> Cutter:
        """Give a cutter at the same place."""
        twin = Cutter(self._limit, self._measure)
        twin.done, twin.bodies = list(self.done), list(self.bodies)
        twin._opening, twin._start, twin._end = self._opening, self._start, self._end
        twin._used, twin._full, twin._context = self._used, self._full, self._context
        twin._fed = self._fed
        return twin

    def last(self, text: str, *, final: bool) -> tuple[str, str]:
        """Give the part that is still open, and its body. When final, a code block left open is closed."""
        body = text[self._start : self._end]
        ending = closing(Context(fence=self._context.fence), body[-1:]) if final and self._context.fence else ""
        # Where emphasis is open, a cut here would close it: not after a blank, so the blank waits for the next word.
        shown = body.rstrip() if self._context.marks and not final else body
        return (self._opening + shown + ending if shown else "", body)

    def feed(self, text: str, atom: Atom, *, growing: bool) -> None:
        """Take the next atom in."""
        if atom.kind in (Kind.TEXT, Kind.CODE):
            stop = self._sure_end(text, atom) if growing else atom.end
            self._divide(text, stop, atom.after, pauses=atom.kind is Kind.TEXT)
            if stop < atom.end:
                # A part may have begun meanwhile that is far from full.
                self._divide(text, self._sure_end(text, atom), atom.after, pauses=atom.kind is Kind.TEXT)
        else:
            self._divide(text, atom.start, self._context, pauses=not self._context.fence)
            self._keep_whole(text, atom)
        self._context, self._fed = atom.after, atom.end
        if self._end == atom.end:
            self._note_end(text, atom)

    def release(self, text: str) -> None:
        """Take in the character that waited, once it is clear that nothing joins it."""
        if self._end < self._fed < len(text) and grapheme.is_boundary(text, self._fed):
            self._divide(text, self._fed, self._context, pauses=not self._context.fence)

    def finish(self, text: str) -> None:
        """Take in what waited for more text: there is none."""
        self._divide(text, len(text), self._context, pauses=not self._context.fence)

    def _sure_end(self, text: str, atom: Atom) -> int:
        """Near the limit the last character waits for the next one: together they may be one that cannot be cut."""
        used = self._used + self._measure(text[self._end : atom.end])
        near = used + _LARGEST_CHARACTER >= self._limit * _LINE_FROM
        if not near or atom.end < len(text) or text[atom.end - 1] == "\n":
            return atom.end
        return max(self._end, grapheme.floor(text, atom.end - 1))

    def _keep_whole(self, text: str, atom: Atom) -> None:
        size = self._measure(text[atom.start : atom.end])
        fits = self._fits(size, atom.after)
        if self._full and not (fits and atom.kind in _NO_PART_BEGINS_WITH):
            self._cut(text, atom.before)
            fits = self._fits(size, atom.after)
        if not fits and self._end > self._start and self._fits_alone(size, atom):
            self._cut(text, atom.before)
            fits = True
        if fits:
            self._take(atom.end, size)
        else:
            self._divide(text, atom.end, atom.before, pauses=False)

    def _divide(self, text: str, stop: int, context: Context, *, pauses: bool) -> None:
        """Take `text` up to `stop`, cutting wherever a part is full."""
        while self._end < stop:
            if self._full:
                self._cut(text, context)
            self._step(text, stop, context, pauses)

    def _step(self, text: str, stop: int, context: Context, pauses: bool) -> None:
        start, room = self._end, self._limit - self._used - self._closing_size(context)
        easy = self._count(text, start, stop, min(room, self._limit * _SPACE_FROM - self._used))
        easy = grapheme.floor(text, start + easy)
        if easy > start:
            self._take(easy, self._measure(text[start:easy]))
            return
        pause = _PAUSE.search(text, start, stop) if pauses else None
        end = pause.end() if pause else stop
        size = self._measure(text[start:end])
        if size > room:
            pause, end = None, self._hard_end(text, start, end, room)
            size = self._measure(text[start:end])
            self._full = True
        self._full = self._full or pause is not None
        self._take(end, size)

    def _hard_end(self, text: str, start: int, stop: int, room: float) -> int:
        """Give where a part must end: before the character that does not fit, but an empty part takes one."""
        end = grapheme.floor(text, start + self._count(text, start, stop, room))
        if end <= start and self._end == self._start:
            return grapheme.ceiling(text, start + 1)
        return max(start, end)

    def _count(self, text: str, start: int, stop: int, room: float) -> int:
        """Give how many characters fit into `room`."""
        if room < 1:
            return 0
        low, high = 0, min(stop - start, int(room))
        if self._measure(text[start : start + high]) <= room:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._measure(text[start : start + middle]) <= room else (low, middle)
        return low

    def _note_end(self, text: str, atom: Atom) -> None:
        if atom.kind in _NO_PART_ENDS_WITH or text[atom.end - 1] != "\n":
            return
        enough = _BLANK_FROM if atom.kind is Kind.BLANK and atom.after == Context() else _LINE_FROM
        self._full = self._full or self._used >= self._limit * enough

    def _take(self, end: int, size: int) -> None:
        self._end = end
        self._used += size

    def _fits(self, size: int, after: Context) -> bool:
        return self._used + size + self._closing_size(after) <= self._limit

    def _fits_alone(self, size: int, atom: Atom) -> bool:
        opened = self._measure(self._opening_for(atom.before))
        return opened + size + self._closing_size(atom.after) <= self._limit

    def _closing_size(self, context: Context) -> int:
        return self._measure(closing(context, "")) if context.fence or context.marks else 0

    def _opening_for(self, context: Context) -> str:
        full = opening(context)
        if self._measure(full) <= self._limit * _LARGEST_OPENING:
            return full
        return opening(Context(fence=bare_fence(context.fence))) if context.fence else ""

    def _cut(self, text: str, context: Context) -> None:
        self._full = False
        body = text[self._start : self._end]
        if not body:
            return
        shown = body.rstrip() if context.marks else body
        self.done.append(self._opening + shown + closing(context, body[-1:]))
        self.bodies.append(body)
        self._start = self._end
        self._opening = self._opening_for(context)
        self._used = self._measure(self._opening)
