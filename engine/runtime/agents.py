"""Which agents settings describe, for who wants to list them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.messages import Value
from engine.profiles import MAIN, Roster


class AgentView(Value):
    """An agent as its files describe it; see `engine.profiles.Profile`."""

    id: str
    is_main: bool
    enabled: bool
    name_en: str
    name_zh: str
    description: str
    keywords: tuple[str, ...]
    model: str
    tools: tuple[str, ...] | None
    role: str
    prompt: str
    classify_prompt: str
    aggregate_prompt: str


@dataclass(frozen=True, slots=True)
class Agents:
    """All agents, the main one first, and what is wrong with files that were left out."""

    agents: tuple[AgentView, ...]
    problems: tuple[str, ...]


def agents_of(folders: Sequence[Path]) -> Agents:
    """Give the agents that these folders hold now, the later ones over the earlier. Reads files."""
    roster = Roster(folders)
    roster.refresh()
    views = [
        AgentView(
            is_main=each.id == MAIN,
            name_en=each.name.en,
            name_zh=each.name.zh,
            **each.model_dump(exclude={"name"}),
        )
        for each in roster.all
    ]
    return Agents(tuple(views), tuple(roster.problems.values()))
