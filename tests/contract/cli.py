"""What tests of the command line share: how a command ended, and who holds a data folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.storage.lock import FolderLock

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


Niuma = Callable[..., Done]


@contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold the lock of a data folder, as a process that works on it does."""
    lock = FolderLock(folder)
    lock.take()
    try:
        yield
    finally:
        lock.release()
