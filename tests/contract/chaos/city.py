"""The city: three platforms, a model, and the gateways between them, which somebody starts again when they die."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import aiohttp

from tests.contract.chaos.dingtalk import Dingtalk
from tests.contract.chaos.feishu import Feishu
from tests.contract.chaos.model import MarkedModel, marked_model
from tests.contract.chaos.quarter import Quarter
from tests.contract.chaos.question import marks_in
from tests.contract.chaos.records import Records, read_records, rows_of
from tests.contract.chaos.slack import Slack
from tests.processes.gateway import gateway
from tests.processes.postgres import PostgresPlace, empty_database
from tests.processes.proxy import Proxy, proxy_to
from tests.processes.replicas import TTL_S, Replica

Profile = Literal["sqlite", "postgres3"]
REPLICAS: dict[Profile, int] = {"sqlite": 1, "postgres3": 3}
_LOOK_S, _AGAIN_S = 0.1, 0.5
"""How often the keeper looks, and how long it waits before it starts a dead gateway again."""


@dataclass
class Counted:
    """What happened to the processes."""

    kills: int = 0
    ends: list[int] = field(default_factory=list[int])
    """Exit codes, in the order of the ends."""


class City:
    """Use it inside `city`."""

    def __init__(self, profile: Profile, home: Path, quarters: list[Quarter], model: MarkedModel) -> None:
        self.profile: Profile = profile
        self.home = home
        self.quarters = quarters
        self.model = model
        self.database: PostgresPlace | None = None
        self.proxy: Proxy | None = None
        self.database_url = "sqlite"
        self.counted = Counted()
        self.team: list[Replica] = []
        self._stack = AsyncExitStack()

    @property
    def clock_file(self) -> Path:
        """The file that says by how many seconds the gateways' clocks are wrong."""
        return self.home / "clock"

    def alive(self) -> list[Replica]:
        """Give those whose process runs."""
        return [each for each in self.team if each.process.is_alive]

    def kill(self, replica: Replica) -> None:
        """End one the hard way; the keeper starts the next on its folder."""
        self.counted.kills += 1
        replica.process.kill()

    async def is_ready(self) -> bool:
        """Tell whether every gateway says it is ready and every platform has a connection to each."""
        if any(each.connections() < len(self.team) for each in self.quarters):
            return False
        try:
            return all([await each.is_ready() for each in self.team])
        except (aiohttp.ClientError, OSError):
            return False

    async def why_not(self) -> str:
        """Say what is missing to be ready."""
        told = [f"{each.name}: {each.connections()} connections" for each in self.quarters]
        for each in self.team:
            try:
                told.append(f"{each.home.name}: alive {each.process.is_alive}, red {await each.red()}")
            except (aiohttp.ClientError, OSError, ValueError) as error:
                told.append(f"{each.home.name}: alive {each.process.is_alive}, {error!r}")
        return "; ".join(told)

    def records(self) -> Records:
        """Read the database, past the proxy."""
        return read_records(rows_of(self.home / "0", self.database))

    def taken(self) -> frozenset[str]:
        """Give the marks of the questions that have become runs."""
        given = rows_of(self.home / "0", self.database)("SELECT input FROM nm_run")
        return frozenset(mark for (text,) in given for mark in marks_in(str(text)))

    def notes(self) -> list[str]:
        """Give the lines that the tool with an effect wrote, wherever it ran."""
        return [line for outbox in self.home.rglob("outbox.txt") for line in outbox.read_text().splitlines()]

    def logs(self, chars: int = 3000) -> str:
        """Give the ends of what all gateways wrote to stderr."""
        return "\n".join(f"--- {each.home.name}\n{each.process.log()[-chars:]}" for each in self.team)

    async def build(self) -> None:
        """Start all gateways at once, on an empty database."""
        count = REPLICAS[self.profile]
        self.team = list(await asyncio.gather(*(self._start(number) for number in range(count))))

    async def keep(self) -> None:
        """Start whoever has died again, as a service manager does; runs until it is cancelled."""
        while True:
            for number, each in enumerate(self.team):
                if not each.process.is_alive:
                    self.counted.ends.append(await each.process.ended())
                    await asyncio.sleep(_AGAIN_S)
                    self.team[number] = await self._start(number)
            await asyncio.sleep(_LOOK_S)

    async def close(self) -> None:
        """End everything that still runs."""
        await self._stack.aclose()

    async def _start(self, number: int) -> Replica:
        home = self.home / str(number)
        process = await self._stack.enter_async_context(gateway(home, "", **self._environment()))
        return Replica(home, process)

    def _environment(self) -> dict[str, str]:
        model = {"MODEL": "openai/main", "API_BASE": self.model.url, "API_KEY": "sk-key-of-the-marked-model"}
        given = {"NIUMA_TESTING": "1", "NIUMA_CLOCK": str(self.clock_file), "NIUMA_RUNS__LEASE_TTL_S": str(TTL_S)}
        given |= {f"NIUMA_MODELS__MAIN__{key}": value for key, value in model.items()}
        given |= {"NIUMA_MODELS__DEFAULT": "main", "NIUMA_DATABASE__URL": self.database_url}
        given |= {"NIUMA_RUNS__DRAIN_S": "1.0"}
        return given | {key: value for quarter in self.quarters for key, value in quarter.environment().items()}


@asynccontextmanager
async def city(profile: Profile, home: Path) -> AsyncIterator[City]:
    """Build a city; all gateways are ready inside the block. Skips the test where there is no Postgres for it."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(marked_model())
        quarters: list[Quarter] = [Feishu(), Slack(), Dingtalk()]
        for each in quarters:
            await each.start()
            stack.push_async_callback(each.stop)
        built = City(profile, home, quarters, model)
        if profile == "postgres3":
            built.database = stack.enter_context(empty_database())
            built.proxy, built.database_url = await stack.enter_async_context(proxy_to(built.database.url))
        stack.push_async_callback(built.close)
        await built.build()
        keeper = asyncio.create_task(built.keep())
        stack.push_async_callback(_cancelled, keeper)
        yield built


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    [result] = await asyncio.gather(task, return_exceptions=True)
    if not isinstance(result, asyncio.CancelledError):
        raise AssertionError(f"the keeper ended by itself: {result!r}")
