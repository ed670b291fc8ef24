"""Mending characters that a provider cut in half: one UTF-16 surrogate in one chunk, the other in the next."""

from __future__ import annotations

import re

_ANY = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Joiner:
    """Holds back a leading half until the other half comes; what stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._half = ""

    def take(self, piece: str) -> str:
        """Give the part of the text so far that can be shown."""
        if not self._half and (piece.isascii() or _ANY.search(piece) is None):
            return piece
        text = self._half + piece
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._half, text = text[-1], text[:-1]
        return mended(text)

    def end(self) -> str:
        """Give what was held back and never completed."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""


def mended(text: str) -> str:
    """Join halves that stand side by side and replace lone ones."""
    if _ANY.search(text) is None:
        return text
    joined = _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _ANY.sub("\ufffd", joined)
