"""People who were let in, requests to be, what conversations decided, and who was told that they are not answered."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables."""
    op.create_table("nm_person", _key("person"), _text("rank"), _text("name"), _text("by"), _at("at"))
    op.create_table(
        "nm_pairing",
        _key("person"),
        *(_text(name) for name in ("account", "code", "name", "state")),
        _at("until"),
        sa.UniqueConstraint("account", "code"),
    )
    op.create_index("nm_pairing_until", "nm_pairing", ["until"])
    op.create_table(
        "nm_access",
        _key("conversation"),
        _text("groups", null=True),
        _text("threads", null=True),
        _text("by"),
        _at("at"),
    )
    op.create_table("nm_told", _key("conversation"), _key("person"), _at("at"))
    op.create_index("nm_told_at", "nm_told", ["at"])


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), primary_key=True)


def _text(name: str, *, null: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null)


def _at(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)
