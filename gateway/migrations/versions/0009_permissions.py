"""Lasting permissions that people gave, and what was decided about every call."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables."""
    grant = ("holder", "person", "name", "lifetime", "conversation", "session", "tool", "cover", "covers", "run")
    op.create_table(
        "nm_grant",
        _key("id"),
        *(_text(name) for name in grant),
        _at("at"),
        sa.UniqueConstraint("holder", "session", "cover"),
    )
    op.create_index("nm_grant_conversation", "nm_grant", ["conversation"])
    who = ("conversation", "person", "name", "rank", "agent", "role")
    what = ("tool", "call", "args", "decided", "basis", "reason", "by")
    op.create_table(
        "nm_audit",
        _key("id"),
        _at("at"),
        _text("run"),
        _text("path"),
        *(_text(name) for name in (*who, *what)),
        sa.Column("open_until", sa.BigInteger(), nullable=True),
    )
    op.create_index("nm_audit_at", "nm_audit", ["at"])
    op.create_index("nm_audit_run", "nm_audit", ["run"])
    is_open = sa.text("open_until IS NOT NULL")
    op.create_index("nm_audit_open", "nm_audit", ["open_until"], sqlite_where=is_open, postgresql_where=is_open)


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), primary_key=True)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _at(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)
