"""The eight ways a stage can fail, each with what becomes of it; and the three signals, which stay different.

| kind | then | round | repair |
|---|---|---|---|
| ModelOutputParseError | ask again | no | no |
| ToolNotFound | repair | no | yes |
| ToolArgsInvalid | repair | no | yes |
| ToolExecutionFailed | repair | yes | yes |
| ToolTimeout | repair | yes | yes |
| OutputUnparseable | repair | yes | yes |
| CompletionCriteriaNotMet | repair | yes | yes |
| ExternalServiceUnavailable | report | yes | no |

`round`: the round it happened in uses up the allowance of tool rounds; where nothing ran, it does not. `repair`: it
uses up the allowance of repairs. What a person decided is never repaired: it is the third signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Signal = Literal["retry", "adapt", "person", "stop", "none"]
"""retry: the model may mend its own words; adapt: the tool failed, so another way is needed; person: one must approve,
or did not; stop: a person ended the run, which is a result; none: nothing went wrong by itself."""
Then = Literal["ask_again", "repair", "report"]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What becomes of one kind of failure. `code` is what results carry; `advice` is told to the model after why."""

    kind: str
    code: str
    signal: Signal
    then: Then
    counts_as_round: bool
    counts_as_repair: bool
    advice: str

    @property
    def text_key(self) -> str:
        """Give the key of what a person reads."""
        return f"error.{self.code}"

    def told(self, why: str) -> str:
        """Give what the model is told."""
        return f"{why.rstrip('.')}. {self.advice}"


_TABLE = (
    Recovery(
        "ModelOutputParseError",
        "model_bad_output",
        "retry",
        "ask_again",
        counts_as_round=False,
        counts_as_repair=False,
        advice="Give exactly one JSON object of the asked form and nothing else.",
    ),
    Recovery(
        "ToolNotFound",
        "tool_not_found",
        "retry",
        "repair",
        counts_as_round=False,
        counts_as_repair=True,
        advice="Choose one of the tools that there are.",
    ),
    Recovery(
        "ToolArgsInvalid",
        "tool_args_invalid",
        "retry",
        "repair",
        counts_as_round=False,
        counts_as_repair=True,
        advice="Mend the call and try again.",
    ),
    Recovery(
        "ToolExecutionFailed",
        "tool_failed",
        "adapt",
        "repair",
        counts_as_round=True,
        counts_as_repair=True,
        advice="Read what it says and plan another way; the same call again gives the same.",
    ),
    Recovery(
        "ToolTimeout",
        "tool_timeout",
        "adapt",
        "repair",
        counts_as_round=True,
        counts_as_repair=True,
        advice="Ask for less at once, or take another tool.",
    ),
    Recovery(
        "OutputUnparseable",
        "output_unparseable",
        "retry",
        "repair",
        counts_as_round=True,
        counts_as_repair=True,
        advice="Make the tool give JSON, or use what its text says and expect no fields.",
    ),
    Recovery(
        "CompletionCriteriaNotMet",
        "criteria_not_met",
        "retry",
        "repair",
        counts_as_round=True,
        counts_as_repair=True,
        advice="Add the actions that give what is missing.",
    ),
    Recovery(
        "ExternalServiceUnavailable",
        "service_unavailable",
        "adapt",
        "report",
        counts_as_round=True,
        counts_as_repair=False,
        advice="Do not try again now; say that it cannot be reached.",
    ),
)
RECOVERIES: Mapping[str, Recovery] = {each.code: each for each in _TABLE}
"""By code."""
PERSON_CODES = frozenset({"permission_denied", "denied", "approval_expired"})
"""A rule or a person said no, or nobody answered: the model goes on without it and does not ask for it again."""


def recovery_of(code: str | None) -> Recovery | None:
    """Give the row of a failed result; an unknown code is a tool that failed.

    `None` where there is nothing to repair: success, what a person decided, a stop, a call that was held back.
    """
    if signal_of(code) in ("none", "person", "stop"):
        return None
    return RECOVERIES.get(code or "", RECOVERIES["tool_failed"])


def signal_of(code: str | None) -> Signal:
    """Tell what kind of news the code of a result is."""
    if code is None or code == "held_back":
        return "none"
    if code == "stopped":
        return "stop"
    if code in PERSON_CODES:
        return "person"
    return RECOVERIES.get(code, RECOVERIES["tool_failed"]).signal


def counts_as_round(codes: Iterable[str | None]) -> bool:
    """Tell whether a round with these results uses up one of the allowed rounds: some call of it was made."""
    rows = [recovery_of(code) for code in codes if code != "held_back"]
    return not rows or any(row is None or row.counts_as_round for row in rows)


def is_failing(codes: Iterable[str | None]) -> bool:
    """Tell whether a round brought nothing but failures that are repaired."""
    rows = [recovery_of(code) for code in codes if code != "held_back"]
    return bool(rows) and all(row is not None and row.counts_as_repair for row in rows)


def is_unavailable(codes: Iterable[str | None]) -> bool:
    """Tell whether a round brought nothing because something outside is not there: this is reported at once."""
    rows = [recovery_of(code) for code in codes if code != "held_back"]
    return bool(rows) and all(row is not None for row in rows) and any(row and row.then == "report" for row in rows)
