"""Cutting text without breaking a character as a reader sees it: emoji families, flags, accents, rare ideographs."""

from __future__ import annotations

import re
import unicodedata

_JOINER = "\u200d"
_REGIONAL = re.compile("[\U0001f1e6-\U0001f1ff]")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")
_TAG = re.compile("[\U000e0020-\U000e007f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_CLUSTER = 64
"""How far back a cut may move; a longer run of joiners is no character any more but an attack."""


def clean(text: str) -> str:
    """Replace what cannot be encoded (lone surrogates): stored rows and requests must be valid UTF-8."""
    return _SURROGATE.sub("\ufffd", text)


def cut_at(text: str, limit: int) -> int:
    """Give the greatest index up to `limit` where `text` may be cut between two visible characters; it may be 0."""
    if limit >= len(text):
        return len(text)
    for index in range(limit, max(-1, limit - _LONGEST_CLUSTER), -1):
        if _is_boundary(text, index):
            return index
    return max(0, limit)


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


def _is_boundary(text: str, index: int) -> bool:
    if index in (0, len(text)):
        return True
    before, after = text[index - 1], text[index]
    if _JOINER in (before, after) or _extends(after):
        return False
    if before == "\r" and after == "\n":
        return False
    return not (_REGIONAL.match(before) and _REGIONAL.match(after) and _regionals_before(text, index) % 2)


def _extends(char: str) -> bool:
    if char < "\u0300":
        return False
    is_mark = unicodedata.category(char) in ("Mn", "Me", "Mc")
    return bool(is_mark or _SKIN.match(char) or _TAG.match(char))


def _regionals_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _REGIONAL.match(text[start - 1]):
        start -= 1
    return index - start
