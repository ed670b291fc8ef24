"""What all replicas know of outside accounts until a time: what a month has used, whether streaming counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table, and give each replica's row a place for what it streams."""
    op.create_table(
        "nm_account_fact",
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("account", "name"),
    )
    op.add_column("nm_share", sa.Column("told", sa.Text(), nullable=False, server_default="{}"))
