"""What a fault is: it begins, it ends, and in between it does what the dice say."""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from typing import ClassVar

from channels.simulators.faults import Rule
from tests.contract.chaos.city import City, Profile
from tests.contract.chaos.crowd import Crowd

EVERYWHERE: frozenset[Profile] = frozenset({"sqlite", "postgres3"})


class Fault(ABC):
    """One of them, for one case. `begin` once, then `end` once; `end` leaves nothing behind."""

    name: ClassVar[str] = ""
    profiles: ClassVar[frozenset[Profile]] = EVERYWHERE
    may_end_processes: ClassVar[bool] = False
    """Whether a gateway may give up by itself and be started again: one that finds no database when it starts."""

    def __init__(self, city: City, crowd: Crowd, dice: random.Random) -> None:
        self.city = city
        self.crowd = crowd
        self.dice = dice
        self.strikes = 0
        """How often it happened; a case in which a fault never did proves nothing."""

    @abstractmethod
    async def begin(self) -> None:
        """Let it go wrong."""

    @abstractmethod
    async def end(self) -> None:
        """Let it be right again."""


class Repeated(Fault):
    """A fault that strikes again and again while it lasts."""

    pause_s: ClassVar[tuple[float, float]] = (0.5, 2.5)

    async def begin(self) -> None:
        self._striking = asyncio.create_task(self._go_on())

    async def end(self) -> None:
        self._striking.cancel()
        [result] = await asyncio.gather(self._striking, return_exceptions=True)
        if not isinstance(result, asyncio.CancelledError):
            raise AssertionError(f"{self.name} ended by itself") from result

    async def _go_on(self) -> None:
        while True:
            struck = await self.strike()
            self.strikes += struck
            await asyncio.sleep(self.dice.uniform(*self.pause_s))

    @abstractmethod
    async def strike(self) -> bool:
        """Do it once; tell whether there was anything to do it to."""


class Ruled(Fault):
    """A fault that is a rule on every platform."""

    async def begin(self) -> None:
        self._rules = self.rules()

    async def end(self) -> None:
        self.strikes = sum(_hits(rule) for rule in self._rules)
        for rule in self._rules:
            rule.times = 0

    @abstractmethod
    def rules(self) -> list[Rule]:
        """Set the rules."""


def _hits(rule: Rule) -> int:
    """Count how often a rule was hit; what it saw before and after its times was let through."""
    after = max(0, rule.seen - rule.skip)
    return after if rule.times < 0 else min(after, rule.times)
