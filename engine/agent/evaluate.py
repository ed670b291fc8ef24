"""Rules that decide after a round whether to go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from engine.agent.state import CallResult, Pass, Stage
from engine.settings import AgentSettings


def evaluate(work: Pass, settings: AgentSettings) -> Stage:
    """Take note of the finished round and choose what comes next; `work.exhausted` says why no further round may be."""
    signature = _signature(work.results)
    work.identical = work.identical + 1 if signature == work.signature else 0
    work.signature = signature
    work.round += 1
    if work.identical >= settings.max_identical_rounds:
        work.exhausted = "going_in_circles"
    elif work.round >= settings.max_tool_rounds:
        work.exhausted = "tool_rounds_used_up"
    return Stage.SUMMARIZE if work.exhausted else Stage.PLAN


def _signature(results: Sequence[CallResult]) -> str:
    facts = [(result.name, result.asked, result.result.success, result.result.text) for result in results]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()
