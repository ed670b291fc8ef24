"""Whether a sandbox works on this machine: nothing but trying it can tell."""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import sys
from dataclasses import dataclass
from typing import Literal

from engine.errors import ToolFailed
from engine.tools.sandbox.bubblewrap import PROGRAM, Bubblewrap
from engine.tools.sandbox.order import Confinement
from engine.tools.sandbox.unconfined import Unconfined

log = logging.getLogger(__name__)
_WITHIN_S = 5.0
_OPTION = re.compile(r"--[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Trial:
    """What it gave. `reason` is what was said where it does not work; `sandbox` is there where it does."""

    code: Literal["sandbox_works", "sandbox_broken", "sandbox_missing", "sandbox_elsewhere"]
    program: str = ""
    reason: str = ""
    sandbox: Bubblewrap | None = None


async def try_sandbox(program: str = PROGRAM, within_s: float = _WITHIN_S) -> Trial:
    """Run nothing in a sandbox, with all its walls, and tell whether that works here.

    User namespaces are refused by the kernel's settings, by a container's filter of calls, or by a policy of the
    machine; a container may also allow them and refuse a fresh /proc in them.
    """
    if sys.platform != "linux":
        return Trial("sandbox_elsewhere")
    found = shutil.which(program)
    if found is None:
        return Trial("sandbox_missing")
    _, help_text = await _output([found, "--help"], within_s)
    sandbox = Bubblewrap(found, frozenset(_OPTION.findall(help_text)))
    try:
        code, said = await _output(sandbox.trial(), within_s)
    except ToolFailed as error:
        code, said = 1, str(error)
    if code == 0:
        return Trial("sandbox_works", found, sandbox=sandbox)
    lines = said.strip().splitlines()
    return Trial("sandbox_broken", found, lines[-1] if lines else f"exit code {code}")


async def find_confinement(wanted: Literal["sandboxed", "off", "unconfined"]) -> Confinement | None:
    """Give the way to run programs that the operator wants; none where it does not work here."""
    if wanted == "off":
        return None
    if wanted == "unconfined":
        log.warning("shell_unconfined")
        return Unconfined()
    trial = await try_sandbox()
    if trial.sandbox is None:
        log.warning("shell_off", extra={"code": trial.code, "reason": trial.reason})
    return trial.sandbox


async def _output(words: list[str], within_s: float) -> tuple[int, str]:
    """Give the exit code and all that was said; a program that does not start or end says so here."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except OSError as error:
        return 1, str(error)
    try:
        async with asyncio.timeout(within_s):
            said, _ = await process.communicate()
    except TimeoutError:
        return 1, f"no end within {within_s:g} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode or 0, said.decode("utf-8", "replace")
