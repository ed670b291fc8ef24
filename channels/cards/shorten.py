"""Cutting a line of text without breaking a character as a reader sees it."""

from __future__ import annotations

import regex

_CLUSTERS = regex.compile(r"\X")


def shorten(text: str, limit: int, *, mark: str = "…") -> str:
    """Give `text` on one line, in at most `limit` visible characters including `mark`, which says that it goes on."""
    line = " ".join(text[: limit * 16].split())
    starts = [match.start() for match in _CLUSTERS.finditer(line)]
    if len(starts) <= limit and len(text) <= limit * 16:
        return line
    if len(starts) < limit:
        return line + mark
    return line[: starts[limit - 1]].rstrip() + mark
