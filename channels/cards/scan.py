"""Reads growing markdown from left to right, once, and says what of it is certain enough to be shown.

What is still open at the end - half a table row, half a link, a lone `**`, a fence line without its end - is held
back, for a bounded length, because showing it and taking it back would rewrite what a reader already sees.
Every decision looks only at the text before it and a bounded stretch behind, so that it never changes later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

from channels.cards import grapheme

_LONGEST_HELD_LINE = 2000
_LONGEST_FENCE_LINE = 200
_CODE_SPAN = 400
_EMPHASIS = 60
_DEEPEST = 6

_FENCE_OPEN = re.compile(r"[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})[^\n]*")
_FENCE_MAYBE = re.compile(r"[ \t>]*(?:$|`{1,2}$|`{3,}[^`\n]*$|~{1,2}$|~{3,}[^\n]*$)")
_TABLE_LINE = re.compile(r"[ \t]*\|")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_DELIMITER_MAYBE = re.compile(r"[ \t|:\-]*")
_SPECIAL = re.compile(r"[`*_~\[!\\<&\n]")
_LINK = re.compile(r"!?\[[^\[\]\n]{0,1000}\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)")
_LINK_MAYBE = re.compile(r"!?(?:\[[^\[\]\n]{0,1000}(?:\](?:\((?:[^()\n]|\([^()\n]{0,200}\)?){0,2000})?)?)?")
_TAG = re.compile(r"<[/!?A-Za-z][^<>\n]{0,300}>")
_TAG_MAYBE = re.compile(r"<(?:[/!?A-Za-z][^<>\n]{0,300})?")
_ENTITY = re.compile(r"&#?\w{1,10};")
_ENTITY_MAYBE = re.compile(r"&#?\w{0,10}")


class Kind(Enum):
    """What a piece of markdown is, for somebody who wants to cut it."""

    TEXT = auto()
    SOLID = auto()
    """A link, an image, a code span, a tag: not to be cut."""
    OPEN = auto()
    CLOSE = auto()
    BREAK = auto()
    """The end of a line of text."""
    BLANK = auto()
    FENCE_OPEN = auto()
    CODE = auto()
    FENCE_CLOSE = auto()
    TABLE_HEAD = auto()
    ROW = auto()


@dataclass(frozen=True, slots=True)
class Context:
    """What is open at a place of the text."""

    fence: str = ""
    """The line that opened the code block, without its end."""
    head: str = ""
    """The two lines a table began with."""
    marks: tuple[str, ...] = ()
    """Emphasis that is open, outermost first."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece `text[start:end]`, and what is open before and after it."""

    kind: Kind
    start: int
    end: int
    before: Context
    after: Context


class Scanner:
    """Goes through one growing text; `position` is how far it is settled."""

    def __init__(self) -> None:
        self.position = 0
        self.context = Context()
        self._line_start = True

    def copy(self) -> Scanner:
        """Give a scanner at the same place."""
        twin = Scanner()
        twin.position, twin.context, twin._line_start = self.position, self.context, self._line_start
        return twin

    def scan(self, text: str, *, growing: bool) -> Iterator[Atom]:
        """Give what became certain; `text` must begin with the text of the call before."""
        while self.position < len(text):
            before = self.context
            found = self._line(text, growing) if self._line_start else self._inside(text, growing)
            if found is None:
                return
            kind, end = found
            start, self.position = self.position, end
            self._line_start = text[end - 1] == "\n"
            yield Atom(kind, start, end, before, self.context)

    # At the start of a line: blocks.

    def _line(self, text: str, growing: bool) -> tuple[Kind, int] | None:
        start = self.position
        stop = text.find("\n", start)
        whole = stop >= 0
        line = text[start : stop if whole else start + _LONGEST_HELD_LINE + 1]
        end = stop + 1 if whole else len(text)
        open_ended = growing and not whole
        if self.context.fence:
            return self._code_line(line, end, open_ended, text, growing)
        if not line.strip():
            if open_ended:
                return None
            self.context = Context()
            return Kind.BLANK, end
        if self.context.head:
            # By its first sign, so that it does not matter how much of the line has come.
            if _TABLE_LINE.match(line) or (open_ended and not line.strip(" \t")):
                return None if open_ended and len(line) <= _LONGEST_HELD_LINE else (Kind.ROW, end)
            self.context = Context()
        return self._block(line, end, open_ended, text, growing)

    def _code_line(self, line: str, end: int, open_ended: bool, text: str, growing: bool) -> tuple[Kind, int] | None:
        mark = _mark(self.context.fence)
        bare = line.strip(" \t>")
        if bare and not bare.strip(mark[0]):
            if open_ended:
                return None
            if len(bare) >= len(mark):
                self.context = Context()
                return Kind.FENCE_CLOSE, end
        elif open_ended and not bare:
            return None
        return self._inside(text, growing)

    def _block(self, line: str, end: int, open_ended: bool, text: str, growing: bool) -> tuple[Kind, int] | None:
        if open_ended and len(line) <= _LONGEST_FENCE_LINE and _FENCE_MAYBE.match(line):
            return None
        # What is longer is decided by its beginning, so that it does not matter how much of the line has come.
        mark = line[: _LONGEST_FENCE_LINE + 1]
        if _FENCE_OPEN.fullmatch(mark):
            self.context = Context(fence=mark)
            return Kind.FENCE_OPEN, end if len(mark) == len(line) else self.position + len(mark)
        if _TABLE_LINE.match(line) and len(line) <= _LONGEST_HELD_LINE:
            if open_ended:
                return None
            head = self._table_head(text, end, growing)
            if head is None:
                return None
            if head:
                self.context = Context(head=text[self.position : head].rstrip("\n") + "\n")
                return Kind.TABLE_HEAD, head
        return self._inside(text, growing)

    def _table_head(self, text: str, second: int, growing: bool) -> int | None:
        """Give the end of a table's first two lines, 0 when this is no table, `None` when that is not certain."""
        stop = text.find("\n", second)
        line = text[second : stop if stop >= 0 else second + _LONGEST_HELD_LINE + 1]
        if stop < 0 and growing:
            return None if len(line) <= _LONGEST_HELD_LINE and _DELIMITER_MAYBE.fullmatch(line) else 0
        if "|" in line and _DELIMITER.fullmatch(line):
            return stop + 1 if stop >= 0 else len(text)
        return 0

    # Inside a line.

    def _inside(self, text: str, growing: bool) -> tuple[Kind, int] | None:
        start = self.position
        if self.context.fence:
            stop = text.find("\n", start)
            return (Kind.CODE, stop + 1) if stop >= 0 else self._run(Kind.CODE, text, len(text), growing)
        special = _SPECIAL.search(text, start)
        if special is None:
            return self._run(Kind.TEXT, text, len(text), growing)
        if special.start() > start:
            return Kind.TEXT, special.start()
        char = special.group()
        if char == "\n":
            return Kind.BREAK, start + 1
        if char == "`":
            return self._code_span(text, growing)
        if char in "*_~":
            return self._emphasis(text, growing)
        return self._solid(char, text, growing)

    def _run(self, kind: Kind, text: str, end: int, growing: bool) -> tuple[Kind, int] | None:
        if growing:
            end = grapheme.open_end(text, self.position, end)
        return (kind, end) if end > self.position else None

    def _solid(self, char: str, text: str, growing: bool) -> tuple[Kind, int] | None:
        start = self.position
        if char == "\\":
            if growing and start + 1 == len(text):
                return None
            escapes = start + 1 < len(text) and text[start + 1] != "\n"
            return (Kind.SOLID, start + 2) if escapes else (Kind.TEXT, start + 1)
        full, maybe = {"<": (_TAG, _TAG_MAYBE), "&": (_ENTITY, _ENTITY_MAYBE)}.get(char, (_LINK, _LINK_MAYBE))
        found = full.match(text, start)
        if found is not None:
            return Kind.SOLID, found.end()
        if growing and maybe.fullmatch(text, start):
            return None
        return Kind.TEXT, start + 1

    def _code_span(self, text: str, growing: bool) -> tuple[Kind, int] | None:
        start = self.position
        inner = _run_end(text, start)
        if growing and inner == len(text):
            return None
        mark, window = text[start:inner], text[inner : inner + _CODE_SPAN]
        line = window.partition("\n")[0]
        closing = re.search(rf"(?<!`){mark}(?!`)", line)
        if closing is not None:
            end = inner + closing.end()
            return None if growing and end == len(text) else (Kind.SOLID, end)
        if growing and len(window) < _CODE_SPAN and len(line) == len(window):
            return None
        return Kind.TEXT, inner

    def _emphasis(self, text: str, growing: bool) -> tuple[Kind, int] | None:
        start = self.position
        end = _run_end(text, start)
        if growing and end == len(text):
            return None
        mark = text[start:end]
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        if len(mark) > 3 or (mark[0] == "~" and len(mark) != 2) or not grapheme.is_boundary(text, end):
            return Kind.TEXT, end
        marks = self.context.marks
        if mark in marks and not before.isspace() and not (mark[0] == "_" and after.isalnum()):
            self.context = replace(self.context, marks=marks[: marks.index(mark)])
            return Kind.CLOSE, end
        if after.isspace() or len(marks) >= _DEEPEST or (mark[0] == "_" and before.isalnum()):
            return Kind.TEXT, end
        if growing and self._emphasis_open(text, end, mark):
            return None
        self.context = replace(self.context, marks=(*marks, mark))
        return Kind.OPEN, end

    @staticmethod
    def _emphasis_open(text: str, start: int, mark: str) -> bool:
        """Tell whether the end of this emphasis may still come soon."""
        window = text[start : start + _EMPHASIS]
        return len(window) < _EMPHASIS and mark not in window and "\n\n" not in window


def _run_end(text: str, start: int) -> int:
    char, end = text[start], start
    while end < len(text) and text[end] == char:
        end += 1
    return end


def _mark(fence: str) -> str:
    """Give the backticks or tildes of a line that opened a code block."""
    bare = fence.lstrip(" \t>")
    return bare[: _run_end(bare, 0)]


def opening(context: Context) -> str:
    """Give what must stand before a part that begins here."""
    if context.fence:
        return context.fence + "\n"
    return context.head or "".join(context.marks)


def closing(context: Context, last: str) -> str:
    """Give what must stand after a part that ends here with the character `last`."""
    if context.fence:
        return ("" if last == "\n" else "\n") + bare_fence(context.fence)
    return "".join(reversed(context.marks))


def bare_fence(fence: str) -> str:
    """Give a code block's first line without its language."""
    return fence[: len(fence) - len(fence.lstrip(" \t>"))] + _mark(fence)
