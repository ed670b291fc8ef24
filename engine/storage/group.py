"""Group commit: several small transactions share one commit of the embedded database, each as alone as before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc
from sqlmodel import Session

LOST_ON_THE_WAY = "the database took the transaction back"


@dataclass(slots=True, eq=False)
class Job:
    """One small transaction: a function, and what came of it once `commit` returned."""

    fn: Callable[[Session], Any]
    value: Any = None
    error: BaseException | None = None


class _TakenBackError(Exception):
    """SQLite undid the whole transaction, not only the statement that failed (a full disk, an unreadable file)."""


def commit(engine: sa.Engine, jobs: Sequence[Job]) -> None:
    """Run `jobs` one after another and commit them together; each has its value or its error afterwards.

    A job that raises undoes only what it did itself. When the commit fails, all of them have failed. A job whose
    transaction was taken back because of another one is run again, alone.
    """
    if len(jobs) == 1:
        return _alone(engine, jobs[0])
    try:
        _together(engine, jobs)
    except _TakenBackError:
        for job in jobs:
            if job.error is None:
                _alone(engine, job)
    except Exception as error:
        for job in jobs:
            job.error = job.error or error
    return None


def _alone(engine: sa.Engine, job: Job) -> None:
    try:
        with Session(engine, expire_on_commit=False) as session:
            session.connection().exec_driver_sql("BEGIN IMMEDIATE")
            job.value = job.fn(session)
            session.commit()
    except BaseException as error:
        job.error = error


def _together(engine: sa.Engine, jobs: Sequence[Job]) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        for job in jobs:
            _inside(connection, job)
            if not _is_open(connection):
                job.error = job.error or exc.OperationalError(LOST_ON_THE_WAY, None, RuntimeError(LOST_ON_THE_WAY))
                connection.invalidate()
                raise _TakenBackError
        connection.commit()


def _inside(connection: sa.Connection, job: Job) -> None:
    """Run one job within its own savepoint."""
    session = Session(connection, expire_on_commit=False, join_transaction_mode="create_savepoint")
    try:
        job.value = job.fn(session)
        session.commit()
    except BaseException as error:
        job.error = error
        if _is_open(connection):
            session.rollback()
    finally:
        if _is_open(connection):
            session.close()


def _is_open(connection: sa.Connection) -> bool:
    return bool(getattr(connection.connection.dbapi_connection, "in_transaction", False))
