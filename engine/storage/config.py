"""Settings that people change while the product runs: what files and environment leave open."""

from __future__ import annotations

import json
from typing import Any

from sqlmodel import Session

from engine.storage.database import Database
from engine.storage.statement import execute

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
        return (await self.all(scope)).get(key)

    async def set(self, scope: str, key: str, value: Any) -> None:
        """Store one value; `None` takes it away.

        Raises:
            StorageError: the database can not be written now.
        """

        def write(session: Session) -> None:
            if value is None:
                execute(session, "DELETE FROM nm_config WHERE scope = :scope AND key = :key", scope=scope, key=key)
            else:
                execute(session, _SET, scope=scope, key=key, value=json.dumps(value))

        await self._database.run(write)
