"""Where shell and script tools run: behind walls, nowhere, or without walls, as the operator says and as it is."""

from __future__ import annotations

from typing import Literal

from channels.base import Finding
from engine.runtime import try_sandbox

PROGRAM = "bwrap"
_WITHIN_S = 5.0
Shell = Literal["sandboxed", "off", "unconfined"]


async def sandbox(program: str = PROGRAM, within_s: float = _WITHIN_S, *, shell: Shell = "sandboxed") -> Finding:
    """Tell where commands run. A sandbox is tried where one is wanted, and runs nothing behind its walls."""
    if shell == "off":
        return Finding("ok", "shell_off")
    if shell == "unconfined":
        return Finding("warn", "shell_unconfined", advice="shell_unconfined")
    trial = await try_sandbox(program, within_s)
    if trial.code == "sandbox_works":
        return Finding("ok", "sandbox_works", {"program": trial.program})
    if trial.code == "sandbox_broken":
        return Finding("warn", "sandbox_broken", {"reason": trial.reason}, "sandbox_broken")
    return Finding("skipped", trial.code, advice="sandbox_missing" if trial.code == "sandbox_missing" else "")
