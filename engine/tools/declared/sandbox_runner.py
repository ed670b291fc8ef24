"""Script tools in the sandbox of commands: the script as it was approved, its arguments, and nothing left behind."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Mapping

from engine.errors import ToolFailed
from engine.tools.base import ToolContext
from engine.tools.cut import clean
from engine.tools.declared.definition import Language
from engine.tools.declared.script_tool import Outcome, Script
from engine.tools.sandbox import Confinement, Finished, Limits, Order, run
from engine.tools.sandbox.bubblewrap import PATH
from engine.tools.sandbox.gathered import plain

_PROGRAMS: Mapping[Language, tuple[str, str]] = {
    "python": ("python3", ".py"),
    "node": ("node", ".js"),
    "bash": ("bash", ".sh"),
}
_PART_BYTES = 64_000
"""Of one argument of a program. Source: execve(2), MAX_ARG_STRLEN, 128 KiB, read 2026-12-01."""
_RUN = """d=$(mktemp -d) || exit 125
trap 'rm -rf "$d"' EXIT
program=$1 file="$d/$2" parts=$3 home=$4; shift 4
while [ "$parts" -gt 0 ]; do printf %s "$1" >> "$file" || exit 125; shift; parts=$((parts - 1)); done
for part; do printf %s "$part"; done > "$d/arguments"
mkdir "$d/home" || exit 125
HOME=${home:-$d/home} "$program" "$file" < "$d/arguments"
"""
"""The script and its arguments come as words, so that nothing in the workspace can change them before they are read.
The home is empty: interpreters, curl and git run or obey what lies there, and a script may hold a key."""


class SandboxRunner:
    """Satisfies `ScriptRunner`."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement

    async def run_script(self, script: Script, context: ToolContext) -> Outcome:
        """See `ScriptRunner.run_script`; a stop of the person ends it."""
        limits = Limits(time_s=script.timeout_s)
        order = Order(
            _words(script), context.workspace, context.private, limits, network=script.network, granted=script.env
        )
        stop = threading.Event()
        waiting = asyncio.ensure_future(_set_when_stopped(context, stop))
        try:
            finished = await run(self._confinement, order, tell=context.progress, stop=stop)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        stdout, stderr = clean(plain(finished.stdout)), clean(plain(finished.stderr))
        return Outcome(finished.exit_code, stdout, stderr, _why(finished, limits))


class NoRunner:
    """Takes scripts for what they are and runs none: for looking at a folder."""

    async def run_script(self, script: Script, context: ToolContext) -> Outcome:
        """See `ScriptRunner.run_script`.

        Raises:
            ToolFailed: always.
        """
        raise ToolFailed("scripts are not run here")


def _words(script: Script) -> tuple[str, ...]:
    program, ending = _PROGRAMS[script.language]
    if shutil.which(program, path=PATH) is None:
        raise ToolFailed(f"there is no {program} here, which this tool needs")
    if b"\0" in script.content or b"\0" in script.given:
        raise ToolFailed("a script cannot hold a NUL character")
    parts, given = _parts(script.content), _parts(script.given)
    told = (program, f"script{ending}", str(len(parts)), script.env.get("HOME", ""))
    return ("/bin/sh", "-c", _RUN, "sh", *told, *parts, *given)


def _parts(data: bytes) -> list[str]:
    """Give bytes as words; what is no UTF-8 comes out again as it was."""
    cuts = (data[at : at + _PART_BYTES] for at in range(0, len(data), _PART_BYTES))
    return [part.decode("utf-8", "surrogateescape") for part in cuts]


def _why(finished: Finished, limits: Limits) -> str:
    if finished.ended == "exited":
        return ""
    return {
        "time": f"ended: not done within {limits.time_s:g} s",
        "output": f"ended: more than {limits.output_bytes} bytes of output",
        "memory": f"ended: more than {limits.memory_bytes // 2**20} MB of memory",
        "processes": f"ended: more than {limits.processes} processes",
        "stopped": "ended: the person stopped it",
    }[finished.ended]


async def _set_when_stopped(context: ToolContext, stop: threading.Event) -> None:
    await context.stopped()
    stop.set()
