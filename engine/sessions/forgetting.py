"""What was said long ago is forgotten: sessions as a whole, and the beginning of one that goes on for ever.

The places of a session's messages never change, so nothing that a run noted about its history means another message
later.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from engine.storage.statement import change, execute

MESSAGES_AT_ONCE = 500
SESSIONS_AT_ONCE = 50
OLD_SESSIONS = """SELECT id, used_at FROM nm_session AS s WHERE id > :after AND id < :upto
AND NOT EXISTS (SELECT 1 FROM nm_run AS r WHERE r.conv = s.conversation AND r.status IN ('queued', 'running'))
ORDER BY id LIMIT :most"""
"""A run in line may ask in an old session: a further attempt of a task does so where the first one did."""
FORGET_MESSAGES = """DELETE FROM nm_message WHERE session = :session AND n IN (
SELECT n FROM nm_message WHERE session = :session AND n < :before_n ORDER BY n LIMIT :most)"""
FIRST_KEPT = "SELECT n FROM nm_message WHERE session = :session AND at >= :before ORDER BY n LIMIT 1"
_BEGIN_LONG_AGO = """SELECT s.id FROM nm_session AS s
WHERE (SELECT at FROM nm_message WHERE session = s.id ORDER BY n LIMIT 1) < :before"""
"""Not by the session's own age: one that begins with what was said in another (see `branch`) is younger than that."""
OLD_BODIES = "SELECT body FROM nm_message WHERE session = :session AND at < :before"
_ALL = 2**62


@dataclass(frozen=True, slots=True)
class Place:
    """How far a pass over the old sessions has come; `done` when there are no more."""

    after: str = ""
    done: bool = False


def forget_messages(session: Session, place: Place, before_ms: int) -> Place:
    """Forget a portion of what was said before, inside the caller's transaction; gives where to go on."""
    # The ids sort by the time of their creation.
    old = {"after": place.after, "upto": f"{before_ms:012x}", "most": SESSIONS_AT_ONCE}
    rows = execute(session, OLD_SESSIONS, **old).all()
    after, room = place.after, MESSAGES_AT_ONCE
    for row in rows:
        before_n = _ALL if row.used_at < before_ms else _first_kept(session, row.id, before_ms)
        room -= change(session, FORGET_MESSAGES, session=row.id, before_n=before_n, most=room)
        if room <= 0:
            return Place(after)
        if row.used_at < before_ms:
            execute(session, "DELETE FROM nm_session WHERE id = :session", session=row.id)
        after = row.id
    return Place(after, done=len(rows) < SESSIONS_AT_ONCE)


def old_messages(session: Session, before_ms: int) -> list[str]:
    """Give the bodies of messages from before that are still kept, for after `forget_messages`."""
    sessions = execute(session, _BEGIN_LONG_AGO, before=before_ms).scalars().all()
    return [
        body for each in sessions for body in execute(session, OLD_BODIES, session=each, before=before_ms).scalars()
    ]


def _first_kept(session: Session, session_id: str, before_ms: int) -> int:
    return int(execute(session, FIRST_KEPT, session=session_id, before=before_ms).scalar() or 0)
