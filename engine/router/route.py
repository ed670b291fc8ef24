"""Which way a request goes, as the loop reads it (`engine.agent.route`)."""

from __future__ import annotations

from engine.agent.route import DecidedBy, Route, Way

__all__ = ["DecidedBy", "Route", "Way"]
