"""Fifty chats asked at once, far from the platform: 120 ms a call."""

from __future__ import annotations

from tests.bench import machine
from tests.bench.row import Row, percentile
from tests.bench.sight import refusals
from tests.bench.stage import stage

CALL_S = 0.12


async def measure(*, quick: bool = False) -> list[Row]:
    """Fifty answers of 400 pieces at 50 a second."""
    chats, pieces = (10, 100) if quick else (50, 400)
    async with stage(delay_s=CALL_S) as set_, set_.serving() as process:
        warm = await set_.ask("warm", "n=2 r=50", chat=199)
        await set_.finished([warm], within_s=20)
        before_s = machine.cpu_s(process.pid)
        asked = await set_.ask_all(chats, f"n={pieces} r=50")
        await set_.finished(list(asked.values()), within_s=60)
        used_s = machine.cpu_s(process.pid) - before_s
        peak_mb = machine.rss_mb(process.pid, peak=True)
        answers = await set_.answers(asked)
        refused = refusals(await set_.timeline())
    hidden = [1000 * age for each in answers for age in each.hidden_s]
    ends = [1000 * each.full_text_s for each in answers]
    return [
        Row(f"{chats} chats at once: first text p50", _ms([each.first_text_s for each in answers], 0.5), "ms"),
        Row(f"{chats} chats at once: first text p95", _ms([each.first_text_s for each in answers], 0.95), "ms", 800),
        Row("age of hidden text p95", percentile(hidden, 0.95), "ms", 350),
        Row("full text after the last token p95", percentile(ends, 0.95), "ms", 300),
        Row("card final after the last token p95", _ms([each.final_s for each in answers], 0.95), "ms"),
        Row("refusals", refused, ""),
        Row("gateway CPU in all", used_s, "s", 10),
        Row("gateway memory, largest", peak_mb, "MB", 200),
    ]


def _ms(values: list[float], share: float) -> float:
    return 1000 * percentile(values, share)
