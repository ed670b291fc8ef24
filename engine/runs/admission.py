"""How much may be open at once: of one person, in one conversation, in all. What comes beyond becomes no run.

Decided in the transaction of the submit, so a limit holds across replicas. On Postgres the row of the conversation and
an advisory lock of the person are held until that transaction ends, always in this order; both are taken by the one
statement that gives the run its number, so that the counts that follow see what others committed. How many wait in all
is looked up now and then only: a lock for everybody would let one message in at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlmodel import Session

from engine.messages import RunInput
from engine.settings import RunSettings
from engine.storage.statement import Dialect, execute

_NEXT = """INSERT INTO nm_conv (conv, seq) VALUES (:conv, 1)
ON CONFLICT (conv) DO UPDATE SET seq = nm_conv.seq + 1 RETURNING seq"""
_LOCK = "pg_advisory_xact_lock(hashtextextended(CAST(:person AS text), 0))"
_OPEN = """SELECT
(SELECT count(*) FROM nm_run WHERE conv = :conv AND status IN ('queued', 'running')) AS here,
(SELECT count(*) FROM nm_run WHERE person = :person AND status IN ('queued', 'running')) AS theirs"""
_HELD = "SELECT count(*) FROM nm_inbox WHERE route = 'held' AND reason = 'join' AND conv = :conv"
_CROWD = """SELECT (SELECT count(*) FROM nm_run WHERE status IN ('queued', 'running'))
- (SELECT count(*) FROM nm_run WHERE status = 'running') AS waiting, (SELECT count(*) FROM nm_replica) AS replicas"""
"""What is open less what is in work: no index knows what waits."""
CROWD_S = 0.25
"""How old a count of all that waits may be. Meanwhile each replica adds what it let in itself."""

Full = Literal["person_full", "conversation_full", "gateway_full"]


@dataclass(frozen=True, slots=True)
class Overload:
    """Why a message became no run: what is full, and how many were open there. The reason in its inbox row."""

    reason: Full
    count: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """The number of a run in its line, how many are before it, and why it may not be one."""

    seq: int
    behind: int
    overload: Overload | None


class Admission:
    """Counts. All methods work inside the caller's transaction."""

    def __init__(self, dialect: Dialect, settings: RunSettings, steady_s: Callable[[], float]) -> None:
        self._dialect = dialect
        self._settings = settings
        self._steady_s = steady_s
        self._counted_s = float("-inf")
        self._waiting = 0
        self._replicas = 1

    def number(self, session: Session, given: RunInput) -> int:
        """Give the next number in line to a run that was let in before: its message was accepted."""
        return int(execute(session, _NEXT, conv=given.place_in_line).scalar_one())

    def arrive(self, session: Session, given: RunInput) -> Arrival:
        """Give the next number in line, and whether a run may take it. What has a line of its own always may."""
        if given.line:
            seq = self.number(session, given)
            return Arrival(seq, self._open(session, given)[0], None)
        if self._dialect.is_sqlite:
            seq = self.number(session, given)
        else:
            locking = f"{_NEXT}, {_LOCK}"
            seq = int(execute(session, locking, conv=given.place_in_line, person=person_of(given)).one().seq)
        here, theirs = self._open(session, given)
        overload = self._too_much(session, here, theirs)
        if overload is None:
            self._waiting += 1
        return Arrival(seq, here, overload)

    def too_many_held(self, session: Session, given: RunInput) -> Overload | None:
        """Tell whether a message may wait for words: those that do count as if they were runs already."""
        if not self._dialect.is_sqlite:
            execute(session, f"SELECT {_LOCK}", person=person_of(given))
        held = int(execute(session, _HELD, conv=given.to).scalar_one())
        here, theirs = self._open(session, given)
        return self._too_much(session, here + held, theirs + held)

    def _open(self, session: Session, given: RunInput) -> tuple[int, int]:
        row = execute(session, _OPEN, conv=given.place_in_line, person=person_of(given)).one()
        return int(row.here), int(row.theirs)

    def _too_much(self, session: Session, here: int, theirs: int) -> Overload | None:
        settings = self._settings
        if 0 < settings.open_per_person <= theirs:
            return Overload("person_full", theirs)
        # The first of those that are open is in work, the others wait.
        if 0 < settings.waiting_per_conversation < here:
            return Overload("conversation_full", here)
        most = settings.waiting_per_replica * self._count_all(session)
        return Overload("gateway_full", self._waiting) if 0 < most <= self._waiting else None

    def _count_all(self, session: Session) -> int:
        """Count everybody's waiting questions, not for each message; give how many replicas share them."""
        now_s = self._steady_s()
        if now_s - self._counted_s > CROWD_S:
            row = execute(session, _CROWD).one()
            self._counted_s, self._waiting, self._replicas = now_s, int(row.waiting), max(1, int(row.replicas))
        return self._replicas


def person_of(given: RunInput) -> str:
    """Give the name under which a person's runs are counted: of one account, over all its conversations."""
    return f"{given.account}:{given.by.id}"
