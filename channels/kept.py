"""What is remembered of much that passes by: the newest, and no more than fits."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(MutableMapping[K, V]):
    """A mapping of at most `most` entries. Setting one makes it the newest; for a new one the oldest goes.

    Example:
        names: Kept[str, str] = Kept(5_000)
        names["u1"] = "Ada"
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: dict[K, V] = {}
        """Oldest first."""

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __setitem__(self, key: K, value: V) -> None:
        self._entries.pop(key, None)
        self._entries[key] = value
        if len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]

    def __delitem__(self, key: K) -> None:
        del self._entries[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
