"""What a step adds to the conversation's memory."""

from __future__ import annotations

from sqlmodel import Session

from engine.agent.state import Pass
from engine.messages import Message
from engine.sessions.store import append


def remember(session: Session, work: Pass, message: Message, *, path: str, now_ms: int) -> None:
    """Put a message into the memory, inside the step's transaction; what a lane says stays out of it."""
    if work.lane_of is None:
        append(session, work.session, message, run=work.scope.id, path=path, now_ms=now_ms)
