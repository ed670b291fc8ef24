"""Where a text may be cut without breaking what a reader sees as one character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

import regex

_CLUSTER = regex.compile(r"\X")
_ALONE = re.compile("[ -\u02ff\u2010-\u2027\u3000-\u3029\u4e00-\u9fff\uff01-\uff60]*")
"""Latin, usual signs and Chinese: each of them is a character by itself, whatever of them stands beside it."""
_JOINER = "\u200d"
_LOOKS_BACK = 512
"""A row of flags is counted from its start; a longer row may be cut in the middle of one."""


def starts(line: str, most: int) -> Sequence[int]:
    """Give where the first `most` characters of a line begin."""
    if _ALONE.fullmatch(line):
        return range(min(len(line), most))
    return [match.start() for match in islice(_CLUSTER.finditer(line), most)]


def is_boundary(text: str, index: int) -> bool:
    """Tell whether `text` may be cut before `index`: not inside an emoji family, a flag, an accent or CR LF."""
    return floor(text, index) == max(0, min(index, len(text)))


def floor(text: str, index: int) -> int:
    """Give the last place at or before `index` where `text` may be cut."""
    if index <= 0 or index >= len(text):
        return max(0, min(index, len(text)))
    if _is_alone(text[index - 1]) and _is_alone(text[index]):
        return index - 1 if text[index - 1 : index + 1] == "\r\n" else index
    best = index
    for match in _CLUSTER.finditer(text, _safe_start(text, index)):
        if match.end() > index:
            return match.start() if match.start() < index else best
        best = match.end()
    return best


def ceiling(text: str, index: int) -> int:
    """Give the first place at or after `index` where `text` may be cut."""
    while not is_boundary(text, index):
        index += 1
    return index


def open_end(text: str, start: int, end: int) -> int:
    """Give how far `text[start:end]` may be shown while more may come: not half a flag, not a dangling joiner."""
    while end > start and text[end - 1] >= _JOINER and (text[end - 1] == _JOINER or _is_half_a_flag(text, end)):
        end -= 1
    return end


def _is_alone(char: str) -> bool:
    """Tell quickly whether a character joins no other of its kind: Latin and its signs, Chinese ideographs."""
    return char < "\u0300" or "\u4e00" <= char <= "\u9fff"


def _safe_start(text: str, index: int) -> int:
    """Give a place before `index` from where characters can be told apart."""
    least = max(0, index - _LOOKS_BACK)
    start = index - 1
    while start > least and not _is_alone(text[start]):
        start -= 1
    return start


def _is_half_a_flag(text: str, end: int) -> bool:
    if not "\U0001f1e6" <= text[end - 1] <= "\U0001f1ff":
        return False
    window = text[max(0, end - _LOOKS_BACK) : end]
    return floor(window, len(window) - 1) == len(window) - 1
