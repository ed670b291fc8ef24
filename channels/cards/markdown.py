"""Markdown that grows: what can be shown of it, and how it is split into parts."""

from __future__ import annotations

from collections.abc import Callable


def split(text: str, limit: int, *, measure: Callable[[str], int] = len) -> list[str]:
    """Give `text` in parts of at most `limit`."""
    return Parts(limit, measure=measure).of(text, growing=False)


class Parts:
    """Splits one growing text."""

    def __init__(self, limit: int, *, measure: Callable[[str], int] = len) -> None:
        self._limit = limit
        self._measure = measure

    def of(self, text: str, *, growing: bool) -> list[str]:
        """Give the parts of `text`; none for an empty text."""
        parts: list[str] = []
        for line in text.splitlines(keepends=True):
            if parts and self._measure(parts[-1]) + self._measure(line) <= self._limit:
                parts[-1] += line
            else:
                parts.append(line)
        return parts
