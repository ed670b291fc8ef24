"""Several processes on one account, which look at each other once a second as replicas do in their database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from channels.pacing import Known, Overheard, Pacer
from engine.budgets import Use
from engine.runs.portion import Holding, Portion
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import BusyCard, Platform, capabilities

NEWS_S = 0.05
"""How long what one found out is on its way to the others."""


@dataclass
class Process:
    """One process's pacer and its part."""

    pacer: Pacer
    portion: Portion = field(default_factory=Portion)

    def step(self, others: list[Process], now_s: float) -> None:
        """Look at the others, who said what they did just now."""
        holdings = [
            Holding(each.pacer.live, each.portion.held, each.pacer.used, True, 0.0, each.pacer.knowledge.streamed())
            for each in others
        ]
        settled = self.portion.settle(Use(self.pacer.live, self.pacer.used), holdings, now_s)
        self.portion.take(settled, now_s)
        said = [Overheard(each.told, each.age_s) for each in settled.reports]
        self.pacer.learn(known_by(others), part=settled.streaming, said=said)
        self.pacer.take_share(settled.share, coming=settled.fair)


def known_by(processes: list[Process]) -> list[Known]:
    """Give what they all know together."""
    facts: dict[tuple[str, int], int] = {}
    for process in processes:
        for known in process.pacer.knowledge.facts():
            facts[known.name, known.until_ms] = facts.get((known.name, known.until_ms), 0) + known.amount
    return [Known(name, until_ms, amount) for (name, until_ms), amount in facts.items()]


class Account:
    """A platform, and the processes which share one account there."""

    def __init__(self, clock: FakeClock, app_limit: str = "counted", *, counts: bool = True, **facts: Any) -> None:
        self.clock = clock
        self._capabilities = capabilities(app_limit, **facts)
        limit = self._capabilities.methods["content"]
        self.platform = Platform(clock, limit, counts=counts, latency_s=0.05)
        self.processes: list[Process] = []
        self._telling: list[asyncio.Task[None]] = []

    def join(self) -> Process:
        """Begin one more process, which may send nothing before it has looked."""
        process = Process(Pacer(self._capabilities, self.clock))
        process.pacer.take_share(0.0)
        process.pacer.knowledge.on_news = lambda: self._news_of(process)
        self.processes.append(process)
        return process

    def _news_of(self, process: Process) -> None:
        """The database tells the others at once."""
        self._telling.append(asyncio.create_task(self._tell_others(process)))

    async def _tell_others(self, process: Process) -> None:
        await self.clock.sleep(NEWS_S)
        for each in self.processes:
            if each is not process:
                self._step(each)

    def _step(self, process: Process) -> None:
        process.step([each for each in self.processes if each is not process], self.clock.steady_s())

    def cards(self, process: Process, count: int) -> list[BusyCard]:
        """Begin so many live cards that always have something to show."""
        return [BusyCard(process.pacer, self.platform) for _ in range(count)]

    async def live(self, seconds: int) -> None:
        """Let time pass; each process looks at the others once a second, one after another."""
        for _ in range(seconds):
            for process in self.processes:
                self._step(process)
                await self.clock.advance(1.0 / len(self.processes))
