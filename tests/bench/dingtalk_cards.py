"""DingTalk with the pack: cards are updated, each API 60 times a second, each card every half second."""

from __future__ import annotations

from tests.bench.crowd import Way, measure_crowds
from tests.bench.places import Dingtalk
from tests.bench.row import Row

WAY = Way(Dingtalk, budget=60, per_s=1, floor_s=0.5, seconds=24, pieces=120)


async def measure(*, quick: bool = False) -> list[Row]:
    """Give the rows of every crowd."""
    return await measure_crowds(WAY, quick=quick)
