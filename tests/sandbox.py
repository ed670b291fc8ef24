"""A sandbox for tests, or a loud reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.tools.sandbox import Confinement, Finished, Limits, Order, run, try_sandbox

NICE_S = 15.0
"""However busy the machine: what a test runs is over before."""


async def working_sandbox() -> Confinement:
    """Give one that works here; skip the test where none does."""
    trial = await try_sandbox()
    if trial.sandbox is None:
        pytest.skip(f"NO SANDBOX HERE ({trial.code}: {trial.reason or 'install bubblewrap'})")
    return trial.sandbox


@dataclass
class Shell:
    """Runs command lines in a folder and keeps what they told."""

    confinement: Confinement
    workspace: Path
    private: tuple[Path, ...] = ()

    async def __call__(self, line: str, *, shell: str = "/bin/bash", **given: Any) -> Finished:
        """Run a line; `given` are limits and what else an order takes."""
        names = {"network", "granted"} & given.keys()
        others = {name: given.pop(name) for name in names}
        limits = Limits(**{"time_s": NICE_S, **given})
        order = Order((shell, "-c", line), self.workspace, self.private, limits, **others)
        self.told: list[str] = []
        return await run(self.confinement, order, tell=self.told.append)


def begun(words: str) -> bool:
    """Tell whether a process with these first words runs: the program itself, not what starts it."""
    return any(each.startswith(words) for each in living(words))


def living(mark: str) -> list[str]:
    """Give the command lines of all processes of the machine that hold `mark`, zombies left out."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if mark in words:
                found.append(words)
    return found
