"""`app_limit = "auto"`: what it costs to find out whether the platform counts streaming."""

from __future__ import annotations

from tests.bench.row import Row
from tests.bench.sight import refusals
from tests.bench.stage import stage


async def measure(*, quick: bool = False) -> list[Row]:
    """Once on a platform that counts (one switch), once on one that does not (none)."""
    counted = await _refused(exempt=False, seconds=10 if quick else 65)
    exempt = await _refused(exempt=True, seconds=5 if quick else 10)
    return [
        Row("platform counts: refusals for the one switch", counted, "", 1),
        Row("platform does not count: refusals", exempt, "", 0),
    ]


async def _refused(*, exempt: bool, seconds: int) -> int:
    async with stage(app_limit="auto", exempt=exempt) as set_, set_.serving():
        asked = await set_.ask_all(50, f"n={10 * seconds} r=10")
        await set_.finished(list(asked.values()), within_s=seconds + 45)
        return refusals(await set_.timeline())
