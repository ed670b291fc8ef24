"""Which cases there are: every fault alone on both profiles, and every pair of faults once, listed by a seed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tests.contract.chaos import database_faults, machine_faults, platform_faults
from tests.contract.chaos.city import Profile
from tests.contract.chaos.fault import Fault

SEED = int(os.environ.get("NIUMA_TEST_SEED", "20261201"))
ALL = "all"
FAULTS: dict[str, type[Fault]] = {
    each.name: each
    for each in (
        machine_faults.Killed,
        machine_faults.Drained,
        machine_faults.Frozen,
        machine_faults.ClockSteps,
        machine_faults.DiskFull,
        database_faults.DatabaseAway,
        database_faults.DatabaseSilent,
        database_faults.DatabaseCut,
        platform_faults.SocketsDropped,
        platform_faults.SocketsFrozen,
        platform_faults.Doubled,
        platform_faults.AcksLost,
        platform_faults.AnswersLost,
        platform_faults.Throttled,
        platform_faults.PlatformDown,
    )
}


@dataclass(frozen=True, slots=True)
class Case:
    """One profile, one or two faults, and the dice of all that happens in it."""

    profile: Profile
    faults: tuple[str, ...]
    seed: int = SEED

    @property
    def id(self) -> str:
        """The name of the test; holds all that is needed to repeat it."""
        return f"{self.profile}-{'+'.join(self.faults)}-seed{self.seed}"

    def dice(self) -> random.Random:
        """Give the dice: the same for the same case and seed, whatever else runs."""
        return random.Random(self.id)


QUICK = (
    Case("postgres3", ("killed", "answers_lost")),
    Case("postgres3", ("frozen", "acks_lost")),
    Case("sqlite", ("killed", "doubled")),
)
"""What the normal run takes: those that touch most of what must not break."""


def singles() -> Iterator[Case]:
    """Give every fault alone, wherever it can happen."""
    for name, fault in FAULTS.items():
        for profile in sorted(fault.profiles):
            yield Case(profile, (name,))


def pairs() -> Iterator[Case]:
    """Give every pair that can happen together once; the seed says in which order, and on which of its profiles."""
    dice = random.Random(SEED)
    for one, other in dice.sample(found := list(combinations(FAULTS, 2)), len(found)):
        possible = sorted(FAULTS[one].profiles & FAULTS[other].profiles)
        if possible:
            yield Case(dice.choice(possible), (one, other))


def cases() -> list[Case]:
    """Give what is to be run: the quick ones, or with `NIUMA_TEST_CHAOS=all` everything."""
    if os.environ.get("NIUMA_TEST_CHAOS") != ALL:
        return list(QUICK)
    return [*singles(), *pairs()]
