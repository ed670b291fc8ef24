"""Which way a request goes: `direct`, `agent` or `team`. The face of this package."""

from __future__ import annotations

from engine.agent.route import Route, Way
from engine.router.decide import Surroundings, decide
from engine.router.domains import Domains
from engine.router.request import Request, read_request, request_of
from engine.router.rules import decide_by_rules
from engine.router.specialists import Directory, Specialist

__all__ = [
    "Directory",
    "Domains",
    "Request",
    "Route",
    "Specialist",
    "Surroundings",
    "Way",
    "decide",
    "decide_by_rules",
    "read_request",
    "request_of",
]
