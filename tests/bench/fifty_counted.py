"""Fifty live cards on a platform that counts every call: 1000 a minute for the app."""

from __future__ import annotations

from tests.bench.row import Row, percentile
from tests.bench.sight import refusals
from tests.bench.stage import stage


async def measure(*, quick: bool = False) -> list[Row]:
    """Answers that last longer than the window in which the platform counts."""
    cards, seconds = (50, 20) if quick else (50, 75)
    async with stage(app_limit="counted", exempt=False) as set_, set_.serving():
        asked = await set_.ask_all(cards, f"n={10 * seconds} r=10")
        await set_.finished(list(asked.values()), within_s=seconds + 45)
        answers = await set_.answers(asked)
        refused = refusals(await set_.timeline())
    gaps = [gap for each in answers for gap in each.gaps_s]
    late = [each.final_s for each in answers]
    return [
        Row(f"{cards} live cards, counted: gap p50", percentile(gaps, 0.5), "s", 3.5),
        Row(f"{cards} live cards, counted: gap p95", percentile(gaps, 0.95), "s"),
        Row("cards that stood still for over 10 s", sum(each.stood_still_s > 10 for each in answers), "", 0),
        Row("refusals", refused, "", 0),
        Row("final after the last token, all ending together: p50", percentile(late, 0.5), "s"),
        Row("final after the last token, the last of all", max(late), "s", 1),
    ]
