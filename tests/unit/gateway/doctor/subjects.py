"""A data folder to examine, and one finding out of all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gateway.doctor import Examined, Subject, examine
from gateway.doctor.disk import Disk
from gateway.errors import ConfigInvalid
from gateway.settings import load_settings

AWAY = "http://127.0.0.1:9"
"""Nobody listens on the discard port."""


class PretendedDisk(Disk):
    """One that says what a test wants."""

    def __init__(self, *, writable: bool = True, free: int = 10**11) -> None:
        self.writable = writable
        self.free = free

    def can_write(self, folder: Path) -> bool:
        return self.writable

    def free_bytes(self, folder: Path) -> int:
        return self.free


def subject(home: Path, environ: dict[str, str] | None = None, /, **more: Any) -> Subject:
    """Give the subject as the command line makes it; `more` are fields of `Subject`, or settings with `__`."""
    settings = {key.replace("__", "."): more.pop(key) for key in list(more) if "__" in key}
    settings.setdefault("server.port", "0")
    try:
        loaded = load_settings(home, environ=environ or {}, overrides=settings)
    except ConfigInvalid as problem:
        return Subject(home, problem=problem, **more)
    return Subject(home, loaded, **more)


async def found(who: Subject, name: str, about: str = "", *, fix: bool = False) -> Examined:
    """Examine everything and give one result."""
    every = await examine(who, fix=fix)
    return next(each for each in every if each.name == name and about in ("", each.about))


def said(result: Examined) -> tuple[str, str]:
    """Give verdict and code."""
    return result.finding.verdict, result.finding.code
