"""Exact replacements in a text: each must fit one place, all of them or none."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.errors import ToolRetry
from engine.tools.diff import Block
from engine.tools.document import LINE_END, lines_of, with_newlines

MAX_EDITS = 100
MAX_PLACES = 10_000
_NAMED_LINES = 10
_ANY_LINE_END = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement. `old` must be there exactly once, or at least once where `everywhere`."""

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text as it was, and what comes there. A line end of `old` fits any kind of line end."""

    start: int
    end: int
    new: str
    edit: int


def spans_of(text: str, edits: Sequence[Edit], newline: str) -> list[Span]:
    """Give the places that all edits change, in order; each edit is looked for in the text as it was before all.

    Raises:
        ToolRetry: an edit's text is empty, the same as its replacement, not there, there more than once, or overlaps
            another one; the message says which one and where.
    """
    if not edits or len(edits) > MAX_EDITS:
        raise ToolRetry(f"give 1 to {MAX_EDITS} edits, not {len(edits)}")
    found = [span for number, edit in enumerate(edits, 1) for span in _spans(text, edit, number, newline)]
    found.sort(key=lambda span: (span.start, span.end))
    for one, other in pairwise(found):
        if other.start < one.end:
            raise ToolRetry(f"edits {one.edit} and {other.edit} overlap in line {_line(text, other.start)}; join them")
    return found


def applied(text: str, spans: Sequence[Span]) -> str:
    """Give the text with every place replaced; `spans` are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], span.new)
        at = span.end
    return "".join((*parts, text[at:]))


def blocks_of(text: str, changed: str, spans: Sequence[Span]) -> list[Block]:
    """Give the lines that the spans lie in, before and after: a diff need not compare the rest of a long file."""
    before, after = _Lines(text), _Lines(changed)
    blocks: list[Block] = []
    moved = 0
    for span in spans:
        old_start, old_end = before.around(span.start, span.end)
        new_start, new_end = after.around(span.start + moved, span.start + moved + len(span.new))
        moved += len(span.new) - (span.end - span.start)
        if blocks and (old_start < blocks[-1].old_end or new_start < blocks[-1].new_end):
            last = blocks.pop()
            old_start, new_start = last.old_start, last.new_start
        blocks.append(Block(old_start, old_end, new_start, new_end))
    return blocks


class _Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in LINE_END.finditer(text))]
        self._count = len(lines_of(text))

    def around(self, start: int, end: int) -> tuple[int, int]:
        """Give the first line of a place, and the one after its last."""
        first, last = bisect_right(self._starts, start) - 1, bisect_right(self._starts, end)
        return min(first, self._count), min(last, self._count)


def _spans(text: str, edit: Edit, number: int, newline: str) -> list[Span]:
    if not edit.old:
        raise ToolRetry(f"old_text of edit {number} is empty; give the text that is to be replaced")
    if edit.old == edit.new:
        raise ToolRetry(f"edit {number} changes nothing: old_text and new_text are the same")
    places = _places(text, edit.old, overlapping=not edit.everywhere)
    if not places:
        raise ToolRetry(f"old_text of edit {number} is not in the file{_hint(text, edit)}")
    if len(places) > 1 and not edit.everywhere:
        raise ToolRetry(
            f"old_text of edit {number} is there {_count(places)} times (lines {_lines(text, places)}); give more of "
            "what is around it, or replace_all"
        )
    if len(places) > MAX_PLACES:
        raise ToolRetry(f"old_text of edit {number} is there more than {MAX_PLACES} times; give more of it")
    new = with_newlines(edit.new, newline)
    return [Span(start, end, new, number) for start, end in places]


def _places(text: str, old: str, *, overlapping: bool) -> list[tuple[int, int]]:
    pattern = re.compile(_ANY_LINE_END.join(map(re.escape, LINE_END.split(old))))
    found: list[tuple[int, int]] = []
    at = 0
    while len(found) <= MAX_PLACES and (match := pattern.search(text, at)):
        found.append(match.span())
        at = match.start() + 1 if overlapping else match.end()
    return found


def _hint(text: str, edit: Edit) -> str:
    """Tell a model what is likely: it is done already, or it differs in spaces."""
    if edit.new.strip() and _places(text, edit.new, overlapping=False):
        return "; new_text is there already: it may have been replaced before"
    wanted = next((line.strip() for line in lines_of(edit.old) if line.strip()), "")
    for number, line in enumerate(lines_of(text), 1):
        if wanted and wanted in line:
            return f"; line {number} is like its first line: read the file again and give it with its exact spaces"
    return "; read the file again"


def _count(places: Sequence[tuple[int, int]]) -> str:
    return str(len(places)) if len(places) <= MAX_PLACES else f"more than {MAX_PLACES}"


def _lines(text: str, places: Sequence[tuple[int, int]]) -> str:
    named = ", ".join(str(_line(text, start)) for start, _ in places[:_NAMED_LINES])
    return f"{named}, ..." if len(places) > _NAMED_LINES else named


def _line(text: str, at: int) -> int:
    return len(LINE_END.findall(text[:at])) + 1
