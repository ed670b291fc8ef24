"""Everything that can be known of one case from outside, when it is over."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.contract.chaos.city import City
from tests.contract.chaos.crowd import Crowd
from tests.contract.chaos.quarter import Shown
from tests.contract.chaos.question import Question, words_shown
from tests.contract.chaos.records import Records


@dataclass(frozen=True)
class History:
    """What the checks read. Made up in the tests of the checks."""

    asked: tuple[Question, ...] = ()
    lost: frozenset[str] = frozenset()
    """Marks of messages that the platform lost before any gateway acknowledged them."""
    shown: tuple[Shown, ...] = ()
    growth: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Message of the bot -> how many words of the answer its states had, oldest first."""
    records: Records = field(default_factory=Records)
    model_steps: tuple[tuple[str, int], ...] = ()
    """Mark and number of the step of each request to the model."""
    stale_writes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def history_of(city: City, crowd: Crowd) -> History:
    """Read it all."""
    shown = [(quarter, each) for quarter in city.quarters for each in quarter.shown()]
    return History(
        asked=tuple(crowd.asked),
        lost=frozenset(each.mark for each in crowd.asked if crowd.was_lost(each)),
        shown=tuple(each for _, each in shown),
        growth={each.id: [words_shown(text) for text in quarter.states(each)] for quarter, each in shown},
        records=city.records(),
        model_steps=tuple(city.model.steps()),
        stale_writes=tuple(told for quarter in city.quarters for told in quarter.stale_writes()),
        notes=tuple(city.notes()),
    )
