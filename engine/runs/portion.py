"""How much of an account's limit a replica may use: what is fair, what the others have let go of, and no more.

Replicas never agree on anything at one moment. Each publishes the most it may have used lately (`held`) and takes only
what the others do not hold. So whatever order their steps come in, all together stay within the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.budgets import Report, Use

WINDOW_S = 62.0
"""What was sent counts so long with the platforms: a minute, and some time on the way."""
SHORT_S = 1.1
"""The limit a second: what is given up is held so much longer."""
HEADROOM = 0.05
"""Left to a replica that gives up what it does not use."""
SLOWLY_S = 120.0
"""A replica that uses its whole share gives it up in this time: half of what leaves its window stays with it."""
FLOOR = 0.3
"""So much is shared evenly, the rest by live cards: an idle replica can begin at once."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Another replica's part as it published it `age_s` ago. `alive` false: it is gone, what it sent still counts."""

    live: int
    held: float
    used: float
    alive: bool
    age_s: float = 0.0
    told: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def counts(self) -> float:
        """Give what nobody else may use now."""
        if self.alive:
            return self.held
        return min(self.held, self.used + HEADROOM) * max(0.0, 1.0 - self.age_s / WINDOW_S)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a replica uses from now on, what is fair, and what it has to publish before it uses it."""

    share: float
    fair: float
    held: float
    streaming: float = 1.0
    reports: tuple[Report, ...] = ()


class Portion:
    """This replica's part of one account."""

    def __init__(self) -> None:
        self.share = 0.0
        self.held = 0.0
        self._at_s: float | None = None
        self._given_up: list[tuple[float, float]] = []
        """Shares used before, and until when they may show in a window of a second."""

    @property
    def began(self) -> bool:
        """Tell whether it was taken before."""
        return self._at_s is not None

    def settle(self, use: Use, others: Sequence[Holding], now_s: float) -> Settled:
        """Give what to use and to hold now; changes nothing until `take`."""
        fair = fair_share(use.live, others)
        if fair >= self.share:
            share = min(fair, max(0.0, 1.0 - sum(each.counts for each in others)))
        else:
            elapsed_s = 0.0 if self._at_s is None else now_s - self._at_s
            share = max(fair, min(use.used + HEADROOM, self.share - elapsed_s / SLOWLY_S))
        recent = (before for before, until_s in self._given_up if until_s > now_s)
        held = max(share, self.share, min(1.0, use.used), *recent)
        reports = tuple(Report(dict(each.told), each.live, each.age_s) for each in others if each.alive)
        return Settled(share, fair, held, streaming_share(use.live, others), reports)

    def take(self, settled: Settled, now_s: float) -> None:
        """Use it; what it asks to hold is published."""
        self._given_up = [each for each in self._given_up if each[1] > now_s]
        if settled.share < self.share:
            self._given_up.append((self.share, now_s + SHORT_S))
        self.share, self.held, self._at_s = settled.share, settled.held, now_s

    def publish_in_s(self, now_s: float) -> float | None:
        """Give in how many seconds something given up need not be held any more; `None`: nothing is."""
        return min((until_s - now_s for _, until_s in self._given_up), default=None)


def fair_share(live: int, others: Sequence[Holding]) -> float:
    """Give what a replica with `live` cards should have beside the others that are alive; all together are 1."""
    peers = [each.live for each in others if each.alive]
    evenly = FLOOR / (len(peers) + 1)
    return evenly + (1.0 - FLOOR) * (live + 1) / (live + 1 + sum(peers) + len(peers))


def streaming_share(live: int, others: Sequence[Holding]) -> float:
    """Give what a replica should have of what perhaps does not count: without live cards one needs nothing of it."""
    return fair_share(live, [each for each in others if each.live])
