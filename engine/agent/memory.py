"""What is said in a run becomes a part of its conversation's memory; what is said in a lane does not."""

from __future__ import annotations

from sqlmodel import Session

from engine.agent.state import Pass
from engine.messages import Message
from engine.sessions.store import append


def remember(work: Pass, session: Session, message: Message, path: str, now_ms: int) -> None:
    """Put `message` at the end of the run's session, in the transaction of its step; nothing in a lane."""
    if work.lane is None:
        append(session, work.session, message, run=work.scope.id, path=path, now_ms=now_ms)
