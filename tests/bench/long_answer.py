"""What a kilobyte of answer costs: ten answers of 4 KB one after another, against one of 40 KB at the same pace."""

from __future__ import annotations

from tests.bench import machine
from tests.bench.paced_model import piece
from tests.bench.row import Row
from tests.bench.stage import Stage, stage

SHORT_KB, TIMES = 4, 10
PIECES_PER_S = 200


async def measure(*, quick: bool = False) -> list[Row]:
    """Stream the same text in ten answers and in one."""
    times = 3 if quick else TIMES
    async with stage() as set_, set_.serving():
        await set_.finished([await set_.ask("warm", "n=50 r=200")], within_s=20)
        short_ms = await _cost_ms(set_, "short", times, SHORT_KB)
        long_ms = await _cost_ms(set_, "long", 1, SHORT_KB * times)
    return [
        Row(f"CPU per KB of a {SHORT_KB} KB answer", short_ms, "ms"),
        Row(f"CPU per KB of a {SHORT_KB * times} KB answer", long_ms, "ms"),
        Row("the one as a share of the other", long_ms / short_ms, "x", 1.2),
    ]


async def _cost_ms(set_: Stage, name: str, times: int, kilobytes: int) -> float:
    """Give the gateway's CPU for each kilobyte of answers that come one after another, all it does counted."""
    assert set_.gateway is not None
    pieces = kilobytes * 1000 // len(piece(0).encode())
    before_s = machine.cpu_s(set_.gateway.pid)
    for number in range(times):
        question = await set_.ask(f"{name}{number}", f"n={pieces} r={PIECES_PER_S}", chat=number)
        await set_.finished([question], within_s=pieces / PIECES_PER_S + 30)
    return 1000 * (machine.cpu_s(set_.gateway.pid) - before_s) / (times * kilobytes)
