"""Bubblewrap, in which shell and script tools run; where it does not work they stay off."""

from __future__ import annotations

from channels.base import Finding
from engine.runtime import try_sandbox

PROGRAM = "bwrap"
_WITHIN_S = 5.0


async def sandbox(program: str = PROGRAM, within_s: float = _WITHIN_S) -> Finding:
    """Tell what came of the engine's own trial, which runs nothing behind the walls that tools get."""
    trial = await try_sandbox(program, within_s)
    if trial.code == "sandbox_works":
        return Finding("ok", "sandbox_works", {"program": trial.program})
    if trial.code == "sandbox_broken":
        return Finding("warn", "sandbox_broken", {"reason": trial.reason}, "sandbox_broken")
    return Finding("skipped", trial.code, advice="sandbox_missing" if trial.code == "sandbox_missing" else "")
