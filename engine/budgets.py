"""Limits of outside accounts, as the engine shares them between all replicas of one database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds of an account until a time (UTC ms), for all replicas and over restarts.

    Of two of one name the one that holds longer counts. Amounts of those that end together are added up.
    """

    name: str
    until_ms: int
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Use:
    """How an account's limits are used here: cards that are live, and the part (0..1) of the limits used up lately."""

    live: int
    used: float
    told: Json = field(default_factory=dict[str, Any])
    """What the other replicas are to hear; small."""
    facts: Sequence[Fact] = ()
    """What is known here. An amount is all that this process has added to it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What another living replica told, `age_s` ago; `live` are its live cards."""

    told: Json
    live: int
    age_s: float


@dataclass(frozen=True, slots=True)
class Share:
    """The part (0..1) of an account's limits that may be used from `now` on, and what it will be before long."""

    now: float
    coming: float
    streaming: float = 1.0
    """The part of what nobody has found to count, so that all together use no more than one process alone would."""
    reports: Sequence[Report] = ()
    facts: Sequence[Fact] = ()
    """What all know. Of an amount what others, and processes before this one, have added."""


class Budgets(Protocol):
    """Limits of outside accounts, which all replicas share. Called on the event loop; must not block or raise."""

    def in_use(self) -> Mapping[str, Use]:
        """Give what is used here, by account; the keys are the same in every replica and at all times."""
        ...

    def take_shares(self, shares: Mapping[str, Share]) -> None:
        """Use only these parts of the limits from now on; 0: send nothing for the time being."""
        ...

    def call_on_news(self, look: Callable[[], None]) -> None:
        """Call this, on the event loop, when something is known that the other replicas should know at once."""
        ...
