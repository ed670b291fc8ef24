"""What people call themselves and their files, told to a model as a name: one line that is no word of ours."""

from __future__ import annotations

import unicodedata
from itertools import islice

import regex

_CHARACTER = regex.compile(r"\X")
_FRAME = str.maketrans("[]", "()")


def as_name(given: str, most_chars: int) -> str:
    """Give a name on one line, cut, and without the brackets that frame it and signs that nobody sees.

    `most_chars` as a reader counts them; in code points, at most four times as many.
    """
    # Control and format characters may break the line or turn the direction of what follows.
    visible = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in given)
    line = " ".join("".join(char for char in visible if not _is_invisible(char)).split())
    return _short(line, most_chars).translate(_FRAME).strip()


def _short(line: str, most_chars: int) -> str:
    most = most_chars * 4
    ends = [match.end() for match in islice(_CHARACTER.finditer(line), most_chars)]
    return line[: max((end for end in ends if end <= most), default=most)]


def _is_invisible(char: str) -> bool:
    # The joiner stays: it holds emoji together.
    return char != "\u200d" and unicodedata.category(char) in ("Cf", "Cs")
