"""Fifty live cards on a platform that does not count streaming; CPU of each card update."""

from __future__ import annotations

from tests.bench import machine
from tests.bench.row import Row, percentile
from tests.bench.sight import refusals
from tests.bench.stage import stage


async def measure(*, quick: bool = False) -> list[Row]:
    """Fifty answers at 20 pieces a second each, all at once."""
    cards, seconds = (10, 4) if quick else (50, 15)
    async with stage() as set_, set_.serving() as process:
        warm = await set_.ask("warm", "n=2 r=50", chat=199)
        await set_.finished([warm], within_s=20)
        before_s = machine.cpu_s(process.pid)
        asked = await set_.ask_all(cards, f"n={20 * seconds} r=20")
        await set_.finished(list(asked.values()), within_s=4 * seconds + 30)
        used_s = machine.cpu_s(process.pid) - before_s
        answers = await set_.answers(asked)
        refused = refusals(await set_.timeline())
    gaps = [1000 * gap for each in answers for gap in each.gaps_s]
    hidden = [1000 * age for each in answers for age in each.hidden_s]
    updates = sum(each.updates for each in answers)
    return [
        Row(f"{cards} live cards, exempt: gap p50", percentile(gaps, 0.5), "ms"),
        Row(f"{cards} live cards, exempt: gap p95", percentile(gaps, 0.95), "ms", 300),
        Row("refusals", refused, "", 0),
        Row("age of hidden text p95", percentile(hidden, 0.95), "ms"),
        Row("gateway CPU, share of one core", 100 * used_s / seconds, "%"),
        Row("gateway CPU per card update, everything counted", 1000 * used_s / updates, "ms", 1),
    ]
