"""A stored answer is wanted once more: by its person in the chat, or by an operator for one that was given up."""

from __future__ import annotations

from typing import Literal

from sqlmodel import Session

from engine.messages import RunId
from engine.runs.afterwards import has_ended
from engine.runs.hints import WORK, call_out
from engine.runs.ledger import Ledger
from engine.storage.statement import Dialect, execute

Resent = Literal["owed", "on_its_way", "running", "unknown"]
"""`owed`: it is sent once more; `on_its_way`: it is owed already, and is tried now; `running`: there is none yet."""
Retried = Literal["owed", "none", "unknown"]
"""`none`: nothing of the run was given up."""

_STATUS = "SELECT status FROM nm_run WHERE id = :run"


def resend(session: Session, dialect: Dialect, ledger: Ledger, run: RunId, at_ms: int) -> Resent:
    """Owe the answer of an ended run once more. Where the first one is owed, it comes first, and may make this moot."""
    status = execute(session, f"{_STATUS} {dialect.for_update}", run=run).scalar()
    if status is None:
        return "unknown"
    if not has_ended(session, run, status):
        return "running"
    is_open = ledger.hasten(session, run, at_ms)
    ledger.ask_again(session, run, at_ms)
    call_out(session, dialect, WORK)
    return "on_its_way" if is_open else "owed"


def retry_delivery(session: Session, dialect: Dialect, ledger: Ledger, run: RunId, at_ms: int) -> Retried:
    """Owe again what was given up of a run."""
    if execute(session, f"{_STATUS} {dialect.for_update}", run=run).scalar() is None:
        return "unknown"
    if not ledger.owe_again(session, run, at_ms):
        return "none"
    call_out(session, dialect, WORK)
    return "owed"
