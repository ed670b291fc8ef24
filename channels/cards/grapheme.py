"""Where a text may be cut without breaking what a reader sees as one character."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_EXTENDING = frozenset({"Mn", "Me", "Mc"})


def is_boundary(text: str, index: int) -> bool:
    """Tell whether `text` may be cut before `index`: not inside an emoji family, a flag, an accent or CR LF."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _JOINER:
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        return _flag_halves_before(text, index) % 2 == 0
    return not _joins_hangul(before, after)


def floor(text: str, index: int) -> int:
    """Give the last place at or before `index` where `text` may be cut."""
    while not is_boundary(text, index):
        index -= 1
    return max(0, index)


def ceiling(text: str, index: int) -> int:
    """Give the first place at or after `index` where `text` may be cut."""
    while not is_boundary(text, index):
        index += 1
    return index


def open_end(text: str, start: int, end: int) -> int:
    """Give how far `text[start:end]` may be shown while more may come: not half a flag, not a dangling joiner."""
    while end > start and (text[end - 1] == _JOINER or _flag_halves_before(text, end) % 2):
        end -= 1
    return end


def _extends(char: str) -> bool:
    return (
        char == _JOINER
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or unicodedata.category(char) in _EXTENDING
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flag_halves_before(text: str, index: int) -> int:
    count = 0
    while count < index and _is_flag_half(text[index - 1 - count]):
        count += 1
    return count


def _joins_hangul(before: str, after: str) -> bool:
    vowel_or_tail = "\u1160" <= after <= "\u11ff"
    return vowel_or_tail and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
