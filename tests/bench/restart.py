"""`kill -9` in the middle of an answer: how soon the next process writes on."""

from __future__ import annotations

import time

from tests.bench.place import until
from tests.bench.row import Row
from tests.bench.sight import Json
from tests.bench.stage import Stage, stage


async def measure(*, quick: bool = False) -> list[Row]:
    """Kill, start anew, look for the first accepted write."""
    rounds = 1 if quick else 4
    async with stage() as set_:
        times = [await _kill(set_, number) for number in range(rounds)]
        answered = [each.question for each in await set_.place.shown()]
        cards = [answered.count(question) for *_, question in times]
    waits, dials = [each[0] for each in times], [each[1] for each in times]
    return [
        Row(f"new process -> first write of the new owner, median of {rounds}", sorted(waits)[len(waits) // 2], "s"),
        Row("new process -> first write of the new owner, slowest", max(waits), "s", 3),
        Row("of that: until its connection is open, median", sorted(dials)[len(dials) // 2], "s"),
        Row("cards an answer was shown on, most", max(cards), "", 1),
    ]


async def _kill(set_: Stage, number: int) -> tuple[float, float, str]:
    key = f"kill{number}"
    async with set_.serving() as process:
        question = await set_.ask(key, "n=150 r=50", chat=number)

        async def is_in_the_middle() -> bool:
            return len((await set_.sent()).get(key, ())) > 60

        await until(is_in_the_middle, within_s=20)
        process.kill()
        await process.ended()
    await set_.place.connected(0)
    killed = len(await set_.timeline())
    started = time.monotonic()
    async with set_.serving() as process:
        await set_.finished([question], within_s=40)
        since = (await set_.timeline())[killed:]
        writes = [each for each in since if _is_write(each)]
        dialled = next(each["mono_s"] for each in since if each["kind"] == "socket" and each["status"] == 101)
        process.terminate()
        await process.ended()
    await set_.place.connected(0)
    return writes[0]["mono_s"] + writes[0]["took_ms"] / 1000 - started, dialled - started, question


def _is_write(entry: Json) -> bool:
    return entry["kind"] == "rest" and entry["code"] == 0 and "/cardkit/" in entry["path"]
