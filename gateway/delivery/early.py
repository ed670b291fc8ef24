"""Events of runs whose card is not there yet."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque

from engine.events import RunEvent
from engine.messages import RunId

logger = logging.getLogger(__name__)

RUNS_KEPT = 500
"""A card is opened in the moment its run begins, so few runs wait here; a leftover is pushed out by newer ones."""
EVENTS_KEPT = 2000
"""Of each run, the newest: what was finished before is stored with the run and shown at the end."""


class Early:
    """Keeps what came too early, within bounds."""

    def __init__(self) -> None:
        self._events: OrderedDict[RunId, deque[RunEvent]] = OrderedDict()
        self._unwanted: OrderedDict[RunId, None] = OrderedDict()

    def keep(self, event: RunEvent) -> None:
        """Keep an event until its run's card takes it."""
        if event.run in self._unwanted:
            return
        kept = self._events.setdefault(event.run, deque(maxlen=EVENTS_KEPT))
        if len(kept) == EVENTS_KEPT:
            logger.warning("early_event_dropped", extra={"run": event.run})
        kept.append(event)
        while len(self._events) > RUNS_KEPT:
            self._events.popitem(last=False)

    def take(self, run: RunId) -> list[RunEvent]:
        """Give what was kept of a run, in order, and forget it."""
        self._unwanted.pop(run, None)
        return list(self._events.pop(run, ()))

    def forget(self, run: RunId) -> None:
        """Forget what was kept of a run; it may be taken up again."""
        self._events.pop(run, None)

    def refuse(self, run: RunId) -> None:
        """Keep nothing of this run until it is taken: it can have no card here."""
        self._events.pop(run, None)
        self._unwanted[run] = None
        while len(self._unwanted) > RUNS_KEPT:
            self._unwanted.popitem(last=False)
