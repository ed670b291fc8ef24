"""A person corrects a message: what has not begun is asked in the new words, what has begun in the old ones."""

from __future__ import annotations

from sqlmodel import Session

from engine.messages import InboxKey, RunInput, TextPart
from engine.storage.statement import change, execute

_WAITS = """SELECT r.id, r.input FROM nm_inbox AS i JOIN nm_run AS r ON r.id = i.run
WHERE i.channel = :channel AND i.account = :account AND i.kind = :kind AND i.key = :key
AND i.route = 'turn' AND i.reason = '' AND r.status = 'queued' AND r.attempt = 0"""
_ASK = "UPDATE nm_run SET input = :input WHERE id = :run AND status = 'queued' AND attempt = 0 AND input = :old"
_HELD = """SELECT body FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""
_HOLD = """UPDATE nm_inbox SET body = :input
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""


def reword(session: Session, message: InboxKey, text: str) -> bool:
    """Ask a message that still waits in other words, inside the caller's transaction; gives whether it waited."""
    key = message.model_dump()
    held = execute(session, _HELD, **key).scalar()
    if held is not None:
        return change(session, _HOLD, input=_reworded(held, text), **key) == 1
    row = execute(session, _WAITS, **key).first()
    if row is None:
        return False
    return change(session, _ASK, run=row.id, input=_reworded(row.input, text), old=row.input) == 1


def _reworded(stored: str, text: str) -> str:
    """Change the writer's own words, which come last; what came with them stays."""
    given = RunInput.model_validate_json(stored)
    own = max((at for at, part in enumerate(given.parts) if isinstance(part, TextPart)), default=None)
    parts = [part for at, part in enumerate(given.parts) if at != own]
    return given.model_copy(update={"parts": (*parts, TextPart(text=text))}).model_dump_json()
