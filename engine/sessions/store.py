"""Reading and writing sessions, inside a transaction of the caller.

Every function takes the caller's `Session`; none commits. Writes of a run belong into the transaction that records its
step (`also`), so that history and journal never differ.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from pydantic import TypeAdapter
from sqlalchemy import func
from sqlmodel import Session, col, select, update

from engine.messages import AssistantMessage, Message, SessionId
from engine.sessions.history import bounded, valid
from engine.sessions.tables import MessageRow, SessionRow

_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


def new_session_id(now_ms: int) -> SessionId:
    """Give an id that sorts by time."""
    return SessionId(f"{now_ms:012x}{secrets.token_hex(7)}")


def current_session(session: Session, conversation: str, *, now_ms: int, idle_hours: float) -> SessionRow | None:
    """Give the conversation's active session, or `None` when there is none or it was idle for too long."""
    query = (
        select(SessionRow)
        .where(SessionRow.conversation == conversation, SessionRow.state == "active")
        .order_by(col(SessionRow.used_at).desc(), col(SessionRow.id).desc())
        .limit(1)
    )
    row = session.exec(query).first()
    if row is None or now_ms - row.used_at > idle_hours * 3_600_000:
        return None
    return row


def session_of(session: Session, run: str) -> SessionRow | None:
    """Give the session in which a run asked, whatever its state; `None` when it never came to that."""
    query = select(MessageRow.session).where(MessageRow.run == run, MessageRow.path == "input")
    known = session.exec(query).first()
    return None if known is None else session.get(SessionRow, known)


def begin_session(
    session: Session, conversation: str, *, id: SessionId, now_ms: int, model: str | None = None
) -> SessionRow:
    """Begin a session; the conversation's active ones are archived. Beginning the same id twice does nothing."""
    known = session.get(SessionRow, id)
    if known is not None:
        return known
    _end_active(session, conversation)
    row = SessionRow(id=id, conversation=conversation, model=model, created_at=now_ms, used_at=now_ms)
    session.add(row)
    session.flush()
    return row


def close_conversation(session: Session, conversation: str) -> int:
    """Archive the conversation's active sessions (`/new`), so that the next message begins one; give how many."""
    return _end_active(session, conversation)


def append(session: Session, session_id: SessionId, message: Message, *, run: str, path: str, now_ms: int) -> int:
    """Put `message` at the end of the session and give its place. The same run and path twice is one message.

    A blank assistant message is left out (strict providers refuse it); then the place is 0.
    """
    if isinstance(message, AssistantMessage) and message.is_blank:
        return 0
    owner = session.exec(select(SessionRow).where(SessionRow.id == session_id).with_for_update()).one()
    known = session.exec(select(MessageRow.n).where(MessageRow.run == run, MessageRow.path == path)).first()
    if known is not None:
        return known
    last = session.exec(select(func.max(MessageRow.n)).where(MessageRow.session == session_id)).one()
    n = (last or 0) + 1
    body = _MESSAGE.dump_json(message).decode()
    session.add(MessageRow(session=session_id, n=n, run=run, path=path, body=body, at=now_ms))
    owner.used_at = max(owner.used_at, now_ms)
    session.add(owner)
    session.flush()
    return n


def last_place(session: Session, session_id: SessionId) -> int:
    """Give the place of the session's last message; 0 when it has none."""
    return session.exec(select(func.max(MessageRow.n)).where(MessageRow.session == session_id)).one() or 0


def history(session: Session, session_id: SessionId, *, upto: int, limit: int) -> list[Message]:
    """Give the last `limit` messages at places up to `upto`, made valid for a strict provider (see `history.valid`).

    Attempts that a later one replaced are left out (see `attempts`).
    """
    query = (
        select(MessageRow.body)
        .where(MessageRow.session == session_id, MessageRow.n <= upto, col(MessageRow.replaced_by).is_(None))
        .order_by(col(MessageRow.n).desc())
        .limit(limit)
    )
    bodies = session.exec(query).all()
    return valid(bounded([_MESSAGE.validate_json(body) for body in reversed(bodies)], limit))


def rename(session: Session, session_id: SessionId, name: str) -> None:
    """Give the session a name."""
    session.exec(update(SessionRow).where(col(SessionRow.id) == session_id).values(name=name))


def sessions_of(session: Session, conversation: str, *, limit: int = 20) -> Sequence[SessionRow]:
    """Give the conversation's sessions, the last used first."""
    query = select(SessionRow).where(SessionRow.conversation == conversation)
    return session.exec(query.order_by(col(SessionRow.used_at).desc()).limit(limit)).all()


def _end_active(session: Session, conversation: str) -> int:
    done = session.exec(
        update(SessionRow)
        .where(col(SessionRow.conversation) == conversation, col(SessionRow.state) == "active")
        .values(state="archived")
    )
    return done.rowcount
