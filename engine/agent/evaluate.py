"""Rules that decide after a round whether to go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from engine.agent.recovery import counts_as_round, is_failing, is_unavailable
from engine.agent.state import CallResult, Pass, Reviewed, Stage
from engine.settings import AgentSettings

MOST_ASIDE = 4
"""Rounds in all, as a multiple of those that count: questions and bars are free, but not without end."""


def evaluate(work: Pass, settings: AgentSettings) -> Stage:
    """Take note of the finished round and choose what comes next; `work.exhausted` says why no further round may be.

    Where an earlier attempt went is gone again, also when it counted otherwise: by other settings, in an older version.
    """
    count(work)
    if work.scope.recorded(f"model/{work.round}"):
        return Stage.PLAN
    work.exhausted = used_up(work, settings)
    if not work.exhausted and work.failing >= settings.max_repairs:
        work.exhausted = "not_completed"
    if not work.exhausted and work.scope.recorded("summary"):
        work.exhausted = "tool_rounds_used_up"
    return Stage.SUMMARIZE if work.exhausted else Stage.PLAN


def count(work: Pass) -> None:
    """Take note of the finished round."""
    signature = _signature(work.results)
    work.identical = work.identical + 1 if signature == work.signature else 0
    work.signature = signature
    codes = codes_of(work.results)
    work.round += 1
    work.spent += counts_as_round(codes) and not _is_aside(work)
    work.failing = work.failing + 1 if is_failing(codes) else 0


def used_up(work: Pass, settings: AgentSettings) -> str:
    """Give the code why no further round may be; empty while one may."""
    if work.identical >= settings.max_identical_rounds:
        return "going_in_circles"
    if is_unavailable(codes_of(work.results)):
        return "service_unavailable"
    is_over = work.spent >= settings.max_tool_rounds or work.round >= settings.max_tool_rounds * MOST_ASIDE
    return "tool_rounds_used_up" if is_over else ""


def _is_aside(work: Pass) -> bool:
    """Tell whether the round did no work: it asked the person, or showed how far the work is, and went well."""
    items, results = work.reviewed, work.results
    beside = (isinstance(item, Reviewed) and item.tool.event_type in ("choice", "todos") for item in items)
    return bool(items) and all(beside) and all(each.result.success for each in results)


def codes_of(results: Sequence[CallResult]) -> list[str | None]:
    """Give the code of each result; `None` for what went well."""
    return [None if each.result.success else each.result.error or "tool_failed" for each in results]


def _same(asked: str) -> str:
    """Give arguments in one way of writing: spaces and order make no other call of it."""
    try:
        return json.dumps(json.loads(asked), sort_keys=True)
    except (ValueError, RecursionError):
        return asked


def _signature(results: Sequence[CallResult]) -> str:
    facts = sorted((each.name, _same(each.asked), each.result.success, each.result.text) for each in results)
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
