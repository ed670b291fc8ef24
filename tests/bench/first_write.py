"""Idle gateway: from the event to the card in the chat."""

from __future__ import annotations

import asyncio

from tests.bench.row import Row, percentile
from tests.bench.stage import stage

PAUSE_S = 0.5
"""Between questions: an answer takes half of it. Nobody looks meanwhile, looking would cost the tenant time."""


async def measure(*, quick: bool = False) -> list[Row]:
    """Ask one question after the other."""
    count = 8 if quick else 50
    async with stage() as set_, set_.serving():
        warm = await set_.ask("warm", "n=2 r=50")
        await set_.finished([warm], within_s=20)
        asked: dict[str, str] = {}
        for n in range(count):
            asked[f"q{n}"] = await set_.ask(f"q{n}", "n=3 r=50", chat=n)
            await asyncio.sleep(PAUSE_S)
        await set_.finished(list(asked.values()), within_s=20)
        answers = await set_.answers(asked)
    firsts = [each.first_write_s * 1000 for each in answers]
    return [
        Row(f"first visible write, idle, p50 of {count}", percentile(firsts, 0.5), "ms", 30),
        Row("first visible write, idle, p99", percentile(firsts, 0.99), "ms", 100),
        Row("first words, idle, p50", percentile([each.first_text_s * 1000 for each in answers], 0.5), "ms"),
    ]
