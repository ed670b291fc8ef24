"""The tool that runs one command line behind walls and tells what it said."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import replace
from typing import Any

from engine.errors import ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.cut import clean
from engine.tools.sandbox import Confinement, Finished, Limits, Order, run
from engine.tools.shell_report import report

MAX_COMMAND_CHARS = 1_900
"""What a person who is asked sees of a call whole: nobody allows the end of a command that was cut."""
_SHELLS = ("/bin/bash", "/bin/sh")
_SPARE_S = 2.0
"""How much earlier than every tool's limit the command ends, so that its output so far is told."""


class ShellCommand:
    """Runs a command line in the conversation's workspace. Nothing that it starts outlives the call."""

    name = "shell_command"
    effect: Effect = "once"
    asks = True
    is_foreign = True
    event_type: EventType = "bash"

    def __init__(self, confinement: Confinement, *, tool_timeout_s: float, network: bool = False) -> None:
        self._confinement = confinement
        self._network = network
        self._limits = Limits(time_s=max(tool_timeout_s - _SPARE_S, tool_timeout_s * 0.8))
        self._shell = next((each for each in _SHELLS if os.path.exists(each)), _SHELLS[-1])

    @property
    def description(self) -> str:
        """See `Tool.description`."""
        net = "The network can be reached. " if self._network else "There is no network. "
        return (
            f"Run one command line with {self._shell} in the workspace and get stdout, stderr and the exit code. Work "
            f"only in the workspace: it is the current folder, and HOME. {net}There is no terminal and no input: "
            "give every answer as an option. When the command ends, whatever it left in the background is ended too."
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Tool.parameters`."""
        return {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command line, as typed in a shell."},
                "timeout_s": {
                    "type": "number",
                    "description": "Seconds after which it is ended, at most and by default the longest allowed.",
                    "minimum": 1,
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(command=clean(str(args["command"])), sends=self._network)

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run it; a stop, a limit and an exit code other than 0 are results.

        Raises:
            ToolRetry: there is no command, or it is too long.
            ToolFailed: it cannot be started here.
        """
        command = clean(str(args["command"]))
        if not command.strip() or "\0" in command or len(command) > MAX_COMMAND_CHARS:
            advice = "put what is longer into a script file"
            raise ToolRetry(f"the command must have 1 to {MAX_COMMAND_CHARS} characters and no NUL; {advice}")
        longest_s = self._limits.time_s
        limits = replace(self._limits, time_s=min(float(args.get("timeout_s", longest_s)), longest_s))
        order = Order((self._shell, "-c", command), context.workspace, context.private, limits, self._network)
        return report(command, await self._run(order, context), limits)

    async def _run(self, order: Order, context: ToolContext) -> Finished:
        stop = threading.Event()
        waiting = asyncio.ensure_future(_set_when_stopped(context, stop))
        try:
            return await run(self._confinement, order, tell=context.progress, stop=stop)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)


async def _set_when_stopped(context: ToolContext, stop: threading.Event) -> None:
    await context.stopped()
    stop.set()
