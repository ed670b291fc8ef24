"""A person corrects a message: what has not begun is asked in the new words, what has begun in the old ones.

Events overtake each other: the newest words are kept, for a correction that comes before an older one, and for a
message that comes after its correction.
"""

from __future__ import annotations

import json
from typing import Any

from sqlmodel import Session

from engine.messages import Address, InboxKey, RunInput, TextPart
from engine.storage.statement import change, execute

_WAITS = """SELECT r.id, r.input FROM nm_inbox AS i JOIN nm_run AS r ON r.id = i.run
WHERE i.channel = :channel AND i.account = :account AND i.kind = :kind AND i.key = :key
AND i.route = 'turn' AND i.reason = '' AND r.status = 'queued' AND r.attempt = 0"""
_ASK = "UPDATE nm_run SET input = :input WHERE id = :run AND status = 'queued' AND attempt = 0 AND input = :old"
_HELD = """SELECT body FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""
_HOLD = """UPDATE nm_inbox SET body = :input
WHERE channel = :channel AND account = :account AND kind = :kind AND key = :key AND route = 'held'"""


_NEWEST = """SELECT body FROM nm_inbox
WHERE channel = :channel AND account = :account AND kind = 'corrected' AND key = :key"""
_KEEP = """INSERT INTO nm_inbox (channel, account, kind, key, conv, route, reason, run, body, at)
VALUES (:channel, :account, 'corrected', :key, :conv, 'ignored', 'corrected', NULL, :body, :at)
ON CONFLICT (channel, account, kind, key) DO UPDATE SET body = excluded.body, at = excluded.at"""


def reword(session: Session, message: InboxKey, text: str, conversation: Address, *, edited_at_ms: int) -> bool:
    """Ask a message that still waits, or comes only now, in other words; gives whether it waited.

    Inside the caller's transaction. Of several corrections the one made last counts, in whatever order they come.
    """
    newest = _newest(session, message)
    if newest is not None and newest["at_ms"] >= edited_at_ms:
        return False
    key = message.model_dump(exclude={"kind"})
    body = json.dumps({"at_ms": edited_at_ms, "text": text})
    change(session, _KEEP, **key, conv=conversation, body=body, at=edited_at_ms)
    return _reword(session, message, text)


def corrected(session: Session, message: InboxKey, given: RunInput) -> RunInput:
    """Give a message that comes only now in the words it was corrected to before, if it was."""
    newest = _newest(session, message) if message.kind == "message" else None
    return given if newest is None else _with_words(given, str(newest["text"]))


def _newest(session: Session, message: InboxKey) -> dict[str, Any] | None:
    body = execute(session, _NEWEST, **message.model_dump(exclude={"kind"})).scalar()
    return None if body is None else json.loads(body)


def _reword(session: Session, message: InboxKey, text: str) -> bool:
    key = message.model_dump()
    held = execute(session, _HELD, **key).scalar()
    if held is not None:
        return change(session, _HOLD, input=_reworded(held, text), **key) == 1
    row = execute(session, _WAITS, **key).first()
    if row is None:
        return False
    return change(session, _ASK, run=row.id, input=_reworded(row.input, text), old=row.input) == 1


def _reworded(stored: str, text: str) -> str:
    return _with_words(RunInput.model_validate_json(stored), text).model_dump_json()


def _with_words(given: RunInput, text: str) -> RunInput:
    """Change the writer's own words, which come last; what came with them stays."""
    own = max((at for at, part in enumerate(given.parts) if isinstance(part, TextPart)), default=None)
    parts = [part for at, part in enumerate(given.parts) if at != own]
    return given.model_copy(update={"parts": (*parts, TextPart(text=text))})
