"""A lane's row beside its run's: written when the lane has ended, so that nothing ever takes it for work to do."""

from __future__ import annotations

from sqlmodel import Session

from engine.agent.context import LaneRow
from engine.storage.statement import execute

_KEEP = """INSERT INTO nm_run (id, conv, seq, status, attempt, created_at, first_at, ended_at, input, result, parent,
task, attempt_index, person) VALUES (:id, :conv, 0, :status, 1, :begun, :begun, :ended, :input, :result, :parent,
:id, 1, '') ON CONFLICT (id) DO NOTHING"""


def keep_lane(session: Session, row: LaneRow) -> None:
    """Put the lane down, in the transaction that records its end; nobody waits behind it."""
    execute(
        session,
        _KEEP,
        id=row.run,
        conv=f"{row.input.to}#lane/{row.parent}",
        status=row.outcome.status,
        begun=row.begun_at_ms,
        ended=row.ended_at_ms,
        input=row.input.model_dump_json(),
        result=row.outcome.model_dump_json(),
        parent=row.parent,
    )
