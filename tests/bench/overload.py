"""Five times more questions than a gateway can answer: memory stays level and nobody is left without a word.

Two hundred chats of one platform ask without a pause; the model needs a second for an answer. What is let in is
answered, what is not is stored as refused and said. `NIUMA_BENCH_OVERLOAD_S` makes it longer.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections import Counter
from pathlib import Path

from engine.runtime import DATABASE_FILE
from gateway.texts.access_en import TEXTS
from tests.bench import machine
from tests.bench.place import until
from tests.bench.places import Feishu
from tests.bench.row import Row
from tests.bench.stage import Stage, stage_on

WORKED_ON = 10
ANSWER_S = 1.0
TIMES = 5
LIMITS = {
    "NIUMA_RUNS__CONCURRENCY": str(WORKED_ON),
    "NIUMA_RUNS__WAITING_PER_REPLICA": "60",
    "NIUMA_RUNS__WAITING_PER_CONVERSATION": "3",
    "NIUMA_ACCESS__PER_CONVERSATION_PER_MINUTE": "0",
}


async def measure(*, quick: bool = False) -> list[Row]:
    """Ask too much for 12 s, or for 90 s."""
    seconds = float(os.environ.get("NIUMA_BENCH_OVERLOAD_S", "12" if quick else "90"))
    async with stage_on(Feishu, **LIMITS) as set_, set_.serving() as process:
        await set_.place.options(streaming_exempt=True)
        await set_.finished([await set_.ask("warm", "n=2 r=50", chat=199)], within_s=30)
        sizes: list[float] = []
        asked = await _flood(set_, process.pid, seconds, sizes)
        await until(
            lambda: _is_over(set_.home, asked + 1), within_s=100, why="all is stored, and what was let in has ended"
        )
        became, told = _became(set_.home), await _told(set_)
        grown = sizes[-1] / sizes[len(sizes) // 3]
        return [
            Row("questions asked, a second", asked / seconds, ""),
            Row("answers a second, at most", WORKED_ON / ANSWER_S, ""),
            Row("let in", became["turn"] - 1, ""),
            Row("let in and not done", became["open"] + became["failed"], "", 0),
            Row("refused, each stored with its reason", became["ignored"], ""),
            Row("neither let in nor stored as refused", asked + 1 - became["turn"] - became["ignored"], "", 0),
            Row("refusals that were said", told["refused"], ""),
            Row("chats that were refused something and told nothing", told["silent"], "", 0),
            Row("people who were told that they wait", told["waiting"], ""),
            Row("memory, largest", machine.rss_mb(process.pid, peak=True), "MB", 200),
            Row("memory at the end over memory after a third", grown, "x", 1.1),
        ]


async def _flood(set_: Stage, pid: int, seconds: float, sizes: list[float]) -> int:
    """Ask at an even rate, whatever becomes of it; notes the memory twice a second. Gives how many were asked."""
    pause_s, begun_s = ANSWER_S / (WORKED_ON * TIMES), asyncio.get_running_loop().time()
    asking: set[asyncio.Task[str]] = set()
    number = 0
    while (now_s := asyncio.get_running_loop().time() - begun_s) < seconds:
        if number * pause_s <= now_s:
            task = asyncio.create_task(set_.ask(f"q{number}", "n=5 r=5", chat=number * 7 % 199))
            asking.add(task)
            task.add_done_callback(asking.discard)
            number += 1
        else:
            await asyncio.sleep(pause_s / 2)
        if len(sizes) < 2 * now_s:
            sizes.append(machine.rss_mb(pid))
    await asyncio.gather(*asking)
    return number


def _rows(home: Path, sql: str) -> list[tuple[str, str, int]]:
    with sqlite3.connect(f"file:{home / DATABASE_FILE}?mode=ro", uri=True) as database:
        return list(database.execute(sql))


async def _is_over(home: Path, asked: int) -> bool:
    """Tell whether nothing is on its way: what was not acked comes again after some seconds."""
    stored = _rows(home, "SELECT '', '', count(*) FROM nm_inbox WHERE kind = 'message'")[0][2]
    return stored >= asked and not _rows(home, "SELECT id, '', 1 FROM nm_run WHERE status IN ('queued', 'running')")


def _became(home: Path) -> Counter[str]:
    """Count what was stored, and what did not end well."""
    found: Counter[str] = Counter()
    stored = "SELECT route, '', count(*) FROM nm_inbox WHERE kind = 'message' GROUP BY route"
    for route, _, count in _rows(home, stored):
        found[route] += count
    for status, _, count in _rows(home, "SELECT status, '', count(*) FROM nm_run GROUP BY status"):
        found["open" if status in ("queued", "running") else "" if status == "done" else "failed"] += count
    return found


async def _told(set_: Stage) -> Counter[str]:
    """Count what people read beside answers."""
    refusals = (TEXTS["notice.gateway_full"].partition("{")[0], " messages are open")
    refused = {row[0] for row in _rows(set_.home, "SELECT DISTINCT conv, '', 1 FROM nm_inbox WHERE route = 'ignored'")}
    found: Counter[str] = Counter()
    chats: set[str] = set()
    for each in (await set_.place.state())["messages"]:
        if each["sender"]["type"] != "bot":
            continue
        text = str(each.get("text") or each.get("body") or each)
        if any(words in text for words in refusals):
            found["refused"] += 1
            chats.add(str(each["chat_id"]))
        elif "in line" in text:
            found["waiting"] += 1
    found["silent"] = sum(not any(chat in conv for chat in chats) for conv in refused)
    return found
