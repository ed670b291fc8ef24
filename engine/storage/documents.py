"""Texts that people and agents edit: memory, agents, skills. Files beside SQLite, rows on Postgres."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path, PurePosixPath

from sqlmodel import Session

from engine.errors import StorageError
from engine.storage.blobs import write_atomically
from engine.storage.database import Database
from engine.storage.statement import execute

_WRITE = """INSERT INTO nm_document (path, body, at) VALUES (:path, :body, :at)
ON CONFLICT (path) DO UPDATE SET body = excluded.body, at = excluded.at"""
_LIST = "SELECT path FROM nm_document WHERE substr(path, 1, :length) = :prefix ORDER BY path"


class DocumentStore:
    """UTF-8 texts by relative path (`"memory/default/MEMORY.md"`). A reader sees the old or the new text, whole."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder: Path | None = database.folder / "documents" if database.dialect.is_sqlite else None

    async def read(self, path: str) -> str | None:
        """Give the text, `None` when there is none.

        Raises:
            ValueError: `path` leads outside.
            StorageError: it can not be read now.
        """
        name = _checked(path)
        if self._folder is not None:
            return await asyncio.to_thread(_read_file, self._folder / name)
        sql = "SELECT body FROM nm_document WHERE path = :path"
        return await self._database.read(lambda session: execute(session, sql, path=name).scalar())

    async def write(self, path: str, text: str) -> None:
        """Put a text in place of what was there; durable on return. Raises like `read`."""
        name = _checked(path)
        if self._folder is not None:
            await asyncio.to_thread(_write_file, self._folder / name, text)
            return

        def write(session: Session) -> None:
            execute(session, _WRITE, path=name, body=text, at=time.time_ns() // 1_000_000)

        await self._database.run(write)

    async def delete(self, path: str) -> None:
        """Take a text away; one that is not there is fine. Raises like `read`."""
        name = _checked(path)
        if self._folder is not None:
            await asyncio.to_thread(_delete_file, self._folder / name)
            return
        sql = "DELETE FROM nm_document WHERE path = :path"
        await self._database.run(lambda session: execute(session, sql, path=name))

    async def list(self, prefix: str = "") -> list[str]:
        """Give the paths that begin with `prefix`, sorted. Raises like `read`."""
        if self._folder is not None:
            return await asyncio.to_thread(_list_files, self._folder, prefix)

        def read(session: Session) -> list[str]:
            return [row.path for row in execute(session, _LIST, length=len(prefix), prefix=prefix)]

        return await self._database.read(read)


def _checked(path: str) -> str:
    pure = PurePosixPath(path)
    if not path or pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path:
        raise ValueError(f"document path {path!r} leads outside")
    return str(pure)


def _read_file(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(str(error), code="storage_away") from error


def _write_file(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise StorageError(str(error), code="storage_full") from error


def _delete_file(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(error), code="storage_away") from error


def _list_files(folder: Path, prefix: str) -> list[str]:
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".new-"))
    return sorted(name for file in files if (name := file.relative_to(folder).as_posix()).startswith(prefix))
