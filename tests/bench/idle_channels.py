"""Three channels configured and connected, nobody talks: start and memory. What is not configured is not imported."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp

from tests.bench import machine
from tests.bench.place import Place
from tests.bench.places import Dingtalk, Feishu, Slack
from tests.bench.row import Row, percentile
from tests.bench.stage import platform
from tests.processes.gateway import gateway

KINDS: tuple[type[Place], ...] = (Feishu, Slack, Dingtalk)
SDKS = {"feishu": "lark_oapi", "slack": "slack_"}
"""How the names of each vendor's modules begin; DingTalk is spoken without one."""
IDLE_S = 2.0
_IMPORTED = re.compile(r"^import time:[^|]+\|[^|]+\|\s+(\S+)$", re.MULTILINE)


async def measure(*, quick: bool = False) -> list[Row]:
    """Start with all three, then with each alone, telling its imports."""
    rounds = 1 if quick else 5
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        places = [await stack.enter_async_context(platform(kind, session)) for kind in KINDS]
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="niuma-bench-")))
        await _start(places, home)
        starts = [await _start(places, home) for _ in range(rounds)]
        loaded = [await _imports(place, home) for place in places]
    strangers = [f"{place.name}: SDK modules of others" for place in places]
    own = [len(_of(SDKS[each.name], names)) for each, names in zip(places, loaded, strict=True) if each.name in SDKS]
    return [
        Row(f"process start -> three channels connected, median of {rounds}", percentile(_first(starts), 0.5), "s", 2),
        Row("memory, three channels idle and connected", max(each[1] for each in starts), "MB", 120),
        *(Row(what, _foreign(p, names), "", 0) for what, p, names in zip(strangers, places, loaded, strict=True)),
        Row("SDK modules of their own, the fewest", min(own), "", None),
    ]


async def _start(places: list[Place], home: Path) -> tuple[float, float]:
    """Give seconds from the start of the process to the last connection, and a moment later the megabytes."""
    environment = {key: value for place in places for key, value in place.environment().items()}
    before = [len(await place.timeline()) for place in places]
    started = time.monotonic()
    async with gateway(home, **environment) as process:
        machine.pin(process.pid)
        await asyncio.gather(*(place.connected() for place in places))
        await asyncio.sleep(IDLE_S)
        weight = machine.rss_mb(process.pid)
        opened = [await _opened_s(place, seen) for place, seen in zip(places, before, strict=True)]
        process.terminate()
        await process.ended()
    await asyncio.gather(*(place.connected(0) for place in places))
    return max(opened) - started, weight


async def _opened_s(place: Place, seen: int) -> float:
    """Give when the newest long connection was opened."""
    since = (await place.timeline())[seen:]
    return next(each["mono_s"] for each in since if each["kind"] == "socket" and each["status"] == 101)


async def _imports(place: Place, home: Path) -> list[str]:
    """Give the modules that a gateway with this channel alone has imported when it is connected."""
    log = home / "stderr.log"
    log.unlink()
    async with gateway(home, under=("-X", "importtime"), **place.environment()) as process:
        await place.connected()
        told = process.log()
        process.terminate()
        await process.ended()
    await place.connected(0)
    return _IMPORTED.findall(told)


def _first(starts: list[tuple[float, float]]) -> list[float]:
    return [each[0] for each in starts]


def _of(sdk: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(sdk)]


def _foreign(place: Place, names: list[str]) -> int:
    return sum(len(_of(sdk, names)) for channel, sdk in SDKS.items() if channel != place.name)
