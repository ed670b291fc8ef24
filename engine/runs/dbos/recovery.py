"""Giving the runs of a dead replica back to the queue.

The library's own function for this is private; when it is gone, one statement on its table does the same.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from dbos import DBOS
from sqlalchemy import exc

log = logging.getLogger(__name__)


_HELD = "SELECT executor_id, workflow_uuid FROM {table} WHERE status = 'PENDING' AND queue_name = :queue"


def held(engine: sa.Engine, queue: str) -> dict[str, set[str]]:
    """Give the runs that are in work, by replica. Asked with every heartbeat, and the library's question is dear."""
    try:
        with engine.connect() as connection:
            rows = connection.execute(sa.text(_HELD.format(table=_table(engine))), {"queue": queue}).all()
    except (exc.ProgrammingError, exc.OperationalError) as error:
        if not _is_wrong_statement(error):
            raise
        log.exception("held_by_text_broken")
        found = DBOS.list_workflows(status="PENDING", queue_name=queue, load_input=False, load_output=False)
        rows = [(each.executor_id, each.workflow_id) for each in found]
    by_replica: dict[str, set[str]] = {}
    for replica, run in rows:
        by_replica.setdefault(replica or "", set()).add(run)
    return by_replica


def give_back(engine: sa.Engine, replica: str) -> int:
    """Put everything `replica` had in work back in line, at its old place. Harmless when repeated.

    Only for a replica that is proven dead, or for our own runs that no task here works on.
    """
    try:
        recover: Any = DBOS._recover_pending_workflows  # pyright: ignore[reportPrivateUsage]
        return len(recover([replica]))
    except (AttributeError, TypeError, ImportError):
        log.exception("recovery_broken")
        return give_back_by_statement(engine, replica)


def give_back_runs(engine: sa.Engine, replica: str, runs: Sequence[str]) -> None:
    """Put only `runs` of `replica` back in line."""
    for run in runs:
        give_back_by_statement(engine, replica, run)


def give_back_by_statement(engine: sa.Engine, replica: str, run: str | None = None) -> int:
    """Do the same without the library's function, for one run or for all."""
    sql = f"""UPDATE {_table(engine)} SET status = 'ENQUEUED', owner_xid = NULL, started_at_epoch_ms = NULL
WHERE status = 'PENDING' AND executor_id = :replica AND workflow_uuid = coalesce(:run, workflow_uuid)"""
    with engine.begin() as connection:
        return connection.execute(sa.text(sql), {"replica": replica, "run": run}).rowcount


def _table(engine: sa.Engine) -> str:
    return "workflow_status" if engine.dialect.name == "sqlite" else "dbos.workflow_status"


def _is_wrong_statement(error: exc.DBAPIError) -> bool:
    return isinstance(error, exc.ProgrammingError) or "no such" in str(error)
