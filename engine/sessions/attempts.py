"""One question, tried again: the newest attempt takes the place of those before it.

A retry repeats a run of the same task with the same words, sent at the same time; it may be pressed by somebody else. A
revision belongs to the task too, but is a message of its own: the answer it is about stays in the history.
"""

from __future__ import annotations

import hashlib

from sqlmodel import Session

from engine.messages import RunId, RunInput, SessionId, UserMessage
from engine.sessions.store import Place, put
from engine.storage.statement import execute

_WITHDRAW = """UPDATE nm_message SET replaced_by = :by WHERE session = :session AND run IN (
  SELECT run FROM nm_message WHERE session = :session AND question = :question AND run <> :by)"""


def question_of(run: RunId, given: RunInput) -> str:
    """Name what a run answers: the same for all attempts at it, different for everything else."""
    asked = given.model_dump_json(include={"parts", "sent_at_ms"}, exclude_defaults=True)
    return f"{given.task or run}:{hashlib.sha256(asked.encode()).hexdigest()[:16]}"


def append_question(
    session: Session, session_id: SessionId, words: UserMessage, *, run: RunId, question: str, now_ms: int
) -> int:
    """Put a run's words at the end of the session, withdraw earlier attempts at the same question, give the place.

    What is withdrawn stays stored, but `history` leaves it out from now on, for every run of the session.
    """
    _withdraw(session, session_id, question, run)
    return put(session, session_id, words, Place(run, "input", now_ms, question))


def _withdraw(session: Session, session_id: SessionId, question: str, by: RunId) -> None:
    execute(session, _WITHDRAW, session=session_id, question=question, by=by)
