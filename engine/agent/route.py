"""Which way a request goes, who said so, and why: what the router gives and the loop follows."""

from __future__ import annotations

from typing import Literal

from engine.messages import Usage, Value

Way = Literal["direct", "agent", "team"]
"""`direct`: one streamed model call. `agent`: the loop with tools. `team`: several deliverables or trades."""
DecidedBy = Literal["rules", "model", "default"]
"""`default`: neither could say, and the way that can do everything was taken."""


class Route(Value):
    """The decision; a resumed run keeps its way.

    Journaled with the step `context`, or as the step `route` where a model was asked.
    """

    v: int = 1
    way: Way
    by: DecidedBy
    reason: str
    """For the trace: the signals that spoke, or what the model said or failed with. Not for people's cards."""
    intent: str = ""
    """A short name of what is wanted: the strongest signal's name, or the model's words."""
    domains: tuple[str, ...] = ()
    """Names of domain agents that fit; empty: the general agent answers."""
    skills: tuple[str, ...] = ()
    """Names of skills whose words the request uses."""
    confidence: float = 1.0
    """0 to 1. Of rules: how far apart the ways were; of a model: its own word."""
    usage: Usage = Usage()
    """What asking a model cost; nothing for rules."""
