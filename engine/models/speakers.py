"""Who said what, told to a model as data: `[Lin Wei] ...`, where more than one person speaks."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import islice

import regex

from engine.messages import Message, UserMessage

MAX_NAME_CHARS = 40
"""As a reader counts them; in code points, at most four times as many."""
_CHARACTER = regex.compile(r"\X")
_FRAME = str.maketrans("[]", "()")


def prefixes(messages: Sequence[Message]) -> dict[str, str]:
    """Give what stands before a person's words, by the name as it is stored; empty while only one person speaks.

    A name is whatever people call themselves: it comes as one line, cut, and without the brackets that frame it.
    """
    names = {message.name for message in messages if isinstance(message, UserMessage)}
    shown = {name: label for name in names if (label := _label(name))}
    return {name: f"[{label}] " for name, label in shown.items()} if len(shown) > 1 else {}


def _label(name: str) -> str:
    # Control and format characters may break the line or turn the direction of what follows.
    visible = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in name)
    line = " ".join("".join(char for char in visible if not _is_invisible(char)).split())
    return _short(line).translate(_FRAME).strip()


def _short(line: str) -> str:
    most = MAX_NAME_CHARS * 4
    ends = [match.end() for match in islice(_CHARACTER.finditer(line), MAX_NAME_CHARS)]
    return line[: max((end for end in ends if end <= most), default=most)]


def _is_invisible(char: str) -> bool:
    # The joiner stays: it holds emoji together.
    return char != "\u200d" and unicodedata.category(char) in ("Cf", "Cs")
