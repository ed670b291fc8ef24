"""One, two and three gateways on one Postgres: what each more costs and brings. Apart: `make bench-scale`.

All of them share the measured core, the platform, the model and the database have the others. So answers a second say
what one core does; whether more replicas cost more is in the CPU and the database time of an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import psycopg
import pytest

from tests.bench import machine
from tests.bench.place import until
from tests.bench.row import Row, percentile
from tests.bench.stage import Stage, stage
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.replicas import Replica, replica

CHATS, ROUNDS, ORDER = 60, 3, "n=20 r=20"
"""An answer takes the model a second; 60 of them are asked at once, three times."""
STATISTICS_S = 1.5
"""The database tells of its work a moment later."""


async def measure(*, quick: bool = False) -> list[Row]:
    """Ask the same of each number of replicas, each time on an empty database."""
    rows: list[Row] = []
    for count in (1, 2) if quick else (1, 2, 3):
        try:
            with empty_database() as database:
                rows += await _with(count, database, *((12, 1) if quick else (CHATS, ROUNDS)))
        except pytest.skip.Exception as error:
            raise RuntimeError(str(error)) from error
    return rows


async def _with(count: int, database: PostgresPlace, chats: int, rounds: int) -> list[Row]:
    async with stage() as set_, _team(count, set_, database) as team:
        await _ask(set_, "warm", chats, 1)
        busy_s, cpu_s = await _database_s(database), _cpu_s(team)
        began_s = time.monotonic()
        asked = await _ask(set_, "k", chats, rounds)
        took_s, used_s = time.monotonic() - began_s, _cpu_s(team) - cpu_s
        worked_s = await _database_s(database) - busy_s
        firsts = [each.first_write_s * 1000 for each in await set_.answers(asked)]
        claimed = [len(each.told("run_claimed")) for each in team]
    what, total = f"{count} replica{'s' if count > 1 else ''}", len(asked)
    return [
        Row(f"{what}: answers", total / took_s, "/s"),
        Row(f"{what}: event -> first write p50", percentile(firsts, 0.5), "ms"),
        Row(f"{what}: event -> first write p95", percentile(firsts, 0.95), "ms"),
        Row(f"{what}: CPU per answer, all replicas", used_s / total * 1000, "ms"),
        Row(f"{what}: database time per answer", worked_s / total * 1000, "ms"),
        Row(f"{what}: part of the one that did least", min(claimed) / sum(claimed), ""),
    ]


@asynccontextmanager
async def _team(count: int, set_: Stage, database: PostgresPlace) -> AsyncIterator[list[Replica]]:
    """Run the replicas on the measured core, until the block ends; all are ready inside it."""
    async with AsyncExitStack() as stack:
        team: list[Replica] = []
        for number in range(count):
            environment = {**set_.environment(), "NIUMA_RUNS__LEASE_TTL_S": "5"}
            home = set_.home / str(number)
            each = await stack.enter_async_context(replica(home, database, set_.place.url, **environment))
            machine.pin(each.process.pid)
            team.append(each)
        await set_.place.connected(count)
        for each in team:
            await until(each.is_ready, why="it is ready")
        yield team


async def _ask(set_: Stage, name: str, chats: int, rounds: int) -> dict[str, str]:
    """Ask round after round and wait for the last answer; gives key -> message id."""
    asked: dict[str, str] = {}
    for number in range(rounds):
        keys = [f"{name}{number}x{chat}" for chat in range(chats)]
        sent = await asyncio.gather(*(set_.ask(key, ORDER, chat=chat) for chat, key in enumerate(keys)))
        asked |= dict(zip(keys, sent, strict=True))
        await set_.finished(sent, within_s=60)
    return asked


def _cpu_s(team: list[Replica]) -> float:
    return sum(machine.cpu_s(each.process.pid) for each in team)


async def _database_s(database: PostgresPlace) -> float:
    """Give the seconds that sessions of this database have executed statements so far."""
    await asyncio.sleep(STATISTICS_S)
    name = database.url.rpartition("/")[2]
    with psycopg.connect(database.url, autocommit=True) as connection:
        row = connection.execute("SELECT active_time FROM pg_stat_database WHERE datname = %s", [name]).fetchone()
    return 0.0 if row is None else float(row[0]) / 1000
