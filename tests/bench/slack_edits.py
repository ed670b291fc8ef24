"""Slack, channels: cards are edited, 50 times a minute for the whole workspace."""

from __future__ import annotations

from tests.bench.crowd import Way, measure_crowds
from tests.bench.places import Slack
from tests.bench.row import Row

WAY = Way(Slack, budget=50, per_s=60, floor_s=0.2, seconds=46)


async def measure(*, quick: bool = False) -> list[Row]:
    """Give the rows of every crowd."""
    return await measure_crowds(WAY, quick=quick)
