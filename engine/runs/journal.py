"""The journal's SQL: claim, load, record, end. Synchronous, inside the caller's transaction, without state.

A step is addressed by (run, path), never by its position: parallel lanes cannot swap results, and a newer program may
add steps in the middle.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from sqlmodel import Session

from engine.events import RunEvent
from engine.messages import RunId, RunInput
from engine.ports import Control, ControlKind
from engine.runs.eventlog import EventLog
from engine.runs.ports import ENDED, FINAL, SURFACE, Claim, Excused, Fence, Refused, Taken
from engine.storage.statement import Dialect, change, execute

KNOWN: frozenset[str] = frozenset(get_args(ControlKind))


class ControlTaken(Exception):
    """Another step consumed the control first; the transaction is rolled back."""


class FenceBroken(Exception):
    """The run has another owner, or another attempt, or has ended; the transaction is rolled back."""


@dataclass(slots=True)
class Loaded:
    """What earlier attempts left: results by path, events in order, controls nobody consumed."""

    steps: dict[str, str] = field(default_factory=dict[str, str])
    events: list[RunEvent] = field(default_factory=list[RunEvent])
    controls: list[Control] = field(default_factory=list[Control])


@dataclass(frozen=True, slots=True)
class Entry:
    """A step to record: its path and result, what it says, and the ids of the controls it consumed."""

    path: str
    result: str
    events: Sequence[RunEvent] = ()
    took: Sequence[str] = ()


class Journal:
    """The rules of ownership as SQL. `durable` truth: nothing here trusts what a process believes of itself."""

    def __init__(self, dialect: Dialect, events: EventLog) -> None:
        self._events = events
        self._claim = _claim_sql(dialect)
        self._dialect = dialect

    def claim(self, session: Session, run: RunId, owner: str, *, again: bool = False) -> Claim | None:
        """Take a run for `owner`; `None` when it has ended or `owner` was declared dead. One statement.

        A claim that follows one without a new step raises `stuck`, unless that one was excused. `again`: the answer to
        a claim of ours was lost, which may have taken effect, and does not count against the run.
        """
        row = execute(session, self._claim, run=run, me=owner, again=int(again)).first()
        return None if row is None else _read_claim(run, row.attempt, row.stuck, row.input, row.surface, row.first_at)

    def take(self, session: Session, run: RunId, owner: str) -> Taken | None:
        """Do what `claim` does and load what a first attempt needs, reading nothing: one bad row fails only itself.

        Only where the transaction shuts out all other writers (the embedded database): elsewhere what the former owner
        committed is seen by a later statement only.
        """
        row = execute(session, self._claim, run=run, me=owner, again=0).first()
        if row is None:
            return None
        controls = _pending_rows(session, run) if row.attempt == 1 else None
        return Taken(row.attempt, row.stuck, row.input, row.surface, row.first_at, controls)

    @staticmethod
    def read(run: RunId, taken: Taken) -> tuple[Claim, Loaded | None]:
        """Read what `take` gave."""
        claim = _read_claim(run, taken.attempt, taken.stuck, taken.input, taken.surface, taken.started_at_ms)
        return claim, None if taken.controls is None else Loaded(controls=_read_controls(taken.controls))

    def refused(self, session: Session, run: RunId) -> Refused:
        """Tell why a claim or a write was refused."""
        status = execute(session, "SELECT status FROM nm_run WHERE id = :run", run=run).scalar()
        return "ended" if status is None or status in ENDED else "lost"

    def load(self, session: Session, run: RunId) -> Loaded:
        """Give everything recorded; in a statement after the claim, so that it sees all the former owner committed."""
        rows = execute(session, "SELECT path, result FROM nm_step WHERE run = :run", run=run)
        return Loaded({row.path: row.result for row in rows}, self._events.load(session, run), pending(session, run))

    def load_first(self, session: Session, run: RunId) -> Loaded:
        """Give what a first attempt needs, in one statement: nobody has recorded anything before it."""
        return Loaded(controls=pending(session, run))

    def load_final(self, session: Session, run: RunId) -> Loaded:
        """Give only the recorded end of a run, if there is one."""
        sql = "SELECT path, result FROM nm_step WHERE run = :run AND path = :path"
        return Loaded({row.path: row.result for row in execute(session, sql, run=run, path=FINAL)})

    def record(self, session: Session, fence: Fence, entry: Entry) -> list[RunEvent] | None:
        """Record a step and what belongs to it; gives the events with their places.

        `None`: a commit of ours whose answer was lost has recorded all of it before.

        Raises:
            FenceBroken: the run is not ours any more.
            ControlTaken: a control in `entry.took` is gone.
        """
        if change(session, self._insert(fence), path=entry.path, result=entry.result, **fence.values()) == 0:
            self._prove_ours(session, fence, entry.path)
            return None
        for control in entry.took:
            _take(session, fence.run, control, entry.path)
        return self._events.append(session, entry.events)

    def excuse(self, session: Session, fence: Fence, excused: Excused) -> None:
        """Say whether the next claim counts against the run.

        Raises:
            FenceBroken: the run is not ours any more.
        """
        sql = f"UPDATE nm_run SET excused = :excused WHERE {fence.where}"
        _must_hit(change(session, sql, excused=int(excused), **fence.values()))

    def keep_surface(self, session: Session, fence: Fence, state: dict[str, Any] | None) -> None:
        """Store what finds the card again; `None` keeps what is stored.

        Raises:
            FenceBroken: the run is not ours any more.
        """
        sql = f"UPDATE nm_run SET surface = coalesce(:surface, surface) WHERE {fence.where}"
        _must_hit(change(session, sql, surface=_surface(state), **fence.values()))

    def end(
        self, session: Session, fence: Fence, status: str, result: str, surface: dict[str, Any] | None = None
    ) -> list[str]:
        """End a run, store what finds its card again (`None` keeps it), and give the ids of controls nobody consumed.

        The order makes the race with a control that comes in safe: either its row is seen here or its sender sees
        the end.

        Raises:
            FenceBroken: the run is not ours any more.
        """
        sql = f"""UPDATE nm_run SET status = :status, result = :result, surface = coalesce(:surface, surface),
ended_at = {self._dialect.now_ms} WHERE {fence.where}"""
        row = {"status": status, "result": result, "surface": _surface(surface)}
        _must_hit(change(session, sql, **row, **fence.values()))
        # The outcome stands in the run's own row from here on.
        kept = "UPDATE nm_step SET result = '{}' WHERE run = :run AND path = :path"
        execute(session, kept, run=fence.run, path=FINAL)
        left = "UPDATE nm_control SET taken_by = 'end' WHERE run = :run AND taken_by IS NULL RETURNING id"
        return [row.id for row in execute(session, left, run=fence.run)]

    def has_ended(self, session: Session, fence: Fence) -> bool:
        """Tell whether this very attempt has ended the run: by a commit whose answer was lost."""
        ended = replace(fence, ended=True)
        return execute(session, f"SELECT 1 FROM nm_run WHERE {ended.where}", **ended.values()).first() is not None

    def _insert(self, fence: Fence) -> str:
        return (
            "INSERT INTO nm_step (run, path, result, v, attempt, at)"
            f" SELECT id, :path, :result, 1, :attempt, {self._dialect.now_ms} FROM nm_run"
            f" WHERE {fence.where} {self._dialect.for_share} ON CONFLICT DO NOTHING"
        )

    @staticmethod
    def _prove_ours(session: Session, fence: Fence, path: str) -> None:
        """Let a commit of our own pass whose reply was lost."""
        sql = "SELECT attempt FROM nm_step WHERE run = :run AND path = :path"
        if execute(session, sql, run=fence.run, path=path).scalar() != fence.attempt:
            raise FenceBroken


def pending(session: Session, run: RunId) -> list[Control]:
    """Give the controls nobody consumed, oldest first."""
    return _read_controls(_pending_rows(session, run))


def _pending_rows(session: Session, run: RunId) -> Sequence[Any]:
    sql = "SELECT id, kind, person, body FROM nm_control WHERE run = :run AND taken_by IS NULL ORDER BY at, id"
    return execute(session, sql, run=run).all()


def _read_controls(rows: Sequence[Any]) -> list[Control]:
    """Read what this version knows; a word that a newer one took in waits for that one, or for the end."""
    known = (row for row in rows if row.kind in KNOWN)
    return [Control(id=row.id, kind=row.kind, by=row.person, body=json.loads(row.body)) for row in known]


def _read_claim(run: RunId, attempt: int, stuck: int, given: str, surface: str | None, first_at: int) -> Claim:
    known = None if surface is None else json.loads(surface)
    return Claim(run, attempt, stuck, RunInput.model_validate_json(given), known, first_at)


def _take(session: Session, run: RunId, control: str, path: str) -> None:
    sql = "UPDATE nm_control SET taken_by = :path WHERE run = :run AND id = :id AND taken_by IS NULL"
    if change(session, sql, path=path, run=run, id=control) != 1:
        raise ControlTaken


def _surface(state: dict[str, Any] | None) -> str | None:
    return None if state is None else json.dumps(state)


def _must_hit(rows: int) -> None:
    if rows != 1:
        raise FenceBroken


def _claim_sql(dialect: Dialect) -> str:
    steps = f"(SELECT count(*) FROM nm_step WHERE nm_step.run = nm_run.id AND path NOT LIKE '{SURFACE}%')"
    return f"""WITH me AS (SELECT id FROM nm_replica WHERE id = :me {dialect.for_share})
UPDATE nm_run SET owner = :me, status = 'running', attempt = attempt + 1,
  first_at = coalesce(first_at, {dialect.now_ms}),
  stuck = CASE WHEN excused = {Excused.YES} OR {steps} > seen THEN 0
    WHEN excused = {Excused.HELD} OR (:again = 1 AND owner = :me) THEN stuck ELSE stuck + 1 END,
  seen = {steps}, excused = 0
WHERE id = :run AND status IN ('queued', 'running') AND EXISTS (SELECT 1 FROM me)
RETURNING attempt, stuck, input, surface, first_at"""
