"""What can be told of a round without a model: failed calls, expected fields that are not there, nothing to show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from engine.agent.recovery import RECOVERIES, recovery_of, signal_of
from engine.agent.staged.results import EvaluationResult, PlannedAction
from engine.agent.state import CallResult
from engine.messages import Value
from engine.tools.base import ToolResult
from engine.tools.cut import cut

MAX_WHY_CHARS = 1_000
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*")
"""What names a field; other expectations are words, which only a model can judge."""


class Finding(Value):
    """One thing that is wrong with a round. `code` is that of a recovery; `told` is what the model is told."""

    code: str
    told: str


class Ruled(Value):
    """What the rules say of a round. `is_denied`: a person or a rule said no to some of it, and nothing else failed."""

    v: int = 1
    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()
    is_denied: bool = False

    def result(self) -> EvaluationResult:
        """Give it as an evaluation; complete as far as rules can see."""
        missing = tuple(each.told for each in self.findings)
        return EvaluationResult(completed=not missing, evidence=self.evidence, missing=missing)


def rule(actions: Sequence[PlannedAction], results: Sequence[CallResult]) -> Ruled:
    """Look at each result of the round beside what its action expected."""
    findings = [each for action, result in zip(actions, results, strict=False) for each in _wrong(action, result)]
    evidence = [f"{each.name}: {each.result.summary or 'ok'}" for each in results if each.result.success]
    denied = any(signal_of(each.result.error) == "person" for each in results if not each.result.success)
    return Ruled(findings=tuple(findings), evidence=tuple(evidence), is_denied=denied and not findings)


def faults(actions: Sequence[PlannedAction], results: Sequence[CallResult]) -> list[str | None]:
    """Give for each result the code of what is wrong with it, `None` where nothing is."""
    return [_fault(action, result) for action, result in zip(actions, results, strict=False)]


def _fault(action: PlannedAction, item: CallResult) -> str | None:
    if not item.result.success:
        return item.result.error or "tool_failed"
    return next((each.code for each in _wrong(action, item)), None)


def _wrong(action: PlannedAction, item: CallResult) -> Iterator[Finding]:
    result = item.result
    if not result.success:
        yield from _failed(item)
    elif _is_nothing(result):
        yield _finding("criteria_not_met", f"{item.name} gave nothing: no text and no data")
    else:
        yield from _not_there(action, item.name, result.parsed)


def _failed(item: CallResult) -> Iterator[Finding]:
    code = item.result.error or "tool_failed"
    why = f"{item.name}: {cut(item.result.text or item.result.summary, MAX_WHY_CHARS)}"
    row = recovery_of(code)
    if row is not None:
        yield Finding(code=row.code, told=why if row.advice in why else row.told(why))
    elif code == "held_back":
        yield Finding(code="criteria_not_met", told=why)


def _not_there(action: PlannedAction, name: str, parsed: dict[str, Any]) -> Iterator[Finding]:
    wanted = [each for each in action.expected_output if _FIELD.fullmatch(each)]
    if wanted and not parsed:
        yield _finding("output_unparseable", f"{name} gave no data, so it has no {', '.join(wanted)}")
        return
    lacking = [each for each in wanted if not _has(parsed, each)]
    if lacking:
        there = ", ".join(sorted(parsed))
        yield _finding("criteria_not_met", f"{name} gave no {', '.join(lacking)}; it gave: {there}")


def _has(parsed: Any, path: str) -> bool:
    """Tell whether a field is there under its path, or at any depth under its bare name."""
    first, _, rest = path.partition(".")
    if isinstance(parsed, list):
        return any(_has(each, path) for each in cast("list[Any]", parsed))
    if not isinstance(parsed, dict):
        return False
    given = cast("dict[str, Any]", parsed)
    if first in given and (not rest or _has(given[first], rest)):
        return True
    return not rest and any(_has(each, path) for each in given.values())


def _is_nothing(result: ToolResult) -> bool:
    shown = (result.text, result.summary, result.body, result.parsed, result.artifacts, result.outgoing)
    return not any(shown)


def _finding(code: str, why: str) -> Finding:
    return Finding(code=code, told=RECOVERIES[code].told(why))
