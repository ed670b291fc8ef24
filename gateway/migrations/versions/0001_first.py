"""The first schema: runs and their journal, sessions, settings, documents and blobs.

Times are UTC milliseconds. JSON is kept as text, the same in both databases.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    _replicas_and_inbox()
    _runs()
    _journal()
    _after_the_end()
    _sessions()
    _files()


def _text(name: str, *, null: bool = False, default: str | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=null, server_default=default)


def _number(name: str, *, null: bool = False, default: int | None = None) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=null, server_default=None if default is None else str(default))


def _key() -> sa.Column[int]:
    return sa.Column(
        "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), sa.Identity(), primary_key=True, autoincrement=True
    )


def _create(name: str, *parts: sa.Column[str] | sa.Column[int] | sa.Constraint) -> None:
    without_rowid = any(isinstance(part, sa.PrimaryKeyConstraint) for part in parts)
    op.create_table(name, *parts, sqlite_with_rowid=not without_rowid)


def _replicas_and_inbox() -> None:
    _create("nm_replica", _text("id"), _number("beat"), _number("started_at"), sa.PrimaryKeyConstraint("id"))
    _create(
        "nm_inbox",
        *(_text(name) for name in ("channel", "account", "kind", "key")),
        _text("conv"),
        _text("route"),
        _text("reason", default=""),
        _text("run", null=True),
        _text("body", default="{}"),
        _number("at"),
        sa.PrimaryKeyConstraint("channel", "account", "kind", "key"),
    )
    op.create_index("nm_inbox_at", "nm_inbox", ["at"])
    _create("nm_conv", _text("conv"), _number("seq"), sa.PrimaryKeyConstraint("conv"))


def _runs() -> None:
    _create(
        "nm_run",
        _text("id"),
        _number("v", default=1),
        _text("conv"),
        _number("seq"),
        _text("status"),
        _text("owner", null=True),
        _number("attempt", default=0),
        _number("stuck", default=0),
        _number("seen", default=-1),
        _number("excused", default=0),
        _number("created_at"),
        _number("first_at", null=True),
        _number("ended_at", null=True),
        _text("input"),
        _text("result", null=True),
        _text("surface", null=True),
        _text("parent", null=True),
        _text("task"),
        _number("attempt_index", default=1),
        _text("validation", null=True),
        _text("skill_receipts", null=True),
        _text("memory_snapshot", null=True),
        _text("session", null=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("nm_run_conv", "nm_run", ["conv", "status"])
    op.create_index("nm_run_task", "nm_run", ["task", "attempt_index"])
    op.create_index("nm_run_owner", "nm_run", ["owner", "status"])
    op.create_index("nm_run_ended", "nm_run", ["ended_at"])


def _journal() -> None:
    _create(
        "nm_step",
        _text("run"),
        _text("path"),
        _text("result"),
        _number("v", default=1),
        _number("attempt"),
        _number("at"),
        sa.PrimaryKeyConstraint("run", "path"),
    )
    _create(
        "nm_control",
        _text("run"),
        _text("id"),
        _text("kind"),
        _text("person"),
        _text("body"),
        _number("at"),
        _text("taken_by", null=True),
        sa.PrimaryKeyConstraint("run", "id"),
    )
    _create(
        "nm_event",
        _key(),
        _text("run"),
        _text("segment"),
        _number("n"),
        _text("type"),
        _text("visibility"),
        _text("body"),
        _text("blob", null=True),
        _number("at"),
    )
    op.create_index("nm_event_run", "nm_event", ["run", "segment", "n"])


def _after_the_end() -> None:
    _create("nm_verdict", _key(), _text("run"), _text("person"), _text("name"), _text("verdict"), _number("at"))
    op.create_index("nm_verdict_run", "nm_verdict", ["run", "person"])
    _create(
        "nm_delivery",
        _key(),
        _text("run"),
        _text("kind"),
        _text("status"),
        _number("tries", default=0),
        _number("due_at"),
        _text("reason", default=""),
        _text("receipt", null=True),
        _number("created_at"),
        _number("done_at", null=True),
    )
    op.create_index("nm_delivery_due", "nm_delivery", ["status", "due_at"])
    op.create_index("nm_delivery_run", "nm_delivery", ["run"])


def _sessions() -> None:
    _create(
        "nm_session",
        _text("id"),
        _text("conversation"),
        _text("name", default=""),
        _text("state", default="active"),
        _text("model", null=True),
        _number("created_at"),
        _number("used_at"),
        _text("snapshot", null=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("nm_session_conversation", "nm_session", ["conversation", "state"])
    _create(
        "nm_message",
        _text("session"),
        _number("n"),
        _text("run"),
        _text("path"),
        _text("body"),
        _number("at"),
        _text("question", null=True),
        _text("replaced_by", null=True),
        sa.PrimaryKeyConstraint("session", "n"),
        sa.UniqueConstraint("run", "path"),
    )


def _files() -> None:
    _create("nm_config", _text("scope"), _text("key"), _text("value"), sa.PrimaryKeyConstraint("scope", "key"))
    _create("nm_document", _text("path"), _text("body"), _number("at"), sa.PrimaryKeyConstraint("path"))
    op.create_table(
        "nm_blob",
        sa.Column("hash", sa.Text(), primary_key=True),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
