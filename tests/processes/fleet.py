"""Gateways that share runs: one process after the other on the embedded database, or several on one Postgres."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

from engine.storage.database import FILE_NAME
from tests.processes.gateway import gateway
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.replicas import TTL_S, Replica, told

REPLICAS = 3
PROFILES = ("sqlite", "postgres")


class Fleet:
    """The gateways of one test. `connections` gives how many of them every platform sees at least."""

    def __init__(
        self, home: Path, environment: Mapping[str, str], database: PostgresPlace | None, connections: Callable[[], int]
    ) -> None:
        self.database = database
        self.size = 1 if database is None else REPLICAS
        self.team: list[Replica] = []
        self.homes: list[Path] = []
        self._home = home
        self._environment = {"NIUMA_TESTING": "1", "NIUMA_RUNS__LEASE_TTL_S": str(TTL_S), **environment}
        if database is not None:
            self._environment["NIUMA_DATABASE__URL"] = database.url
        self._connections = connections
        self._open: dict[Replica, AsyncExitStack] = {}

    async def start(self, **more: str) -> Replica:
        """Start one more, in a folder of its own where there are several."""
        home = self._home if self.database is None else self._home / f"r{len(self.homes)}"
        stack = AsyncExitStack()
        process = await stack.enter_async_context(gateway(home, **self._environment, **more))
        begun = Replica(home, process)
        self.team.append(begun)
        self.homes += [] if home in self.homes else [home]
        self._open[begun] = stack
        return begun

    async def fill(self, count: int | None = None) -> None:
        """Start what is missing and wait until every platform is connected to `count` of them, by default all."""
        wanted = self.size if count is None else count
        while len(self.team) < wanted:
            await self.start()
        await self.connected(wanted)

    async def connected(self, count: int) -> None:
        """Wait until every platform is connected to exactly so many."""
        await self.until(lambda: self._connections() == count, f"{count} connections", within_s=200)

    async def end(self, replica: Replica) -> None:
        """Kill one, if it still runs, and forget it; its platforms have noticed."""
        self.team.remove(replica)
        await self._open.pop(replica).aclose()
        await self.until(lambda: self._connections() <= len(self.team), "the platforms notice")

    async def close(self) -> None:
        """Kill all."""
        for replica in list(self.team):
            self.team.remove(replica)
            await self._open.pop(replica).aclose()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Read in the database they share."""
        if self.database is not None:
            return self.database.rows(statement)
        with closing(sqlite3.connect(self._home / FILE_NAME, timeout=10)) as connection:
            return connection.execute(statement).fetchall()

    def claims(self) -> list[dict[str, Any]]:
        """Give every claim of a run in the order of time: `at`, `run`, `attempt`, and whose `home` it was."""
        logs = [{**line, "home": home} for home in self.homes for line in told(home, "run_claimed")]
        return sorted(logs, key=lambda line: str(line["at"]))

    async def until(self, ready: Callable[[], object], why: str | Callable[[], str], *, within_s: float = 60.0) -> Any:
        """Wait for something to become true; otherwise fail with what the gateways said."""
        deadline = asyncio.get_running_loop().time() + within_s
        while not (found := ready()):
            if asyncio.get_running_loop().time() > deadline:
                missing = why if isinstance(why, str) else why()
                raise AssertionError(f"not within {within_s} s: {missing}\n{self.logs()}")
            await asyncio.sleep(0.05)
        return found

    def logs(self) -> str:
        """Give the last words of everybody who ever ran."""
        files = [home / "stderr.log" for home in self.homes]
        return "\n".join(f"--- {file.parent.name}\n{file.read_text(errors='replace')[-3000:]}" for file in files)


@asynccontextmanager
async def fleet(
    profile: str, home: Path, environment: Mapping[str, str], connections: Callable[[], int]
) -> AsyncIterator[Fleet]:
    """Make a fleet on a database of its own, nobody started yet; those that still run are killed at the end."""
    async with AsyncExitStack() as stack:
        database = stack.enter_context(empty_database()) if profile == "postgres" else None
        made = Fleet(home, environment, database, connections)
        stack.push_async_callback(made.close)
        yield made
