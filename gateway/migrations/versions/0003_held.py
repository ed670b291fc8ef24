"""Messages that wait before they become runs are few, and found without looking at all that ever came in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the index."""
    held = sa.text("route = 'held'")
    op.create_index("nm_inbox_held", "nm_inbox", ["reason", "conv"], sqlite_where=held, postgresql_where=held)
