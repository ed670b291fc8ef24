"""Settings that people change while the product runs: what files and environment leave open."""

from __future__ import annotations

import json
from typing import Any, Literal

from sqlmodel import Session

from engine.storage.database import Database
from engine.storage.statement import execute

Choice = Literal["model", "while_busy"]
"""What people choose for one conversation: which model answers, and what becomes of words that come while it works."""
_GET = "SELECT value FROM nm_config WHERE scope = :scope AND key = :key"
_SET = """INSERT INTO nm_config (scope, key, value) VALUES (:scope, :key, :value)
ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value"""


class ConfigStore:
    """JSON values by scope (`"system"` or an agent's id) and key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self, scope: str) -> dict[str, Any]:
        """Give everything of a scope.

        Raises:
            StorageError: the database can not be read now.
        """

        def read(session: Session) -> dict[str, Any]:
            rows = execute(session, "SELECT key, value FROM nm_config WHERE scope = :scope", scope=scope)
            return {row.key: json.loads(row.value) for row in rows}

        return await self._database.read(read)

    async def get(self, scope: str, key: str) -> Any:
        """Give one value, `None` when it was never set. Raises like `all`."""
        return await self._database.read(lambda session: stored(session, scope, key))

    async def set(self, scope: str, key: str, value: Any) -> None:
        """Store one value; `None` takes it away.

        Raises:
            StorageError: the database can not be written now.
        """
        await self._database.run(lambda session: store(session, scope, key, value))


def stored(session: Session, scope: str, key: str) -> Any:
    """Give one value inside the caller's transaction, `None` when it was never set."""
    value = execute(session, _GET, scope=scope, key=key).scalar()
    return None if value is None else json.loads(value)


def store(session: Session, scope: str, key: str, value: Any) -> None:
    """Store one value inside the caller's transaction; `None` takes it away."""
    if value is None:
        execute(session, "DELETE FROM nm_config WHERE scope = :scope AND key = :key", scope=scope, key=key)
    else:
        execute(session, _SET, scope=scope, key=key, value=json.dumps(value))


def chosen(session: Session, choice: Choice, conversation: str) -> str | None:
    """Give what people chose for a conversation, inside the caller's transaction."""
    value = stored(session, scope_of(choice), conversation)
    return None if value is None else str(value)


def scope_of(choice: Choice) -> str:
    """Give where the choices of all conversations are kept."""
    return f"conversation_{choice}"
