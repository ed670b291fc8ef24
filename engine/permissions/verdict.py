"""What a rule says of a call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["allow", "ask", "deny"]

_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict and what it rests on: the id of a rule, `role:<name>`, `default` or `foreign`.

    `reason` is for the model and for the audit, in English.
    """

    verdict: Verdict
    basis: str
    reason: str = ""
    each_time: bool = False
    """What is asked is asked every time: no lasting permission answers it."""


def strictest(rulings: Iterable[Ruling]) -> Ruling | None:
    """Give the strictest ruling, the first of several; `None` when there is none."""
    return max(rulings, key=lambda each: _STRICTNESS[each.verdict], default=None)
