"""Whose run it is: what a person has open is counted without reading what they asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, empty for what is open now, and an index of the living."""
    op.add_column("nm_run", sa.Column("person", sa.Text(), nullable=True))
    living = sa.text("status IN ('queued', 'running')")
    op.create_index("nm_run_person", "nm_run", ["person"], sqlite_where=living, postgresql_where=living)
