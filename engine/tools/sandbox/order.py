"""What a program may use, what is asked for, and what came of it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

Ending = Literal["exited", "time", "output", "memory", "processes", "stopped"]
"""Why it is over: by itself, or because a limit or a person ended it."""
Tell = Callable[[str], None]
"""Takes one line of live output; called on the thread that watches."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What all processes of one call may use together; `memory_bytes` also holds for each alone, as do files."""

    time_s: float = 60.0
    memory_bytes: int = 1024 * 1024 * 1024
    output_bytes: int = 2_000_000
    processes: int = 128
    open_files: int = 1024
    file_bytes: int = 256 * 1024 * 1024
    temporary_bytes: int = 128 * 1024 * 1024
    """Of the folder for temporary files, which is memory."""


@dataclass(frozen=True, slots=True)
class Order:
    """A program to run, with its arguments. It sees `workspace`, never the folders in `private`."""

    words: tuple[str, ...]
    workspace: Path
    private: tuple[Path, ...] = ()
    limits: Limits = field(default_factory=Limits)
    network: bool = False
    granted: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables beside PATH, LANG and HOME; no variable of ours is handed on."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of it. Nothing that it started lives any more."""

    ended: Ending
    exit_code: int | None
    """None where it was ended; 128 and the signal's number where a signal ended it."""
    stdout: bytes = b""
    stderr: bytes = b""
    duration_ms: int = 0


class Tree(Protocol):
    """A program that runs, with everything it started."""

    process: subprocess.Popen[bytes]

    def members(self) -> Sequence[str]:
        """Give the folders in /proc of all its processes; none where they cannot be told yet."""
        ...

    def kill(self) -> None:
        """End all of it, and return when nothing of it is left.

        Raises:
            ToolFailed: something is left.
        """
        ...


class Confinement(Protocol):
    """A way to run programs."""

    def start(self, order: Order) -> Tree:
        """Start it; its output comes by pipes.

        Raises:
            ToolFailed: it cannot be started, or must not be with this workspace.
        """
        ...
