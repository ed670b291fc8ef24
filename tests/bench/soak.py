"""`python -m tests.bench.soak`: minutes of even load on one profile, and whether anything grows. `make soak`.

200 conversations, two apps, a model of a second and ten chunks. Every ten seconds it reads what the gateways hold and
what people saw. It ends with 1 when a figure is over its limit. Slopes are judged over the second half, and only in
runs of five minutes and more: before that, sessions still grow towards the history a model reads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import aiohttp

from engine.storage.database import FILE_NAME
from tests.bench import machine
from tests.bench.gauges import Held, Stored, held_by, stored_in
from tests.bench.place import until
from tests.bench.row import Row, percentile, table
from tests.bench.slope import per_minute, second_half
from tests.bench.town import BOTS
from tests.processes.gateway import gateway
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.replicas import Replica, replica

EVERY_S = 10.0
LONGEST_S = 60.0
"""An answer may take so long after the last question; then it is lost."""
SECOND_S = 2.0
JUDGED_S = 300.0
MB_PER_MIN, FIRST_MS_PER_MIN, FULL_MS_PER_MIN = 1.0, 2.0, 10.0
"""What may grow in a minute: memory of a gateway, event -> first write p50, last token -> whole text p95."""
MORE_FILES, MORE_THREADS = 10, 4
Json = dict[str, Any]


class Sample:
    """One look at everything."""

    def __init__(self, at_s: float, held: Held, stored: Stored, seen: Json) -> None:
        self.at_s, self.held, self.stored, self.seen = at_s, held, stored, seen

    def line(self, before: Sample | None) -> str:
        """Draw it."""
        cpu_s = self.held.cpu_s - (before.held.cpu_s if before else self.held.cpu_s)
        took_s = self.at_s - before.at_s if before else EVERY_S
        first, full = self.seen["first_ms"], self.seen["full_ms"]
        return (
            f"{self.at_s:5.0f} s  {self.seen['settled']:4} answers, {self.seen['open']:3} open, {self.stored.waiting:3}"
            f" in line  first {percentile(first, 0.5):4.0f} / {percentile(first, 0.99):4.0f} ms"
            f"  whole {percentile(full, 0.95):4.0f} ms  {self.held.rss_mb:4.0f} MB  {100 * cpu_s / took_s:3.0f} % CPU"
            f"  {self.held.files} files  {self.held.threads} threads  db {self.stored.size_mb:.1f} MB"
        )


class Soak:
    """The processes of one soak and what was seen of them."""

    def __init__(self, town: str, team: Sequence[Replica], database: Path | PostgresPlace, http: Any) -> None:
        self._town, self._team, self._database, self._http = town, team, database, http
        self.samples: list[Sample] = []
        self._began_s = time.monotonic()

    async def run(self, seconds: float, rate: float) -> None:
        """Ask for so long, then wait for the last answers."""
        await self._sample()
        await self._post(f"begin?rate={rate}")
        while (now_s := time.monotonic() - self._began_s) < seconds:
            await asyncio.sleep(min(EVERY_S, seconds - now_s))
            await self._sample()
        await self._post("rest")
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_S):
                await until(self._is_over, within_s=2 * LONGEST_S)
        # A second answer would come a moment later.
        await asyncio.sleep(SECOND_S)
        await self._sample()

    async def _is_over(self) -> bool:
        return not await self._get("open") and not self._stored().waiting

    async def _sample(self) -> None:
        held = held_by([each.process.pid for each in self._team])
        at_s, stored, seen = time.monotonic() - self._began_s, self._stored(), await self._get("sample")
        self.samples.append(Sample(at_s, held, stored, seen))
        _say(self.samples[-1].line(self.samples[-2] if len(self.samples) > 1 else None))

    def _stored(self) -> Stored:
        return stored_in(self._database)

    async def _get(self, what: str) -> Any:
        async with self._http.get(f"{self._town}/{what}") as response:
            response.raise_for_status()
            return await response.json()

    async def _post(self, what: str) -> None:
        async with self._http.post(f"{self._town}/{what}") as response:
            response.raise_for_status()


def judge(samples: Sequence[Sample]) -> list[Row]:
    """Give the figures and their limits; the last sample is of the time after the last question."""
    asking, first, last = samples[1:-1], samples[0], samples[-1]
    total = {key: sum(each.seen[key] for each in samples) for key in ("asked", "settled", "refused")}
    answers, took_s = max(1, total["settled"]), asking[-1].at_s - first.at_s
    wrong = {key: sum(len(each.seen[key]) for each in samples) for key in ("doubled", "broken")}
    firsts = [ms for each in samples for ms in each.seen["first_ms"]]
    return [
        Row("answers a second", sum(each.seen["settled"] for each in asking) / took_s, "/s"),
        Row("questions without a whole answer", total["asked"] - total["settled"], "", 0),
        Row("answered twice", wrong["doubled"], "", 0),
        Row("answers with words missing or doubled", wrong["broken"], "", 0),
        Row("refused by the platform", total["refused"], "", 0),
        Row("event -> first write p50", percentile(firsts, 0.5), "ms"),
        Row("event -> first write p99", percentile(firsts, 0.99), "ms"),
        Row("last token -> whole text p95", percentile((ms for s in samples for ms in s.seen["full_ms"]), 0.95), "ms"),
        *_slopes(asking, is_judged=took_s >= JUDGED_S),
        Row("left in line, in the queue library, owed at the end", _left(last.stored), "", 0),
        Row("most in line", max(each.stored.waiting for each in asking), ""),
        Row("CPU per answer, all gateways", 1000 * (last.held.cpu_s - first.held.cpu_s) / answers, "ms"),
        Row("database per answer", 1000 * (last.stored.size_mb - first.stored.size_mb) / answers, "KB"),
    ]


def _slopes(asking: Sequence[Sample], *, is_judged: bool) -> list[Row]:
    half = second_half(asking)

    def slope(what: str, unit: str, limit: float, of: Callable[[Sample], float]) -> Row:
        figures = [(each.at_s, figure) for each in half if (figure := of(each)) == of(each)]
        grows = per_minute([at_s for at_s, _ in figures], [figure for _, figure in figures])
        return Row(f"{what}, growth in the second half", grows, f"{unit}/min", limit if is_judged else None)

    return [
        slope("memory of the largest gateway", "MB", MB_PER_MIN, lambda each: each.held.rss_mb),
        slope("event -> first write p50", "ms", FIRST_MS_PER_MIN, lambda each: percentile(each.seen["first_ms"], 0.5)),
        slope("last token -> whole text p95", "ms", FULL_MS_PER_MIN, lambda s: percentile(s.seen["full_ms"], 0.95)),
        Row("memory of the largest gateway, at the end", asking[-1].held.rss_mb, "MB"),
        Row("open files, growth in the second half", half[-1].held.files - half[0].held.files, "", MORE_FILES),
        Row("threads, growth in the second half", half[-1].held.threads - half[0].held.threads, "", MORE_THREADS),
    ]


def _left(stored: Stored) -> int:
    return stored.waiting + stored.queue_rows + stored.owed


@asynccontextmanager
async def soaking(profile: str, replicas: int, home: Path) -> AsyncIterator[Soak]:
    """Run town, database and gateways; all are connected inside the block."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        platform_url, model_url = await stack.enter_async_context(_town())
        environment = _environment(platform_url, model_url)
        team: list[Replica] = []
        if profile == "sqlite":
            process = await stack.enter_async_context(gateway(home, **environment))
            team.append(Replica(home, process))
            database: Path | PostgresPlace = home / FILE_NAME
        else:
            database = stack.enter_context(empty_database())
            for number in range(replicas):
                one = replica(home / str(number), database, "", **environment, NIUMA_RUNS__LEASE_TTL_S="5")
                team.append(await stack.enter_async_context(one))
        for each in team:
            # Several gateways and Postgres need more than the one core that a single gateway is measured on.
            (machine.pin if profile == "sqlite" else machine.spread)(each.process.pid)
            await until(each.is_ready, why="the gateway is ready")
        try:
            yield Soak(model_url, team, database, http)
        except Exception as error:
            for each in team:
                error.add_note(f"a gateway's log ends with:\n{each.process.log()[-2000:]}")
            raise


@asynccontextmanager
async def _town() -> AsyncIterator[tuple[str, str]]:
    words = (sys.executable, "-m", "tests.bench.town")
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().split()
        assert line[:1] == ["listening"], line
        yield line[1], line[2]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _environment(platform_url: str, model_url: str) -> dict[str, str]:
    accounts: dict[str, str] = {}
    for number, (app_id, secret, _) in enumerate(BOTS):
        account = {"APP_ID": app_id, "APP_SECRET": secret, "DOMAIN": platform_url, "APP_LIMIT": "exempt"}
        accounts |= {f"NIUMA_CHANNELS__FEISHU__BOT{number}__{key}": value for key, value in account.items()}
    return {
        "NIUMA_AGENT__ROUTER_ASKS": "false",  # one question to the model is one answer
        "NIUMA_MODELS__DEFAULT": "bench",
        "NIUMA_ACCESS__PER_PERSON_PER_MINUTE": "0",
        "NIUMA_MODELS__BENCH__MODEL": "openai/bench",
        "NIUMA_MODELS__BENCH__API_BASE": f"{model_url}/v1",
        "NIUMA_MODELS__BENCH__API_KEY": "none",
        **accounts,
    }


def main() -> int:
    """Soak what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description="Even load for minutes.")
    parser.add_argument("--profile", choices=("sqlite", "postgres"), action="append", help="both without it")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--rate", type=float, default=20.0, help="questions a second")
    parser.add_argument("--replicas", type=int, default=3, help="gateways of the profile postgres")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write rows and samples there too")
    given = parser.parse_args()
    machine.keep_off_the_measured_core()
    _say(f"a million additions take {machine.yardstick_ms():.0f} ms of CPU here")
    results = {each: asyncio.run(_one(each, given)) for each in given.profile or ("sqlite", "postgres")}
    if given.json:
        given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    over = [f"{name}: {row['what']}" for name, each in results.items() for row in each["rows"] if row["ok"] is False]
    _say(f"\n{len(over)} over the limit" + "".join(f"\n  {line}" for line in over))
    return 1 if over else 0


async def _one(profile: str, given: argparse.Namespace) -> Json:
    how = profile if profile == "sqlite" else f"{profile}, {given.replicas} replicas"
    _say(f"\n{how}: {given.seconds:g} s, {given.rate:g} questions a second")
    with tempfile.TemporaryDirectory(prefix="niuma-soak-") as home:
        async with soaking(profile, given.replicas, Path(home)) as soak:
            await soak.run(given.seconds, given.rate)
            rows = judge(soak.samples)
    _say(table(f"soak, {how}", rows))
    samples = [{"at_s": s.at_s, **asdict(s.held), **asdict(s.stored), **s.seen} for s in soak.samples]
    return {"rows": [row.as_json() for row in rows], "samples": samples}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
