"""Ids that sort by creation: 26 characters of Crockford's base 32, 48 bits of milliseconds and 80 random bits."""

from __future__ import annotations

import os
import threading
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80


class Ids:
    """Makes ids that rise even within one millisecond. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def new(self, now_ms: int | None = None) -> str:
        """Give the next id; `now_ms` (UTC) is for tests."""
        stamp = time.time_ns() // 1_000_000 if now_ms is None else now_ms
        fresh = (stamp << _RANDOM_BITS) | int.from_bytes(os.urandom(_RANDOM_BITS // 8), "big")
        with self._lock:
            self._last = value = fresh if fresh > self._last else self._last + 1
        return _encode(value)


def _encode(value: int) -> str:
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


_ids = Ids()


def new_id() -> str:
    """Give an id no other process gives, greater than all ids this process gave before."""
    return _ids.new()
