"""What a person can read of a plan that is still being written: what it is for, and what each action is for."""

from __future__ import annotations

import json
import re

MAX_CHARS = 20_000
"""Of an answer, so much is looked at while it is being written."""
_SAID = re.compile(r'(?<!\\)"(goal|repair_reason|purpose)"\s*:\s*("(?:[^"\\]|\\.)*")')


class Glimpse:
    """Takes an answer piece by piece; gives its readable lines, which only grow."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._lines: list[str] = []
        self._actions = 0

    def add(self, piece: str) -> bool:
        """Take the next piece; true when there is more to read."""
        if len(self._text) > MAX_CHARS:
            return False
        self._text += piece
        before = len(self._lines)
        if '"' in piece:
            self._read()
        return len(self._lines) > before

    @property
    def text(self) -> str:
        """Give what can be read so far."""
        return "\n".join(self._lines)

    def _read(self) -> None:
        for found in _SAID.finditer(self._text, self._at):
            self._at = found.end()
            words = _plain(found[2])
            if words and found[1] == "purpose":
                self._actions += 1
                self._lines.append(f"{self._actions}. {words}")
            elif words:
                self._lines.append(words)


def glimpse(text: str) -> str:
    """Give the readable lines of an answer that breaks off."""
    seen = Glimpse()
    seen.add(text[:MAX_CHARS])
    return seen.text


def _plain(quoted: str) -> str:
    try:
        return " ".join(str(json.loads(quoted, strict=False)).split())
    except ValueError:
        return ""
