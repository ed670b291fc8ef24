"""The two tables of a session. Migrations create exactly these columns."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class SessionRow(SQLModel, table=True):
    """The engine's memory of a conversation between two `/new`. `snapshot` names the frozen memory it began with."""

    __tablename__: ClassVar[Any] = "nm_session"
    __table_args__ = (Index("nm_session_conversation", "conversation", "state"),)

    id: str = Field(primary_key=True)
    conversation: str
    name: str = ""
    state: str = "active"
    """`active` or `archived`."""
    model: str | None = None
    created_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    used_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    snapshot: str | None = None


class MessageRow(SQLModel, table=True):
    """One message of a session, at place `n` from 1. `path` is the journal step that produced it.

    `question` stands on a run's words only: what it answers, the same for every attempt (see `attempts`). `replaced_by`
    is the later attempt that took the place of this message's run: such a message is not read any more.
    """

    __tablename__: ClassVar[Any] = "nm_message"
    __table_args__ = (UniqueConstraint("run", "path"),)

    session: str = Field(primary_key=True)
    n: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    run: str
    path: str
    body: str
    """The message as JSON text."""
    at: int = Field(sa_column=Column(BigInteger, nullable=False))
    question: str | None = None
    replaced_by: str | None = None
