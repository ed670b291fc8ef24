"""Attachments and artifacts by the hash of their content: files beside SQLite, rows of a table on Postgres."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path

from sqlmodel import Session

from engine.errors import StorageError
from engine.storage.database import Database
from engine.storage.statement import execute

_INSERT = "INSERT INTO nm_blob (hash, content, at) VALUES (:hash, :content, :at) ON CONFLICT DO NOTHING"
_SELECT = "SELECT content FROM nm_blob WHERE hash = :hash"


class BlobStore:
    """Write once, read often. The same content is kept once; a name is the SHA-256 of the content in hex."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder: Path | None = database.folder / "blobs" if database.dialect.is_sqlite else None

    async def write(self, content: bytes) -> str:
        """Keep `content` and give its name; durable on return.

        Raises:
            StorageError: the disk is full or the database away.
        """
        return await self._database.run(lambda session: self.write_in(session, content))

    async def read(self, name: str) -> bytes:
        """Give the content.

        Raises:
            KeyError: there is no such blob.
            StorageError: it can not be read now.
        """
        return await self._database.read(lambda session: self.read_in(session, name))

    def write_in(self, session: Session, content: bytes) -> str:
        """Do what `write` does within the caller's transaction; blocks."""
        name = hashlib.sha256(content).hexdigest()
        if self._folder is None:
            execute(session, _INSERT, hash=name, content=content, at=time.time_ns() // 1_000_000)
        else:
            _write_file(self._path(name), content)
        return name

    def read_in(self, session: Session, name: str) -> bytes:
        """Do what `read` does within the caller's transaction; blocks."""
        if self._folder is not None:
            return _read_file(self._path(name))
        row = execute(session, _SELECT, hash=name).first()
        if row is None:
            raise KeyError(name)
        return bytes(row.content)

    def _path(self, name: str) -> Path:
        if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
            raise KeyError(name)
        assert self._folder is not None
        return self._folder / name[:2] / name


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise KeyError(path.name) from None
    except OSError as error:
        raise StorageError(str(error), code="storage_away") from error


def _write_file(path: Path, content: bytes) -> None:
    if path.is_file():
        return
    try:
        write_atomically(path, content)
    except OSError as error:
        raise StorageError(str(error), code="storage_full") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Put a file in place so that a reader, or a crash, sees the old or the new content and nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
        _sync_folder(path.parent)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
