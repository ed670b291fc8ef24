"""Attachments and artifacts by the hash of their content: files beside SQLite, rows of a table on Postgres."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Collection
from pathlib import Path

from sqlmodel import Session

from engine.errors import StorageError
from engine.storage.database import Database
from engine.storage.statement import change, execute

_INSERT = """INSERT INTO nm_blob (hash, content, at) VALUES (:hash, :content, :at)
ON CONFLICT (hash) DO UPDATE SET at = excluded.at"""
OLD = "SELECT hash FROM nm_blob WHERE at < :before AND hash > :after ORDER BY hash LIMIT :most"
_FORGET = "DELETE FROM nm_blob WHERE hash = :hash AND at < :before"
AT_ONCE = 100
_SELECT = "SELECT content FROM nm_blob WHERE hash = :hash"


_one_by_one = threading.Lock()
"""Between looking how old a blob is and deleting it nobody may find that it is there and rely on it."""


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
        if self._folder is not None:
            # A large file is no business of the one thread that writes to the database.
            return await asyncio.to_thread(self._put, content)
        return await self._database.run(lambda session: self.write_in(session, content))

    async def read(self, name: str) -> bytes:
        """Give the content.

        Raises:
            KeyError: there is no such blob.
            StorageError: it can not be read now.
        """
        return await self._database.read(lambda session: self.read_in(session, name))

    async def forget(self, before_ms: int, kept: Collection[str] = ()) -> int:
        """Delete what was last written before this time (UTC ms), except for `kept`, and give how many.

        Raises:
            StorageError: the disk or the database is away.
        """
        if self._folder is not None:
            return await asyncio.to_thread(_forget_files, self._folder, before_ms / 1000, kept)
        gone, after = 0, ""
        while names := await self._database.read(lambda session, a=after: _old(session, before_ms, a)):
            due = [{"hash": name, "before": before_ms} for name in names if name not in kept]
            gone += await self._database.run(lambda session, d=due: sum(change(session, _FORGET, **each) for each in d))
            after = names[-1]
        return gone

    def write_in(self, session: Session, content: bytes) -> str:
        """Do what `write` does within the caller's transaction; blocks."""
        if self._folder is not None:
            return self._put(content)
        name = hashlib.sha256(content).hexdigest()
        execute(session, _INSERT, hash=name, content=content, at=time.time_ns() // 1_000_000)
        return name

    def _put(self, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
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


def _old(session: Session, before_ms: int, after: str) -> list[str]:
    return list(execute(session, OLD, before=before_ms, after=after, most=AT_ONCE).scalars())


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise KeyError(path.name) from None
    except OSError as error:
        raise StorageError(str(error), code="storage_away") from error


def _write_file(path: Path, content: bytes) -> None:
    try:
        if _is_kept_on(path):
            return
        write_atomically(path, content)
    except OSError as error:
        raise StorageError(str(error), code="storage_full") from error


def _is_kept_on(path: Path) -> bool:
    """Tell whether the content is there already, and count it as written now."""
    with _one_by_one:
        if not path.is_file():
            return False
        os.utime(path)
        return True


def _forget_files(folder: Path, before_s: float, kept: Collection[str]) -> int:
    try:
        return sum(_forget_file(path, before_s) for path in folder.glob("*/*") if path.name not in kept)
    except OSError as error:
        raise StorageError(str(error), code="storage_away") from error


def _forget_file(path: Path, before_s: float) -> bool:
    with _one_by_one:
        try:
            if path.stat().st_mtime >= before_s:
                return False
            path.unlink()
        except FileNotFoundError:
            # It was only being written when it was found, and has its name now.
            return False
    return True


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
