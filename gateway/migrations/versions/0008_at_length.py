"""Indexes of what is asked for among all that ever ended: a run by the code people write, answers nobody saw."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the indexes."""
    op.create_index("nm_run_code", "nm_run", [sa.text("substr(id, 19)")])
    dead = sa.text("status = 'dead'")
    op.create_index("nm_delivery_dead", "nm_delivery", ["kind"], sqlite_where=dead, postgresql_where=dead)
