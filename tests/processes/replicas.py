"""Several gateways on one Postgres, each with a folder of its own."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.processes.gateway import GatewayProcess, gateway
from tests.processes.postgres import PostgresPlace

Json = dict[str, Any]
TTL_S = 2.0


def told(home: Path, event: str, **fields: object) -> list[Json]:
    """Give the lines of the log in a folder with this event and these fields, oldest first."""
    file = home / "logs" / "niuma.log"
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []
    found = (json.loads(line) for line in lines if f'"{event}"' in line and line.endswith("}"))
    return [each for each in found if each["event"] == event and all(each.get(k) == v for k, v in fields.items())]


class Replica:
    """One of them."""

    def __init__(self, home: Path, process: GatewayProcess) -> None:
        self.home = home
        self.process = process
        self._told_before = len(process.log())

    def told(self, event: str, **fields: object) -> list[Json]:
        """Give the lines of its log with this event and these fields, oldest first."""
        return told(self.home, event, **fields)

    async def red(self) -> dict[str, str]:
        """Give the codes of what `/readyz` says is red."""
        [url] = re.findall(r"serves on (\S+)", self._told())
        async with aiohttp.ClientSession() as http, http.get(f"{url}/readyz") as response:
            checks = (await response.json())["checks"]
        return {each["name"]: each["code"] for each in checks if not each["ok"]}

    async def is_ready(self) -> bool:
        """Tell whether `/readyz` is green."""
        return "serves on" in self._told() and not await self.red()

    def _told(self) -> str:
        """Give what this process wrote; the file may begin with the words of one before."""
        return self.process.log()[self._told_before :]

    def works_on(self, run: str) -> bool:
        """Tell whether it claimed a run."""
        return bool(self.told("run_claimed", run=run))


@asynccontextmanager
async def replicas(
    count: int, home: Path, database: PostgresPlace, platform_url: str, **environment: str
) -> AsyncIterator[list[Replica]]:
    """Start `count` gateways at once; those that still run are killed at the end."""
    async with AsyncExitStack() as stack:
        starting = (replica(home / str(number), database, platform_url, **environment) for number in range(count))
        team = [await stack.enter_async_context(each) for each in starting]
        yield team


@asynccontextmanager
async def replica(home: Path, database: PostgresPlace, platform_url: str, **environment: str) -> AsyncIterator[Replica]:
    """Start one gateway on a shared database."""
    shared = {"NIUMA_TESTING": "1", "NIUMA_DATABASE__URL": database.url, "NIUMA_RUNS__LEASE_TTL_S": str(TTL_S)}
    async with gateway(home, platform_url, **{**shared, **environment}) as process:
        yield Replica(home, process)
