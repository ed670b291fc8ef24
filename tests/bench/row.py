"""One line of the bench table: what was measured, the figure, and the budget it is held against."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """A figure with its budget; without `limit` it is told for the reader only. `low` is a lower bound."""

    what: str
    figure: float
    unit: str
    limit: float | None = None
    low: float | None = None

    @property
    def ok(self) -> bool | None:
        """Tell whether the figure is inside its budget; `None` without one."""
        if self.limit is None:
            return None
        return self.figure <= self.limit and (self.low is None or self.figure >= self.low)

    @property
    def budget(self) -> str:
        """Give the budget in words."""
        if self.limit is None:
            return ""
        if self.low is not None:
            return f"{self.low:g}..{self.limit:g} {self.unit}"
        return f"<= {self.limit:g} {self.unit}"

    def as_json(self) -> dict[str, Any]:
        """Give all of it."""
        return {**asdict(self), "budget": self.budget, "ok": self.ok}


def percentile(values: Iterable[float], share: float) -> float:
    """Give the value below which `share` (0..1) of all lie; not a number without values."""
    ordered = sorted(values)
    return ordered[round((len(ordered) - 1) * share)] if ordered else float("nan")


def table(name: str, rows: Sequence[Row]) -> str:
    """Draw the rows of one bench."""
    lines = [f"\n{name}"]
    for row in rows:
        mark = {True: "ok", False: "OVER", None: ""}[row.ok]
        lines.append(f"  {row.what:<58} {_shown(row.figure):>10} {row.unit:<6} {row.budget:<18} {mark}")
    return "\n".join(lines)


def _shown(figure: float) -> str:
    if figure != figure:
        return "none"
    return f"{figure:.0f}" if abs(figure) >= 100 or figure == int(figure) else f"{figure:.2f}"
