"""Idle gateway: from the event to the card in the chat."""

from __future__ import annotations

from tests.bench.row import Row, percentile
from tests.bench.stage import stage


async def measure(*, quick: bool = False) -> list[Row]:
    """Ask one question after the other."""
    count = 8 if quick else 50
    async with stage() as set_, set_.serving():
        warm = await set_.ask("warm", "n=2 r=50")
        await set_.finished([warm], within_s=20)
        asked: dict[str, str] = {}
        for n in range(count):
            asked[f"q{n}"] = await set_.ask(f"q{n}", "n=3 r=50", chat=n % 20)
            await set_.world.finished(asked[f"q{n}"])
        answers = await set_.answers(asked)
    firsts = [each.first_write_s * 1000 for each in answers]
    return [
        Row(f"first visible write, idle, p50 of {count}", percentile(firsts, 0.5), "ms", 30),
        Row("first visible write, idle, p99", percentile(firsts, 0.99), "ms", 100),
        Row("first words, idle, p50", percentile([each.first_text_s * 1000 for each in answers], 0.5), "ms"),
    ]
