"""Bubblewrap, in which later shell tools run; without it they stay off."""

from __future__ import annotations

import asyncio
import shutil
import sys

from channels.base import Finding

PROGRAM = "bwrap"
_TRY = ("--ro-bind", "/", "/", "--unshare-all", "--die-with-parent", "true")


async def sandbox(program: str = PROGRAM) -> Finding:
    """Run nothing in a sandbox, and see whether that works here."""
    if sys.platform != "linux":
        return Finding("skipped", "sandbox_elsewhere")
    found = shutil.which(program)
    if found is None:
        return Finding("skipped", "sandbox_missing", advice="sandbox_missing")
    process = await asyncio.create_subprocess_exec(
        found, *_TRY, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode:
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return Finding("warn", "sandbox_broken", {"reason": lines[-1] if lines else "?"}, "sandbox_broken")
    return Finding("ok", "sandbox_works", {"program": found})
