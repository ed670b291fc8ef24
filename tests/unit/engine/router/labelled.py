"""Labelled requests, and how many of them the rules decide and decide rightly."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from engine.router import Directory, decide_by_rules, read_request

HERE = Path(__file__).parent
NOBODY = Directory()


@dataclass
class Figures:
    """Of one list. `misses` are those of open lists only; a sealed one is never shown."""

    decided: float
    right: float
    misses: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return f"decided without a model {self.decided:.1%}, of those right {self.right:.1%}"


def load(name: str) -> list[tuple[str, str]]:
    """Give label and text of each line."""
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [(row["label"], row["text"]) for row in rows]


def measure(name: str) -> Figures:
    """Give the figures of a list."""
    misses, decided, right = list[str](), 0, 0
    rows = load(name)
    for label, text in rows:
        route = decide_by_rules(read_request(text), NOBODY, NOBODY)
        decided += route is not None
        right += route is not None and route.way == label
        if name != "sealed" and (route is None or route.way != label):
            misses.append(f"{text[:60]!r}: {label}, not {route and route.way} ({route and route.reason})")
    return Figures(decided / len(rows), right / decided, misses)
