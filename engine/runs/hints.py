"""What replicas call out to each other, so that nobody waits for the next look at the rows. The rows are the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import Session

from engine.messages import RunId
from engine.storage.database import Database
from engine.storage.listener import Listener
from engine.storage.statement import Dialect, execute

CONTROL = "nm_control"
"""Somebody said something to a run; the payload is its id."""
WORK = "nm_work"
"""Work was handed over: runs, answers that are owed."""
SHARE = "nm_share"
"""A replica came or went, or gave up a part of what all share."""


def call_out(session: Session, dialect: Dialect, channel: str, payload: str = "") -> None:
    """Tell the other replicas, when the caller's transaction commits; the embedded database has none."""
    if not dialect.is_sqlite:
        execute(session, "SELECT pg_notify(:channel, :payload)", channel=channel, payload=payload)


@dataclass(frozen=True, slots=True)
class Ears:
    """What to do about what is heard. Called in the listener's thread."""

    spoken_to: Callable[[RunId], None]
    work: Callable[[], None]
    share: Callable[[], None]
    missed: Callable[[], None]
    """Something may have been called out that nobody here heard."""


class Hints:
    """Hears the other replicas, between `start` and `stop`; on the embedded database there is nothing to hear."""

    def __init__(self, database: Database, ears: Ears) -> None:
        self._database = database
        self._ears = ears
        self._listener: Listener | None = None

    @property
    def listens(self) -> bool:
        """Tell whether hints come in; without them the heartbeat finds the rows."""
        return self._listener is not None and self._listener.listens

    def start(self) -> None:
        """Begin to listen."""
        if not self._database.dialect.is_sqlite:
            self._listener = Listener(self._database.engine, (CONTROL, WORK, SHARE), self._heard, self._ears.missed)
            self._listener.start()

    def stop(self) -> None:
        """Listen no more; blocks for a moment, a second call changes nothing."""
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.stop()

    def _heard(self, channel: str, payload: str) -> None:
        if channel == CONTROL:
            self._ears.spoken_to(RunId(payload))
        elif channel == SHARE:
            self._ears.share()
        else:
            self._ears.work()
