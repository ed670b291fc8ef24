"""What is typed, as keys: text, named keys and pastes, however the bytes arrive."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_PASTE_BEGIN, _PASTE_END = "\x1b[200~", "\x1b[201~"
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[0-?]*[@-~])")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O[0-?]*)?")
_NAMED = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end",
    "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end", "\x1b[3~": "delete",
    "\x1b[1;5C": "word_right", "\x1b[1;5D": "word_left", "\x1b[1;3C": "word_right", "\x1b[1;3D": "word_left",
    "\r": "enter", "\n": "newline", "\x7f": "backspace", "\x08": "backspace", "\t": "tab",
    "\x01": "home", "\x02": "left", "\x03": "interrupt", "\x04": "end_of_input", "\x05": "end", "\x06": "right",
    "\x0b": "kill_end", "\x0c": "redraw", "\x0e": "down", "\x10": "up", "\x14": "unfold", "\x15": "kill_begin",
    "\x17": "kill_word",
}  # fmt: skip
"""Control sequences of xterm and its kin, and the usual control letters of line editors."""


@dataclass(frozen=True, slots=True)
class Key:
    """`text`: characters as typed. `paste`: a block, possibly of many lines. `named`: see `_NAMED`. `alt`: Alt + it."""

    kind: Literal["text", "paste", "named", "alt"]
    value: str


class Keys:
    """Reads keys from bytes that may end in the middle of anything."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._left = ""

    @property
    def waits(self) -> bool:
        """Tell whether an escape may be a key of its own: it is, when nothing follows soon."""
        return bool(self._left) and not self._left.startswith(_PASTE_BEGIN)

    def feed(self, data: bytes) -> Iterator[Key]:
        """Give the keys that are complete."""
        self._left += self._decode.decode(data)
        while self._left:
            key, size = self._next()
            if not size:
                return
            self._left = self._left[size:]
            if key is not None:
                yield key

    def settle(self) -> None:
        """Nothing followed: what was begun is no key of ours."""
        if self.waits:
            self._left = ""

    def _next(self) -> tuple[Key | None, int]:
        """Give the first key and how many characters it takes; 0 when more must come."""
        text = self._left
        if text.startswith(_PASTE_BEGIN):
            end = text.find(_PASTE_END)
            if end < 0:
                return None, 0
            return Key("paste", text[len(_PASTE_BEGIN) : end]), end + len(_PASTE_END)
        if text[0] == "\x1b":
            return self._escaped(text)
        if text[0] in _NAMED:
            return Key("named", _NAMED[text[0]]), 1
        if text[0] < " " or "\x7f" <= text[0] <= "\x9f":
            return None, 1
        size = next((at for at, char in enumerate(text) if char < " " or char == "\x7f"), len(text))
        return Key("text", text[:size]), size

    @staticmethod
    def _escaped(text: str) -> tuple[Key | None, int]:
        if found := _SEQUENCE.match(text):
            name = _NAMED.get(found.group())
            return Key("named", name) if name else None, found.end()
        if _UNFINISHED.fullmatch(text):
            return None, 0
        if text[1] == "\x1b":
            return None, 1
        return Key("alt", "enter" if text[1] == "\r" else text[1]), 2
