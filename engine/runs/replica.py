"""This process as one of those that share the work: its id of this boot, its lease, and what it has in hand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput
from engine.ports import Clock, Watcher
from engine.runs.journal import Journal
from engine.runs.lease import Lease
from engine.runs.ports import Excused
from engine.runs.quarantine import Quarantine
from engine.storage.database import Database
from engine.storage.statement import execute

log = logging.getLogger(__name__)

_RESTING = f"""SELECT input FROM nm_run WHERE conv = :conv AND status = 'running' AND excused = {Excused.YES}
AND owner IN (SELECT id FROM nm_replica) LIMIT 1"""
"""Whose owner is gone was excused by a drain: nobody is asked for anything."""


class Hand(Protocol):
    """A run in work, as its replica sees it."""

    @property
    def rests(self) -> bool:
        """Tell whether it only waits."""
        ...

    @property
    def asks(self) -> bool:
        """Tell whether it only waits for a person."""
        ...

    @property
    def input(self) -> RunInput:
        """Give what it works for."""
        ...

    def wake(self) -> None:
        """Look at the controls."""
        ...

    def cut(self) -> None:
        """Cancel the run here; it goes on elsewhere or later."""
        ...


class Unwatched:
    """Counts nothing."""

    def run_ended(self, status: str) -> None:
        """See `Watcher`."""

    def letter_died(self, reason: str) -> None:
        """See `Watcher`."""

    def dead_letters(self, count: int) -> None:
        """See `Watcher`."""

    def recorded(self, event: RunEvent) -> None:
        """See `Watcher`."""

    def deliveries(self, pending: Mapping[str, int], oldest_ms: int | None) -> None:
        """See `Watcher`."""


@dataclass(slots=True)
class Replica:
    """What every part of `runs` shares. A new id per boot: a restarted process is another replica."""

    id: str
    database: Database
    journal: Journal
    clock: Clock
    lease: Lease
    concurrency: int = 200
    """How many runs are worked on at once; those that only wait for a person do not count."""
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    hurried: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a drain should cut what is in flight now."""
    quarantine: Quarantine = field(init=False)
    active: dict[RunId, Hand] = field(default_factory=dict[RunId, Hand])
    ended: dict[RunId, asyncio.Event] = field(default_factory=dict[RunId, asyncio.Event])
    finish: Callable[[Session, RunId], None] = field(default=lambda _session, _run: None)
    """Takes a run out of the queue, in the transaction that ends it."""
    owed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the deliveries queue has something new."""
    has_dead: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the dead letters have to be counted anew."""
    watcher: Watcher = field(default_factory=Unwatched)
    slow: bool = False
    """The last heartbeat took long; nothing new is claimed."""

    def __post_init__(self) -> None:
        self.quarantine = Quarantine(self.clock.sleep)

    def may_claim(self) -> bool:
        """Tell whether this replica should take up a run now."""
        return self.lease.is_good() and not (self.draining.is_set() or self.slow)

    def appetite(self, in_work: int) -> int:
        """Give how many more runs this replica takes up, beside `in_work` that it has."""
        if not self.may_claim():
            return 0
        return self.concurrency - in_work + sum(hand.rests for hand in self.active.values())

    async def waits_in(self, line: Address) -> Principal | None:
        """Give who is asked by a run of this line that only waits, wherever it is in work.

        Raises:
            StorageError: the other replicas' runs cannot be read.
        """
        hands = (hand for hand in self.active.values() if hand.asks and hand.input.place_in_line == line)
        asked = next((hand.input.by for hand in hands), None)
        if asked is not None or self.database.dialect.is_sqlite:
            return asked
        found = await self.database.read(lambda session: execute(session, _RESTING, conv=line).scalar())
        return None if found is None else RunInput.model_validate_json(found).by

    def wake(self, run: RunId) -> None:
        """Let a run look at its controls, if it is in work here."""
        hand = self.active.get(run)
        if hand is not None:
            hand.wake()

    def letter_died(self, run: RunId, reason: str) -> None:
        """Tell that an answer is given up: nobody saw it."""
        log.error("dead_letter", extra={"run": run, "reason": reason})
        self.watcher.letter_died(reason)
        self.has_dead.set()

    def note_end(self, run: RunId) -> None:
        """Wake whoever waits for the end of a run."""
        waiting = self.ended.pop(run, None)
        if waiting is not None:
            waiting.set()


Show = Callable[[RunEvent], None]
