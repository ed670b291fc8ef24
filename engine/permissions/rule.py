"""One rule of `permissions.toml`: which calls it speaks of, and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from engine.permissions.command import is_covered, mentions
from engine.permissions.request import EffectName, Rank, Request
from engine.permissions.verdict import Ruling, Verdict


class Rule(BaseModel):
    """What is left out matches everything; of a list one entry must match. `*` stands for any characters.

    An allowing rule must cover a call as a whole (every path, every host, the whole command); an asking or denying one
    matches when anything of the call is spoken of.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")
    verdict: Verdict
    reason: str = ""
    tool: tuple[str, ...] = ()
    effect: tuple[EffectName, ...] = ()
    rank: tuple[Rank, ...] = ()
    role: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    conversation: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    each_time: bool = False
    """Of an asking rule: no lasting permission answers its question."""

    def ruling(self, request: Request) -> Ruling | None:
        """Give what it says of a call; `None` when it does not speak of it."""
        if not (self._knows_caller(request) and self._knows_touched(request)):
            return None
        return Ruling(self.verdict, self.id, self.reason, self.each_time)

    def _knows_caller(self, request: Request) -> bool:
        named = (
            (self.tool, request.tool),
            (self.effect, request.effect),
            (self.rank, request.rank),
            (self.role, request.role),
            (self.agent, request.agent),
            (self.person, request.person),
            (self.conversation, request.conversation),
        )
        return all(not patterns or _matches(value, patterns) for patterns, value in named)

    def _knows_touched(self, request: Request) -> bool:
        touched = request.touches
        return (
            self._speaks_of(touched.paths, self.path)
            and self._speaks_of(touched.hosts, self.host)
            and self._speaks_of_command(touched.command)
        )

    def _speaks_of(self, values: Sequence[str], patterns: Sequence[str]) -> bool:
        if not patterns:
            return True
        found = [_matches(value, patterns) for value in values]
        return bool(found) and (all(found) if self.verdict == "allow" else any(found))

    def _speaks_of_command(self, command: str) -> bool:
        if not self.command:
            return True
        matches = is_covered if self.verdict == "allow" else mentions
        return bool(command) and any(matches(command, pattern) for pattern in self.command)


def _matches(value: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(value, pattern) for pattern in patterns)
