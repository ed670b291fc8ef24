"""What a lane gave, and how it is handed on: as data between marks that it cannot close."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from engine.agent.prompt import prompt
from engine.messages import Value
from engine.profiles import Profile
from engine.tools.cut import cut

AGENT_LIST = "{agentList}"
MAX_RESULT_CHARS = 12_000
"""Of one lane's words that others read."""


class LaneResult(Value):
    """How a lane ended; recorded under its path, so that no other lane's is taken for it."""

    v: int = 1
    lane: str
    agent: str
    status: Literal["done", "stopped", "failed"]
    answer: str = ""
    error: str | None = None
    has_read_foreign: bool = False
    """It has read what strangers wrote; who reads its words has read it too."""


def aggregation(results: Sequence[LaneResult], agents: Sequence[Profile], own: str = "") -> str:
    """Give the main agent's words to a model: put these together. `own` is the operator's prompt."""
    asked = (own.strip() or prompt("aggregate")).replace(AGENT_LIST, agent_list(agents))
    return f"{asked}\n\n{as_data(results)}"


def handed_on(results: Sequence[LaneResult]) -> str:
    """Give what a later lane is told of earlier ones; empty when there are none."""
    return f"{prompt('handed_on')}\n\n{as_data(results)}" if results else ""


def agent_list(agents: Sequence[Profile]) -> str:
    """Give one line for each agent."""
    return "\n".join(f"- {each.id}: {each.when_to_use}" for each in agents) or "(there are none)"


def as_data(results: Sequence[LaneResult]) -> str:
    """Give the results between marks."""
    return "\n\n".join(_framed(each) for each in results)


def _framed(result: LaneResult) -> str:
    words = cut(result.answer.strip(), MAX_RESULT_CHARS).replace("<<<", "< < <").replace(">>>", "> > >")
    ended = result.status if result.error is None else f"{result.status}: {result.error}"
    return f"<<< {result.lane} ({ended})\n{words or '(no words)'}\n>>>"
