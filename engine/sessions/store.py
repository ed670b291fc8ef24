"""Reading and writing sessions, inside a transaction of the caller.

Every function takes the caller's `Session`; none commits. Writes of a run belong into the transaction that records its
step (`also`), so that history and journal never differ.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlmodel import Session, col, select, update

from engine.messages import AssistantMessage, Message, SessionId
from engine.sessions.history import bounded, valid
from engine.sessions.tables import MessageRow, SessionRow
from engine.storage.statement import change, execute

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)
# Text, because every run passes here and the mapper takes four times as long.
_CURRENT = """SELECT * FROM nm_session WHERE conversation = :conversation AND state = 'active'
ORDER BY used_at DESC, id DESC LIMIT 1"""
_BEGIN = """INSERT INTO nm_session (id, conversation, name, state, model, created_at, used_at)
VALUES (:id, :conversation, '', 'active', :model, :created_at, :used_at)"""
_APPEND = """INSERT INTO nm_message (session, n, run, path, body, at, question)
SELECT :session, coalesce(max(n), 0) + 1, :run, :path, :body, :at, :question FROM nm_message WHERE session = :session
ON CONFLICT (run, path) DO NOTHING RETURNING n"""
_PLACE = "SELECT n FROM nm_message WHERE run = :run AND path = :path"
_USE = """UPDATE nm_session SET used_at = CASE WHEN used_at < :at THEN :at ELSE used_at END
WHERE id = :id RETURNING id"""
"""Also lets only one transaction at a time put messages at the end of a session."""
_HISTORY = """SELECT body FROM nm_message WHERE session = :session AND n <= :upto AND replaced_by IS NULL
ORDER BY n DESC LIMIT :most"""

_COUNT = "SELECT count(*) FROM nm_message WHERE session = :session AND replaced_by IS NULL"


def new_session_id(now_ms: int) -> SessionId:
    """Give an id that sorts by time."""
    return SessionId(f"{now_ms:012x}{secrets.token_hex(7)}")


def current_session(session: Session, conversation: str, *, now_ms: int, idle_hours: float) -> SessionRow | None:
    """Give the conversation's active session, or `None` when there is none or it was idle for too long."""
    row = execute(session, _CURRENT, conversation=conversation).mappings().first()
    if row is None or now_ms - row["used_at"] > idle_hours * 3_600_000:
        return None
    return SessionRow(**row)


@dataclass(frozen=True, slots=True)
class Memory:
    """What a conversation remembers: since when (UTC ms), under which name, and how many messages."""

    name: str
    since_ms: int
    messages: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message comes from and when (UTC ms); `question` names what the run answers, on a person's words."""

    run: str
    path: str
    at_ms: int
    question: str | None = None


def memory_of(session: Session, conversation: str, *, now_ms: int, idle_hours: float) -> Memory | None:
    """Tell what a conversation remembers; `None` when its next message begins anew."""
    row = current_session(session, conversation, now_ms=now_ms, idle_hours=idle_hours)
    if row is None:
        return None
    count = execute(session, _COUNT, session=row.id).scalar_one()
    return Memory(row.name, row.created_at, int(count))


def session_of(session: Session, run: str) -> SessionRow | None:
    """Give the session in which a run asked, whatever its state; `None` when it never came to that."""
    query = select(MessageRow.session).where(MessageRow.run == run, MessageRow.path == "input")
    known = session.exec(query).first()
    return None if known is None else session.get(SessionRow, known)


def begin_session(
    session: Session, conversation: str, *, id: SessionId, now_ms: int, model: str | None = None
) -> SessionRow:
    """Begin a session; the conversation's active ones are archived. Beginning the same id twice does nothing."""
    known = execute(session, "SELECT * FROM nm_session WHERE id = :id", id=id).mappings().first()
    if known is not None:
        return SessionRow(**known)
    _end_active(session, conversation)
    row: dict[str, Any] = {"id": id, "conversation": conversation, "model": model}
    row |= {"created_at": now_ms, "used_at": now_ms}
    execute(session, _BEGIN, **row)
    return SessionRow(**row)


def close_conversation(session: Session, conversation: str) -> int:
    """Archive the conversation's active sessions (`/new`), so that the next message begins one; give how many."""
    return _end_active(session, conversation)


def append(session: Session, session_id: SessionId, message: Message, *, run: str, path: str, now_ms: int) -> int:
    """Put `message` at the end of the session and give its place. The same run and path twice is one message.

    A blank assistant message is left out (strict providers refuse it); then the place is 0.

    Raises:
        LookupError: there is no such session.
    """
    if isinstance(message, AssistantMessage) and message.is_blank:
        return 0
    return put(session, session_id, message, Place(run, path, now_ms))


def put(session: Session, session_id: SessionId, message: Message, place: Place) -> int:
    """Do what `append` does, whatever the message is."""
    if execute(session, _USE, id=session_id, at=place.at_ms).first() is None:
        raise LookupError(f"there is no session {session_id!r}")
    body = _MESSAGE.dump_json(message).decode()
    row = {"run": place.run, "path": place.path, "at": place.at_ms, "question": place.question}
    n = execute(session, _APPEND, session=session_id, body=body, **row).scalar()
    if n is None:
        n = execute(session, _PLACE, run=place.run, path=place.path).scalar_one()
    return int(n)


def last_place(session: Session, session_id: SessionId) -> int:
    """Give the place of the session's last message; 0 when it has none."""
    return execute(session, "SELECT max(n) FROM nm_message WHERE session = :id", id=session_id).scalar() or 0


def history(session: Session, session_id: SessionId, *, upto: int, limit: int) -> list[Message]:
    """Give the last `limit` messages at places up to `upto`, made valid for a strict provider (see `history.valid`).

    Attempts that a later one replaced are left out (see `attempts`).
    """
    bodies: Sequence[str] = execute(session, _HISTORY, session=session_id, upto=upto, most=limit).scalars().all()
    return valid(bounded([_MESSAGE.validate_json(body) for body in reversed(bodies)], limit))


def rename(session: Session, session_id: SessionId, name: str) -> None:
    """Give the session a name."""
    session.exec(update(SessionRow).where(col(SessionRow.id) == session_id).values(name=name))


def sessions_of(session: Session, conversation: str, *, limit: int = 20) -> Sequence[SessionRow]:
    """Give the conversation's sessions, the last used first."""
    query = select(SessionRow).where(SessionRow.conversation == conversation)
    return session.exec(query.order_by(col(SessionRow.used_at).desc()).limit(limit)).all()


def _end_active(session: Session, conversation: str) -> int:
    sql = "UPDATE nm_session SET state = 'archived' WHERE conversation = :conversation AND state = 'active'"
    return change(session, sql, conversation=conversation)
