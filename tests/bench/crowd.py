"""One, five and twenty live cards on a platform that counts every write: how often each changes, and what it costs.

The crowds are measured side by side, each with a gateway and a platform of its own: a limit a minute needs its minute,
and at that pace none of them disturbs another.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from tests.bench.place import Place
from tests.bench.row import Row, percentile
from tests.bench.sight import Answer, refusals
from tests.bench.stage import Stage, stage_on

CROWDS = (1, 5, 20)
PACE_S = 0.25
"""Between two questions: the gateway is idle when each comes."""
ROOM = 1.25
"""A gap may be so many times what the formula gives: in the first minute each card's first words count as well."""
WARM_CHAT = 199


@dataclass(frozen=True, slots=True)
class Way:
    """How a platform shows a growing answer, and how many writes it takes for that.

    `budget` writes in `per_s` seconds; `floor_s` is the shortest pause between two writes of one card. `pieces` of
    text come in `seconds`: few enough that an answer is one message.
    """

    place: type[Place]
    budget: int
    per_s: float
    floor_s: float
    seconds: float
    pieces: int = 180

    def gap_s(self, live: int) -> float:
        """Give how long a card rests between two writes when so many are live, one write kept back for each."""
        return max(self.floor_s, self.per_s * live / (self.budget - live))


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of one crowd."""

    live: int
    answers: list[Answer]
    refused: int


async def measure_crowds(way: Way, *, quick: bool) -> list[Row]:
    """Let every crowd talk; a quick run is too short to see the pauses of the largest."""
    seconds = way.seconds / 4 if quick else way.seconds
    seen = await asyncio.gather(*(_crowd(way, live, seconds) for live in CROWDS))
    firsts = [1000 * each.first_write_s for crowd in seen for each in crowd.answers]
    return [
        *(row for crowd in seen for row in _rows(way, crowd)),
        Row("first visible write p50", percentile(firsts, 0.5), "ms", 50),
        Row("first visible write p99", percentile(firsts, 0.99), "ms"),
    ]


async def _crowd(way: Way, live: int, seconds: float) -> Seen:
    async with stage_on(way.place) as set_, set_.serving():
        warm = await set_.ask("warm", "n=2 r=50", chat=WARM_CHAT)
        await set_.finished([warm], within_s=30)
        asked = await _ask_one_by_one(set_, way, live, seconds)
        await set_.finished(list(asked.values()), within_s=seconds + 30)
        return Seen(live, await set_.answers(asked), refusals(await set_.timeline()))


async def _ask_one_by_one(set_: Stage, way: Way, live: int, seconds: float) -> dict[str, str]:
    """Ask in as many chats, so that all answers end together: the hardest moment for last words."""
    asked: dict[str, str] = {}
    rate = way.pieces / way.seconds
    for number in range(live):
        pieces = round(rate * (seconds - number * PACE_S))
        asked[f"k{number}"] = await set_.ask(f"k{number}", f"n={pieces} r={rate:.2f}", chat=number)
        await asyncio.sleep(PACE_S)
    return asked


def _rows(way: Way, crowd: Seen) -> list[Row]:
    all_live_s = max(each.asked_s for each in crowd.answers)
    gaps = [gap for each in crowd.answers for gap in each.gaps_after(all_live_s)]
    expected_s = way.gap_s(crowd.live)
    cards = f"{crowd.live} live card{'s' if crowd.live > 1 else ''}"
    return [
        Row(f"{cards}: gap by the formula", expected_s, "s"),
        Row(f"{cards}: gap p50 of {len(gaps)}", percentile(gaps, 0.5), "s", round(ROOM * expected_s, 2)),
        Row(f"{cards}: gap p95", percentile(gaps, 0.95), "s"),
        Row(f"{cards}: refusals", crowd.refused, "", 0),
        Row(f"{cards}: final after the last token, the last", max(each.final_s for each in crowd.answers), "s", 1),
    ]
