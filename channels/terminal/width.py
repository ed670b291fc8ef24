"""How many cells a text takes on a terminal, and text that cannot do anything but be read.

The rules are those of `wcwidth`: East Asian wide and full-width characters take two cells, combining ones none, an
emoji sequence two. Ambiguous ones take one, as in every terminal that is not told otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import regex

TAB = "    "
_CLUSTER = regex.compile(r"\X")
_EMOJI_STYLE = "\ufe0f"
_JOINER = "\u200d"
_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # strings: titles, links, clipboard, device control
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONE = re.compile("[\ud800-\udfff]")
_EASY = re.compile(r"[\n\x20-\x7e\u00a0-\u02ff\u4e00-\u9fff\u3001-\u3002\uff01-\uff5e]*")


def clean(text: str) -> str:
    """Take out everything that a terminal would obey instead of show; line breaks stay, tabs become spaces.

    Goes too: what reorders text (a reader must see what a program would read), and half a surrogate pair.
    """
    if _EASY.fullmatch(text):
        return text
    text = _BREAK.sub("\n", _SEQUENCE.sub("", text)).replace("\t", TAB)
    return _LONE.sub("\ufffd", _CONTROL.sub("", text))


def one_line(text: str) -> str:
    """Give clean text on one line."""
    return " ".join(clean(text).split())


def clusters(text: str) -> Iterator[str]:
    """Give what a reader sees as one character, in order."""
    if text.isascii():
        yield from text
    else:
        for match in _CLUSTER.finditer(text):
            yield match.group()


def width(text: str) -> int:
    """Give the cells of a clean text without line breaks."""
    return len(text) if text.isascii() else sum(cells(each) for each in clusters(text))


@lru_cache(maxsize=4096)
def cells(cluster: str) -> int:
    """Give the cells of one character as a reader sees it."""
    if len(cluster) > 1 and (_EMOJI_STYLE in cluster or _JOINER in cluster or _is_flag(cluster)):
        return 2
    return max(map(_cells, cluster), default=0)


def clip(text: str, most: int, *, mark: str = "…") -> str:
    """Give one clean line in at most `most` cells, `mark` included where it goes on."""
    if width(text) <= most:
        return text
    kept, used, room = list[str](), 0, most - width(mark)
    for each in clusters(text):
        if used + cells(each) > room:
            break
        kept.append(each)
        used += cells(each)
    return "".join(kept).rstrip() + mark if most >= width(mark) else ""


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    if "\u1160" <= char <= "\u11ff":
        return 0  # vowels and finals of a Korean syllable join the first letter
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _is_flag(cluster: str) -> bool:
    return len(cluster) == 2 and all("\U0001f1e6" <= char <= "\U0001f1ff" for char in cluster)
