"""Is the embedded database where it was? One that was moved or deleted takes writes that nobody finds again."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy import exc

GONE = "was moved or deleted"


class Place:
    """Remembers which file lies at a path when it is first looked at."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: tuple[int, int] | None = None

    def check(self) -> None:
        """Return while it is the same file.

        Raises:
            OperationalError: it is not; only a restart helps.
        """
        found = self._look()
        if found is not None and self._known in (None, found):
            self._known = found
            return
        raise exc.OperationalError("COMMIT", None, sqlite3.OperationalError(f"{self._path} {GONE}; restart"))

    def _look(self) -> tuple[int, int] | None:
        try:
            facts = os.stat(self._path)
        except OSError:
            return None
        return facts.st_dev, facts.st_ino
