"""The data folder: there, ours alone, writable, with room. Asked in threads: it may lie on a disk that is away."""

from __future__ import annotations

import stat
from asyncio import to_thread
from collections.abc import Iterator, Sequence
from pathlib import Path

from channels.base import Finding
from gateway.doctor.disk import readable
from gateway.doctor.examination import Examination
from gateway.doctor.subject import Subject
from gateway.paths import create_private_folder, token_file

_ROOM_FAIL_BYTES = 100_000_000
_ROOM_WARN_BYTES = 1_000_000_000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def folder_examinations(subject: Subject) -> Sequence[Examination]:
    """Give the examinations of the data folder."""
    home = subject.home
    to_private = {"folder_not_private": lambda: make_private(subject)}
    return (
        Examination("folder", lambda: to_thread(folder, subject), repairs={"folder_missing": lambda: _create(home)}),
        Examination(
            "privacy",
            lambda: to_thread(privacy, subject),
            repairs=to_private,
        ),
        Examination("space", lambda: to_thread(space, subject)),
    )


def folder(subject: Subject) -> Finding:
    """Look whether it is there and can be written."""
    facts = {"folder": subject.home}
    if not subject.home.exists():
        return Finding("warn", "folder_missing", facts, "folder_missing")
    if not subject.home.is_dir():
        return Finding("fail", "folder_no_folder", facts, "folder_no_folder")
    if not subject.disk.can_write(subject.home):
        return Finding("fail", "folder_read_only", facts, "folder_read_only")
    return Finding("ok", "folder_writable", facts)


def privacy(subject: Subject) -> Finding:
    """Look whether other users of this machine can read it, or a file elsewhere that holds a secret."""
    if not subject.home.is_dir():
        return Finding("skipped", "needs_folder")
    open_ones = list(_open_to_others(subject))
    if open_ones:
        facts = {"paths": ", ".join(str(each) for each in open_ones)}
        return Finding("fail", "folder_not_private", facts, "folder_not_private")
    return Finding("ok", "folder_private", {"folder": subject.home})


def space(subject: Subject) -> Finding:
    """Look how much room is left on its disk."""
    if not subject.home.is_dir():
        return Finding("skipped", "needs_folder")
    free = subject.disk.free_bytes(subject.home)
    facts = {"free": readable(free)}
    if free >= _ROOM_WARN_BYTES:
        return Finding("ok", "space_left", facts)
    return Finding("fail" if free < _ROOM_FAIL_BYTES else "warn", "space_short", facts, "space_short")


def make_private(subject: Subject) -> None:
    """Take all rights of others away: 0700 for the folder, 0600 for files."""
    for path in _open_to_others(subject):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _open_to_others(subject: Subject) -> Iterator[Path]:
    settings = subject.settings
    files = [token_file(subject.home)]
    if settings is not None and settings.config is not None and settings.plain_secrets():
        files.append(settings.config)
    for path in [subject.home, *files]:
        if path.exists() and path.stat().st_mode & _OTHERS:
            yield path


def _create(home: Path) -> None:
    create_private_folder(home)
