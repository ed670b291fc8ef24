"""The database: can it be read, is it sound, does its schema fit this version. Beside a running gateway: reads only."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from channels.base import Finding
from engine.runtime import DATABASE_FILE, Database, FolderLock
from gateway.doctor.disk import readable
from gateway.doctor.examination import Examination
from gateway.doctor.subject import Subject
from gateway.migrations import HEAD, VERSION_TABLE, migrate, revision
from gateway.settings import Settings

_BUSY_S = 2.0


def database_examinations(subject: Subject) -> Sequence[Examination]:
    """Give the examinations of the database; none without settings, which say where it is."""
    settings = subject.settings
    if settings is None:
        return ()
    repairs = {"revision_old": lambda: _migrate(settings)} if _is_embedded(settings) else {}
    return (
        Examination("database", lambda: asyncio.to_thread(soundness, settings)),
        Examination("revision", lambda: asyncio.to_thread(schema, settings), repairs=repairs),
    )


def soundness(settings: Settings) -> Finding:
    """Read an embedded database through, or reach the server."""
    if _is_embedded(settings):
        return _sound_file(settings.home / DATABASE_FILE)
    place = _place(settings)
    try:
        _revision(settings)
    except Exception as error:
        # Whatever a driver makes of a server that is away, refuses us or speaks something else.
        facts = {"place": place, "reason": _first_line(error)}
        return Finding("fail", "database_unreachable", facts, "database_unreachable")
    return Finding("ok", "database_reached", {"place": place})


def schema(settings: Settings) -> Finding:
    """Compare the schema's revision with the one this version needs."""
    try:
        found = _revision(settings)
    except Exception:
        # `database` tells what is wrong with it.
        return Finding("skipped", "needs_database")
    facts = {"found": found or "-", "needed": HEAD}
    if found == HEAD:
        return Finding("ok", "revision_right", facts)
    if found is not None and found > HEAD:
        return Finding("warn", "revision_newer", facts, "revision_newer")
    return Finding("fail", "revision_old", facts, "revision_old")


def _sound_file(file: Path) -> Finding:
    facts = {"place": str(file)}
    if not file.is_file():
        return Finding("skipped", "database_none")
    try:
        with closing(_read_only(file)) as connection:
            problems = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)") if row[0] != "ok"]
    except sqlite3.Error as error:
        problems = [str(error)]
    if problems:
        reason = "; ".join(_first_line(each) for each in problems)
        return Finding("fail", "database_broken", {**facts, "reason": reason}, "database_broken")
    return Finding("ok", "database_sound", {**facts, "size": readable(_size_bytes(file))})


def _size_bytes(file: Path) -> int:
    log = file.with_name(f"{file.name}-wal")
    return file.stat().st_size + (log.stat().st_size if log.exists() else 0)


def _revision(settings: Settings) -> str | None:
    if _is_embedded(settings):
        with closing(_read_only(settings.home / DATABASE_FILE)) as connection:
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (VERSION_TABLE,)).fetchone()
            row = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone() if known else None
            return str(row[0]) if row else None
    database = Database(settings.database.url, settings.home)
    try:
        return revision(database)
    finally:
        database.close()


def _read_only(file: Path) -> sqlite3.Connection:
    """Open it without changing anything, and where nobody has it open, without leaving files beside it."""
    alone = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"file:{quote(str(file))}?mode=ro{alone}", uri=True, timeout=_BUSY_S)


def _migrate(settings: Settings) -> None:
    """Bring the schema up to date, holding the folder's lock meanwhile.

    Raises:
        AlreadyRunning: a gateway works on this folder; it does this itself when it is restarted.
        StorageError: the database cannot be written.
    """
    lock = FolderLock(settings.home)
    lock.take()
    try:
        database = Database(settings.database.url, settings.home)
        try:
            migrate(database)
        finally:
            database.close()
    finally:
        lock.release()


def _is_embedded(settings: Settings) -> bool:
    return settings.database.url == "sqlite"


def _place(settings: Settings) -> str:
    """Give the server's address without user and password."""
    return settings.database.url.rpartition("@")[2] or settings.database.url


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
