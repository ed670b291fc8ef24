"""What a run's calls came to: by model and by tool, and all together. What is unknown is counted as unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.runs.story import Beat


@dataclass(slots=True)
class Tally:
    """Calls of one model or tool. `cost` is US dollars of the calls with a known price, `None` when there is none.

    `untimed`, `uncounted` and `unpriced` are how many calls nobody measured, told tokens of, or knows the price of.
    """

    name: str
    calls: int = 0
    failed: int = 0
    took_ms: int = 0
    untimed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    uncounted: int = 0
    cost: float | None = None
    unpriced: int = 0

    def add(self, beat: Beat) -> None:
        """Count a call."""
        facts = beat.facts
        self.calls += 1
        self.failed += facts.get("error") is not None or facts.get("status") == "fail"
        took_ms = facts.get("took_ms")
        self.took_ms, self.untimed = self.took_ms + (took_ms or 0), self.untimed + (took_ms is None)
        if beat.kind == "model":
            self._add_use(beat)

    def add_failed_try(self) -> None:
        """Count a try whose time is that of the call it belongs to; nobody told what it used."""
        self.calls, self.failed = self.calls + 1, self.failed + 1
        self.uncounted, self.unpriced = self.uncounted + 1, self.unpriced + 1

    def _add_use(self, beat: Beat) -> None:
        read, wrote, cost = (beat.facts.get(name) for name in ("input_tokens", "output_tokens", "cost"))
        if read is None or wrote is None:
            self.uncounted += 1
        else:
            self.input_tokens, self.output_tokens = self.input_tokens + read, self.output_tokens + wrote
        if cost is None or read is None:
            self.unpriced += 1
        else:
            self.cost = (self.cost or 0.0) + cost


@dataclass(frozen=True, slots=True)
class Totals:
    """All calls of a run."""

    models: list[Tally] = field(default_factory=list[Tally])
    tools: list[Tally] = field(default_factory=list[Tally])

    @property
    def used(self) -> Tally:
        """Give all model calls together."""
        costs = [each.cost for each in self.models if each.cost is not None]
        sums = {
            name: sum(getattr(each, name) for each in self.models)
            for name in (
                "calls",
                "failed",
                "took_ms",
                "untimed",
                "input_tokens",
                "output_tokens",
                "uncounted",
                "unpriced",
            )
        }
        return Tally("", cost=sum(costs) if costs else None, **sums)


def totals(beats: Iterable[Beat]) -> Totals:
    """Add up the calls of a story."""
    models: dict[str, Tally] = {}
    tools: dict[str, Tally] = {}
    for beat in beats:
        if beat.kind == "model":
            for failed in beat.facts["retried"]:
                name = str(failed.get("model"))
                models.setdefault(name, Tally(name)).add_failed_try()
        if beat.kind in ("model", "tool"):
            name = str(beat.facts.get("model") or beat.facts.get("name") or "")
            (models if beat.kind == "model" else tools).setdefault(name, Tally(name)).add(beat)
    return Totals(list(models.values()), list(tools.values()))
