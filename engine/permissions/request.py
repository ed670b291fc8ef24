"""A call as the rules see it: who asks, which agent calls which tool, and what it would touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.permissions.verdict import Verdict

Rank = Literal["owner", "admin", "member", "guest"]
EffectName = Literal["none", "idempotent", "once"]


@dataclass(frozen=True, slots=True)
class Touches:
    """What a call reads, changes and reaches, told by the tool from the arguments alone.

    Paths are relative to the workspace, normalised and with `/`. `hosts` are lower-case names without a port.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    command: str = ""
    hosts: tuple[str, ...] = ()
    sends: bool = False
    """Data of the run may leave the workspace by it, to others than the person who asks."""
    digest: str = ""
    """Of a tool that an operator wrote: what it is made of, as a hash. Changed, it is another tool."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Give all paths."""
        return (*self.reads, *self.writes)

    @property
    def subject(self) -> tuple[str, ...]:
        """Give what a lasting permission is bound to: the same places, command and hosts, whatever is written there."""
        return (*self.reads, "", *self.writes, "", self.command, "", *self.hosts, "", self.digest)


@dataclass(frozen=True, slots=True)
class Request:
    """One call that wants to run. `usual` is what holds when no rule speaks of it."""

    tool: str
    effect: EffectName = "none"
    usual: Verdict = "allow"
    touches: Touches = field(default_factory=Touches)
    person: str = ""
    rank: Rank = "member"
    agent: str = "default"
    role: str = "main"
    conversation: str = ""
    read_foreign: bool = False
    """The run has read what strangers may have written: a page, a file, the output of a tool."""
