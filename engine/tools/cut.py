"""Cutting text without breaking a character as a reader sees it: emoji families, flags, accents, rare ideographs."""

from __future__ import annotations

import re

import regex

_SURROGATE = re.compile("[\ud800-\udfff]")
_CHARACTER = regex.compile(r"\X")
_LONGEST_CHARS = 64
"""How far back a cut may move; a longer run of joiners is no character any more but an attack."""
_WINDOW_CHARS = 1024
"""Where to begin looking: far enough back that a row of flags is counted from its start."""


def clean(text: str) -> str:
    """Replace what cannot be encoded (lone surrogates): stored rows and requests must be valid UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def cut_at(text: str, limit: int) -> int:
    """Give the greatest index up to `limit` where `text` may be cut between two visible characters; it may be 0."""
    if limit >= len(text):
        return len(text)
    limit = max(0, limit)
    around = text[max(0, limit - 1) : limit + 1]
    if around.isascii() and around != "\r\n":
        return limit
    best = start = max(0, limit - _WINDOW_CHARS)
    for character in _CHARACTER.finditer(text, start):
        if character.end() > limit:
            break
        best = character.end()
    return best if limit - best <= _LONGEST_CHARS else limit


def cut(text: str, limit: int, *, mark: str = "…") -> str:
    """Shorten `text` to at most `limit` characters including `mark`, which says that something is missing."""
    if len(text) <= limit:
        return text
    if limit <= len(mark):
        return text[: cut_at(text, limit)]
    return text[: cut_at(text, limit - len(mark))] + mark


def cut_middle(text: str, limit: int, *, note: str) -> str:
    """Keep the beginning and the end of `text`, `limit` characters in all, with `note` between them.

    `note` may hold `{missing}`, the number of characters left out.
    """
    if len(text) <= limit:
        return text
    head = cut_at(text, limit * 2 // 3)
    tail = cut_at(text, len(text) - (limit - head))
    return f"{text[:head]}\n{note.format(missing=tail - head)}\n{text[tail:]}"
