"""Alembic's entry; `upgrade` hands the open connection in."""

from __future__ import annotations

from typing import Any

from alembic import context

from gateway.migrations import VERSION_TABLE


def _is_ours(_item: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
    return kind != "table" or (name or "").startswith("nm_")


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=None,
    version_table=VERSION_TABLE,
    include_object=_is_ours,
)
context.run_migrations()
