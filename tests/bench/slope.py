"""Whether a figure grows: its slope over time, told by the middle of all pairs, so that one jerk does not decide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median


def per_minute(times_s: Sequence[float], figures: Sequence[float]) -> float:
    """Give how much the figure grows in a minute (Theil and Sen); 0 with fewer than two points."""
    points = list(zip(times_s, figures, strict=True))
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2) if b[0] > a[0]]
    return 60 * median(slopes) if slopes else 0.0


def second_half(figures: Sequence[float]) -> list[float]:
    """Give the later half: what a process takes once is in the first one."""
    return list(figures[len(figures) // 2 :])
