"""What was decided about calls: a row for every decision, written with the step that carries it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from sqlmodel import Session

from engine.storage.ids import new_id
from engine.storage.statement import change, execute

Decided = Literal[
    "allowed",
    "granted",
    "asked",
    "approved",
    "approved_conversation",
    "approved_always",
    "denied",
    "expired",
    "stopped",
    "changed",
    "crowded",
    "refused",
    "revoked",
]
"""granted: a lasting permission allowed it. changed: not what was approved any more. crowded: too many questions."""
_NOTE = """INSERT INTO nm_audit (id, at, run, path, conversation, person, name, rank, agent, role, tool, call, args,
decided, basis, reason, by, open_until) VALUES (:id, :at, :run, :path, :conversation, :person, :name, :rank, :agent,
:role, :tool, :call, :args, :decided, :basis, :reason, :by, :open_until)"""
_CLOSE = "UPDATE nm_audit SET open_until = NULL WHERE run = :run AND path = :path AND open_until IS NOT NULL"
_OPEN = """SELECT count(*) AS every,
coalesce(sum(CASE WHEN a.conversation = :conversation THEN 1 ELSE 0 END), 0) AS here
FROM nm_audit AS a WHERE a.open_until > :now
AND EXISTS (SELECT 1 FROM nm_run AS r WHERE r.id = a.run AND r.status = 'running')"""
_LIST = """SELECT * FROM nm_audit WHERE (:run = '' OR run = :run OR substr(run, 19) = :run)
ORDER BY at DESC, id DESC LIMIT :most"""
_OLD = "DELETE FROM nm_audit WHERE id IN (SELECT id FROM nm_audit WHERE at < :before LIMIT :most)"
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision. `person` asked for the run; `by` decided, empty where a rule did. `basis` is what it rests on.

    `call` is the hash of tool and arguments, `args` what may be told of them: shortened, without secrets. A question
    counts as open until `open_until_ms` (UTC) or another entry of the same `path`.
    """

    at_ms: int
    decided: Decided
    run: str = ""
    path: str = ""
    conversation: str = ""
    person: str = ""
    name: str = ""
    rank: str = ""
    agent: str = ""
    role: str = ""
    tool: str = ""
    call: str = ""
    args: str = ""
    basis: str = ""
    reason: str = ""
    by: str = ""
    open_until_ms: int | None = None


_SAME = tuple(each.name for each in fields(Entry) if each.name not in ("at_ms", "open_until_ms"))


def note(session: Session, entry: Entry) -> None:
    """Store a decision; it closes the question of its call."""
    if entry.path:
        execute(session, _CLOSE, run=entry.run, path=entry.path)
    same = {name: getattr(entry, name) for name in _SAME}
    execute(session, _NOTE, id=new_id(), at=entry.at_ms, open_until=entry.open_until_ms, **same)


@dataclass(frozen=True, slots=True)
class Open:
    """How many questions wait for people: in one conversation, and in all."""

    here: int
    every: int


def open_questions(session: Session, conversation: str, now_ms: int) -> Open:
    """Count the questions of running runs that wait."""
    row = execute(session, _OPEN, conversation=conversation, now=now_ms).one()
    return Open(int(row.here), int(row.every))


def decisions(session: Session, *, run: str = "", most: int = 100) -> Sequence[Entry]:
    """Give the newest decisions first, of one run or of all."""
    return [_entry(row) for row in execute(session, _LIST, run=run, most=most).mappings()]


def forget_audit(session: Session, before_ms: int) -> bool:
    """Forget what was decided before; tells whether more may be left."""
    return change(session, _OLD, before=before_ms, most=AT_ONCE) == AT_ONCE


def _entry(row: Any) -> Entry:
    return Entry(**{name: row[name] for name in _SAME}, at_ms=row["at"], open_until_ms=row["open_until"])
