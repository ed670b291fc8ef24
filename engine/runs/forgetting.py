"""One portion of forgetting at a time, inside the caller's transaction: inbounds, ended runs, what they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlmodel import Session

from engine.runs.ports import ENDED
from engine.storage.statement import Dialect, change, execute, execute_each

RUNS_AT_ONCE = 100
INBOX_AT_ONCE = 500
_PARTS = ("nm_step", "nm_control", "nm_event", "nm_verdict", "nm_delivery")
_ENDED = ", ".join(f"'{status}'" for status in ENDED)
FORGET_INBOX = """DELETE FROM nm_inbox WHERE (channel, account, kind, key) IN (
SELECT channel, account, kind, key FROM nm_inbox WHERE at < :before AND route <> 'held' LIMIT :most)"""
"""What is held has not been answered yet; its question ends it."""
OLD_RUNS = f"""SELECT id, conv FROM nm_run WHERE ended_at < :before AND status IN ({_ENDED})
AND NOT EXISTS (SELECT 1 FROM nm_delivery AS d WHERE d.run = nm_run.id AND d.status IN ('owed', 'trying'))
AND NOT EXISTS (SELECT 1 FROM nm_run AS p WHERE p.id = nm_run.parent) LIMIT :most"""
"""An answer that is owed is never forgotten, and a lane goes after the run it belongs to."""
KEPT_RUNS = """SELECT id, input FROM nm_run WHERE ended_at < :before
UNION ALL SELECT id, input FROM nm_run WHERE status IN ('queued', 'running') AND created_at < :before"""
"""Old runs that are not forgotten: they are owed, or have not ended."""
_CONV_FREE = "DELETE FROM nm_conv WHERE conv = :conv AND NOT EXISTS (SELECT 1 FROM nm_run WHERE conv = :conv)"
_BLOB = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def forget_inbox(session: Session, before_ms: int) -> bool:
    """Forget inbounds that came before; tells whether more may be left."""
    return change(session, FORGET_INBOX, before=before_ms, most=INBOX_AT_ONCE) == INBOX_AT_ONCE


def forget_runs(session: Session, dialect: Dialect, before_ms: int) -> int:
    """Forget runs that ended before, with all that belongs to them, and give how many."""
    # Locked before anything of them goes: who asks for such an answer right now must not leave a row without its run.
    due = f"{OLD_RUNS} {dialect.skip_locked}"
    rows = execute(session, due, before=before_ms, most=RUNS_AT_ONCE).all()
    runs = [{"run": row.id} for row in rows]
    for table in _PARTS:
        execute_each(session, f"DELETE FROM {table} WHERE run = :run", runs)
    execute_each(session, "DELETE FROM nm_run WHERE id = :run", runs)
    _free_places(session, dialect, {row.conv for row in rows})
    return len(runs)


def _free_places(session: Session, dialect: Dialect, lines: Iterable[str]) -> None:
    """Forget the counters of lines in which nothing is left; the next run there is the first one again.

    The counter is locked before anybody looks for runs: who puts one in line right now holds it until that is seen.
    """
    lock = f"SELECT conv FROM nm_conv WHERE conv = :conv {dialect.skip_locked}"
    free = [line for line in sorted(lines) if execute(session, lock, conv=line).first() is not None]
    execute_each(session, _CONV_FREE, [{"conv": line} for line in free])


def blobs_of_kept_runs(session: Session, before_ms: int) -> set[str]:
    """Give the names of all blobs that runs from before this time refer to; for after `forget_runs`."""
    found: set[str] = set()
    for run in execute(session, KEPT_RUNS, before=before_ms).all():
        found |= blobs_in([run.input])
        for sql in (
            "SELECT result FROM nm_step WHERE run = :run",
            "SELECT coalesce(blob, body) FROM nm_event WHERE run = :run",
            "SELECT body FROM nm_message WHERE run = :run",
        ):
            found |= blobs_in(execute(session, sql, run=run.id).scalars())
    return found


def blobs_in(texts: Iterable[str]) -> set[str]:
    """Give everything in the texts that may be the name of a blob."""
    return {name for text in texts for name in _BLOB.findall(text)}
