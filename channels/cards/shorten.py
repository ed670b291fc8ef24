"""Cutting text without breaking a character as a reader sees it."""

from __future__ import annotations

from channels.cards.grapheme import floor, starts

_LONGEST_CHARACTER = 16


def shorten(text: str, limit: int, *, mark: str = "…") -> str:
    """Give `text` on one line, in at most `limit` visible characters including `mark`, which says that it goes on."""
    most = limit * _LONGEST_CHARACTER
    line = " ".join(text[:most].split())
    begins = starts(line, limit + 1)
    if len(begins) <= limit and len(text) <= most:
        return line
    if len(begins) < limit:
        return line + mark
    return line[: begins[limit - 1]].rstrip() + mark


def head(text: str, chars: int) -> str:
    """Give the beginning of `text`, at most so many code points, without half a visible character at its end."""
    return text[: floor(text, chars)]
