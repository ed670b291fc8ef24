"""What each replica uses of the limits of outside accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_PART: sa.Float[float] = sa.Float(53)


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "nm_share",
        sa.Column("replica", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("live", sa.BigInteger(), nullable=False),
        sa.Column("held", _PART, nullable=False),
        sa.Column("used", _PART, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("replica", "account"),
    )
