"""How many live cards one core carries before they get slow."""

from __future__ import annotations

from tests.bench.row import Row, percentile
from tests.bench.stage import stage

STEPS = (50, 75, 100, 150, 200)
SLOW_MS = 400.0


async def measure(*, quick: bool = False) -> list[Row]:
    """Raise the number of cards, 20 pieces a second each, until the gap passes 400 ms."""
    rows: list[Row] = []
    for cards in STEPS[:1] if quick else STEPS:
        gap_ms = await _gap_ms(cards, seconds=5)
        rows.append(Row(f"{cards} live cards, exempt: gap p95", gap_ms, "ms"))
        if gap_ms > SLOW_MS:
            break
    return rows


async def _gap_ms(cards: int, *, seconds: int) -> float:
    async with stage() as set_, set_.serving():
        asked = await set_.ask_all(cards, f"n={20 * seconds} r=20")
        await set_.finished(list(asked.values()), within_s=90)
        answers = await set_.answers(asked)
    return 1000 * percentile([gap for each in answers for gap in each.gaps_s], 0.95)
