"""Who works, and in which order: serial groups of lanes that work beside each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from engine.messages import Usage, Value
from engine.profiles import Profile

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_IN_TURN = re.compile(
    r"先.{1,60}(?:再|然后|接着|最后|之后)|然后|接着|根据(?:结果|它|上面)|"
    r"\bfirst\b.{1,80}\b(?:then|after|finally)\b|\bthen\b|\bafter that\b|\bbased on (?:that|it|the result)\b",
    re.IGNORECASE | re.DOTALL,
)


class PlannedLane(Value):
    """One lane. `id` names it within the run, `agent` who works in it."""

    id: str
    agent: str


class LanePlan(Value):
    """The order of a run's lanes; recorded, so that a resumed run keeps it whatever agents there are then."""

    v: int = 1
    steps: tuple[tuple[PlannedLane, ...], ...] = ()
    by: str = "rules"
    usage: Usage = Usage()

    @property
    def lanes(self) -> tuple[PlannedLane, ...]:
        """Give all lanes, in order."""
        return tuple(lane for step in self.steps for lane in step)


def plan_of(steps: Sequence[Sequence[str]], *, most: int, by: str = "rules", usage: Usage | None = None) -> LanePlan:
    """Give the plan of agents' names; at most `most` lanes, each named once within the run."""
    seen: Counter[str] = Counter()
    planned: list[tuple[PlannedLane, ...]] = []
    for step in steps:
        lanes: list[PlannedLane] = []
        for agent in dict.fromkeys(step):
            if seen.total() < most:
                seen[agent] += 1
                lanes.append(PlannedLane(id=agent if seen[agent] == 1 else f"{agent}-{seen[agent]}", agent=agent))
        if lanes:
            planned.append(tuple(lanes))
    return LanePlan(steps=tuple(planned), by=by, usage=usage or Usage())


def by_words(words: str, agents: Sequence[Profile]) -> list[list[str]]:
    """Give the order that a request's words show: one after the other where it says so, else all beside each other."""
    names = [each.id for each in agents]
    if len(names) < 2 or not _IN_TURN.search(words):
        return [names]
    places = {each.id: _first_place(words.lower(), each) for each in agents}
    return [[name] for name in sorted(names, key=lambda name: places[name])]


def read_steps(text: str, known: Sequence[str]) -> list[list[str]] | None:
    """Give the order a model wrote; `None` when it is none: an illegal plan is not mended but left."""
    found = _OBJECT.search(text.replace("{{", "{").replace("}}", "}"))
    try:
        said: Any = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        return None  # that text is no JSON is an answer like others here
    steps = cast("dict[str, Any]", said).get("steps") if isinstance(said, dict) else None
    if not isinstance(steps, list) or not steps:
        return None
    read = [_names(step) for step in cast("list[Any]", steps)]
    named = [name for step in read if step for name in step]
    is_legal = all(read) and all(name in known for name in named)
    return [step for step in read if step] if is_legal else None


def _names(step: Any) -> list[str] | None:
    values = cast("list[Any]", step) if isinstance(step, list) else [step]
    return [str(each) for each in values] if values and all(isinstance(each, str) for each in values) else None


def _first_place(words: str, agent: Profile) -> int:
    places = [words.find(word.lower()) for word in (*agent.names, *agent.keywords)]
    return min((place for place in places if place >= 0), default=len(words))
