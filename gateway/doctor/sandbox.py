"""Bubblewrap, in which shell and script tools run; where it does not work they stay off."""

from __future__ import annotations

import asyncio
import shutil
import sys

from channels.base import Finding

PROGRAM = "bwrap"
_TRY = ("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-all", "--die-with-parent", "true")
"""What a tool gets. A system may allow the namespaces and refuse a fresh /proc in them, as containers do."""
_WITHIN_S = 5.0


async def sandbox(program: str = PROGRAM, within_s: float = _WITHIN_S) -> Finding:
    """Run nothing in a sandbox, and see whether that works here.

    Nothing but the trial can tell: user namespaces are refused by the kernel's settings, by a container's filter of
    calls, or by a policy of the machine.
    """
    if sys.platform != "linux":
        return Finding("skipped", "sandbox_elsewhere")
    found = shutil.which(program)
    if found is None:
        return Finding("skipped", "sandbox_missing", advice="sandbox_missing")
    reason = await _refusal(found, within_s)
    if reason:
        return Finding("warn", "sandbox_broken", {"reason": reason}, "sandbox_broken")
    return Finding("ok", "sandbox_works", {"program": found})


async def _refusal(program: str, within_s: float) -> str:
    """Give why the trial failed; empty when it did not."""
    try:
        process = await asyncio.create_subprocess_exec(
            program, *_TRY, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
        )
    except OSError as error:
        return str(error)
    try:
        async with asyncio.timeout(within_s):
            _, said = await process.communicate()
    except TimeoutError:
        return f"no end within {within_s:g} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return "" if process.returncode == 0 else lines[-1] if lines else f"exit code {process.returncode}"
