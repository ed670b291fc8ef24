"""Indexes of what is looked for among the living hold only the living; a conversation's runs are found in order.

Most rows are finished runs that nobody asks for. An index over them costs disk and a write at each end.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Replace the indexes."""
    _replace("nm_run_conv", "nm_run", ["conv", "seq"])
    _create("nm_run_open", "nm_run", ["conv", "seq"], where="status IN ('queued', 'running')")
    _replace("nm_run_owner", "nm_run", ["owner"], where="status = 'running'")
    _replace("nm_run_task", "nm_run", ["task", "attempt_index"], where="attempt_index > 1")
    _replace("nm_delivery_due", "nm_delivery", ["due_at"], where="status = 'owed'")


def _replace(name: str, table: str, columns: list[str], *, where: str | None = None) -> None:
    op.drop_index(name, table_name=table)
    _create(name, table, columns, where=where)


def _create(name: str, table: str, columns: list[str], *, where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
