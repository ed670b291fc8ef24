"""What happens to gateways and their machine: killed, frozen, drained; a wrong clock, a full disk."""

from __future__ import annotations

import asyncio
import contextlib
import resource
from typing import ClassVar

from tests.contract.chaos.city import Profile
from tests.contract.chaos.fault import Fault, Repeated
from tests.processes.replicas import TTL_S, Replica

_FULL_BYTES = 4096
_STEPS_S = (900.0, -900.0, 0.0)
"""Forward, back beyond the truth, right again; below the age from which messages count as late."""


class Killed(Repeated):
    """`kill -9` of one gateway after the other."""

    name = "killed"
    pause_s = (1.5, 3.5)

    async def strike(self) -> bool:
        alive = self.city.alive()
        if alive:
            self.city.kill(self.dice.choice(alive))
        return bool(alive)


class Drained(Repeated):
    """SIGTERM to one gateway after the other."""

    name = "drained"
    pause_s = (2.5, 4.5)

    async def strike(self) -> bool:
        alive = self.city.alive()
        if alive:
            self.dice.choice(alive).process.terminate()
        return bool(alive)


class Frozen(Repeated):
    """A gateway stops where it stands for more than two leases, and goes on as if nothing had happened."""

    name = "frozen"
    pause_s = (0.5, 1.0)
    asleep: Replica | None = None

    async def strike(self) -> bool:
        alive = self.city.alive()
        if not alive:
            return False
        self.asleep = self.dice.choice(alive)
        self.asleep.process.freeze()
        self.strikes += 1
        await asyncio.sleep(2.2 * TTL_S)
        self._wake()
        return False

    async def end(self) -> None:
        await super().end()
        self._wake()

    def _wake(self) -> None:
        if self.asleep is not None and self.asleep.process.is_alive:
            self.asleep.process.wake()
        self.asleep = None


class ClockSteps(Repeated):
    """The wall clock of all gateways jumps a quarter of an hour forward and back; durations are not touched."""

    name = "clock_steps"
    step = 0

    async def strike(self) -> bool:
        self.city.clock_file.write_text(str(_STEPS_S[self.step % len(_STEPS_S)]), encoding="utf-8")
        self.step += 1
        return True

    async def end(self) -> None:
        await super().end()
        self.city.clock_file.unlink(missing_ok=True)


class DiskFull(Fault):
    """No file of the gateway may grow beyond a page: the database refuses writes, the log loses lines."""

    name = "disk_full"
    profiles: ClassVar[frozenset[Profile]] = frozenset({"sqlite"})
    may_end_processes = True

    async def begin(self) -> None:
        self._limited = [each.process.pid for each in self.city.alive()]
        self._limit(_FULL_BYTES)

    async def end(self) -> None:
        self._limit(resource.RLIM_INFINITY)
        self.strikes = len(self._limited)

    def _limit(self, size_bytes: int) -> None:
        for pid in self._limited:
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size_bytes, resource.RLIM_INFINITY))
