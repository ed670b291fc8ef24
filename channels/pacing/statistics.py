"""What the pacer and the streams of one account did, as numbers for `/metrics` and the bench."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Spread:
    """Distribution of a duration in seconds, from a bounded sample; zeros without data."""

    count: int = 0
    p50_s: float = 0.0
    p95_s: float = 0.0
    p99_s: float = 0.0
    max_s: float = 0.0


class Reservoir:
    """A fair sample of all values, of bounded size; the maximum is exact."""

    def __init__(self, size: int = 2048) -> None:
        self._size = size
        self._values: list[float] = []
        self._count = 0
        self._max = 0.0
        self._random = random.Random(0)

    def add(self, value: float) -> None:
        """Take a value in."""
        self._count += 1
        self._max = max(self._max, value)
        if len(self._values) < self._size:
            self._values.append(value)
            return
        place = int(self._random.random() * self._count)
        if place < self._size:
            self._values[place] = value

    def spread(self) -> Spread:
        """Give the distribution so far."""
        if not self._values:
            return Spread()
        ordered = sorted(self._values)
        top = len(ordered) - 1
        p50, p95, p99 = (ordered[round(top * share)] for share in (0.5, 0.95, 0.99))
        return Spread(self._count, p50, p95, p99, self._max)


@dataclass(slots=True)
class WriteLog:
    """Counts of all card streams of one account, written by the streams themselves."""

    wanted: int = 0
    """Snapshots that differed from the one before."""
    written: int = 0
    """Snapshots the platform took."""
    merged: int = 0
    """Snapshots replaced by a newer one before their turn."""
    refused: int = 0
    """Requests the platform refused, for whatever reason."""
    throttled: int = 0
    """Frames that waited for the account's budget, not only for their tick."""
    gap: Reservoir = field(default_factory=Reservoir)
    """Between two writes of one card while it had something new to show."""
    hidden: Reservoir = field(default_factory=Reservoir)
    """Age of the newest text at the moment it became visible."""
    stale: Reservoir = field(default_factory=Reservoir)
    """Age of the oldest text that was still hidden at that moment."""


@dataclass(frozen=True, slots=True)
class MethodStatistics:
    """One API method of the account."""

    granted: int
    promised: int
    """Granted to a frame that has not sent them yet."""
    refused: int
    in_second: int
    in_minute: int
    factor: float
    """1 normally; below 1 while recovering from refusals."""
    preview_gap_s: float
    """Time between two previews of one card if all live cards had something to show."""


@dataclass(frozen=True, slots=True)
class PacerStatistics:
    """One account at one moment."""

    live_cards: int
    previews_of_month: int
    mode: Literal["exempt", "counted"]
    switches: int
    """How often `app_limit = "auto"` went over to counting."""
    waiting_urgent: int
    waiting_previews: int
    joins_refused: int
    methods: dict[str, MethodStatistics]
    wanted: int
    written: int
    merged: int
    refused: int
    throttled: int
    gap: Spread
    hidden: Spread
    stale: Spread
