"""What a command gave, as a result: for the model, for the card, for programs."""

from __future__ import annotations

import json
from typing import Any

from engine.tools.base import ToolResult
from engine.tools.cut import clean, cut, cut_middle
from engine.tools.sandbox import Finished, Limits
from engine.tools.sandbox.gathered import plain

MAX_JSON_CHARS = 200_000
MAX_PARSED_CHARS = 4_000
_COMMAND_CHARS = 1_000
_MISSING = "[{missing} characters left out]"
_ERRORS = {"time": "tool_timeout", "stopped": "stopped"}


def report(command: str, finished: Finished, limits: Limits) -> ToolResult:
    """Give the result; it is a success when the command ended by itself with exit code 0."""
    stdout, stderr = clean(plain(finished.stdout)), clean(plain(finished.stderr))
    how, success = _how(finished, limits), finished.exit_code == 0
    parsed: dict[str, Any] = {
        "command": cut(command, _COMMAND_CHARS),
        "exit_code": finished.exit_code,
        "ended": finished.ended,
        "duration_ms": finished.duration_ms,
        "stdout": cut_middle(stdout, MAX_PARSED_CHARS, note=_MISSING),
        "stderr": cut_middle(stderr, MAX_PARSED_CHARS, note=_MISSING),
    }
    if success and (found := _json(stdout)) is not None:
        parsed["json"] = found
    said = "".join(_part(name, text) for name, text in (("stdout", stdout), ("stderr", stderr)))
    body = "\n".join(text.rstrip("\n") for text in (stdout, stderr) if text.strip())
    return ToolResult(
        success=success,
        summary=f"{how}, {finished.duration_ms / 1000:.1f} s",
        text=f"{how}\n{said or '(no output)'}",
        parsed=parsed,
        body=body if success else f"{body}\n[{how}]".lstrip("\n"),
        body_kind="terminal",
        error=None if success else _ERRORS.get(finished.ended, "tool_failed"),
    )


def _how(finished: Finished, limits: Limits) -> str:
    if finished.ended == "exited":
        return f"exit code {finished.exit_code}"
    return {
        "time": f"ended: not done within {limits.time_s:g} s; what it did until then may stay",
        "output": f"ended: more than {limits.output_bytes} bytes of output, the rest is missing",
        "memory": f"ended: more than {limits.memory_bytes // 2**20} MB of memory",
        "processes": f"ended: more than {limits.processes} processes",
        "stopped": "ended: the person stopped it; what it did until then may stay",
    }[finished.ended]


def _part(name: str, text: str) -> str:
    return f"{name}:\n{text.rstrip()}\n" if text.strip() else ""


def _json(text: str) -> Any:
    if len(text) > MAX_JSON_CHARS or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None  # it only looked like it
