"""The tables. Migrations create exactly these columns; names are those of `gateway.settings.names`."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import BigInteger, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


def _at() -> Any:
    return Field(sa_column=Column(BigInteger, nullable=False))


class PersonRow(SQLModel, table=True):
    """Somebody whom an admin let in. `name` is for readers; `by` is who did it, empty: at the command line."""

    __tablename__: ClassVar[Any] = "nm_person"

    person: str = Field(primary_key=True)
    rank: str
    name: str = ""
    by: str = ""
    at: int = _at()


class PairingRow(SQLModel, table=True):
    """Somebody's request to be let in. `account` is `channel:account`; `state` is `pending` or `denied`."""

    __tablename__: ClassVar[Any] = "nm_pairing"
    __table_args__ = (UniqueConstraint("account", "code"), Index("nm_pairing_until", "until"))

    person: str = Field(primary_key=True)
    account: str
    code: str
    name: str = ""
    state: str = "pending"
    until: int = _at()
    """From then on it counts for nothing, whatever its state."""


class AccessRow(SQLModel, table=True):
    """What was decided for one conversation in chat; null: as everywhere."""

    __tablename__: ClassVar[Any] = "nm_access"

    conversation: str = Field(primary_key=True)
    groups: str | None = None
    threads: str | None = None
    by: str = ""
    at: int = _at()


class ToldRow(SQLModel, table=True):
    """When somebody was last told, in a conversation, that they are not answered."""

    __tablename__: ClassVar[Any] = "nm_told"
    __table_args__ = (Index("nm_told_at", "at"),)

    conversation: str = Field(primary_key=True)
    person: str = Field(primary_key=True)
    at: int = _at()
