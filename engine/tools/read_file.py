"""The tool that reads a text file of the workspace."""

from __future__ import annotations

import asyncio
from typing import Any

from engine.errors import ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.contents import read_file_at
from engine.tools.cut import clean, cut
from engine.tools.document import lines_of, read_document
from engine.tools.workspace import named

MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_TEXT_CHARS = 40_000
MAX_LINES = 2_000


class ReadFile:
    """Gives lines of one file, numbered from 1."""

    name = "read_file"
    description = "Read a text file of the workspace, whole or a range of lines. Long files come in pieces: ask on."
    effect: Effect = "none"
    asks = False
    is_foreign = True
    event_type: EventType = "read_file"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path relative to the workspace."},
            "start_line": {"type": "integer", "minimum": 1, "description": "First line, from 1. Default 1."},
            "end_line": {"type": "integer", "minimum": 1, "description": "Last line, included. Default: the end."},
        },
        "required": ["file_path"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(reads=(named(args["file_path"]),))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Read.

        Raises:
            ToolRetry: the path leads out or into a private folder, is no file or the range is empty.
            ToolFailed: the file is too large, is binary or cannot be read.
        """
        start, end = int(args.get("start_line", 1)), args.get("end_line")
        if end is not None and end < start:
            raise ToolRetry(f"end_line {end} is before start_line {start}")
        given = str(args["file_path"])
        lines = await asyncio.to_thread(_read_lines, given, context)
        return _result(given, lines, start, len(lines) if end is None else int(end))


def _read_lines(given: str, context: ToolContext) -> list[str]:
    data = read_file_at(context.workspace, given, context.private, MAX_FILE_BYTES)
    return lines_of(read_document(data, given).text)


def _result(given: str, lines: list[str], start: int, end: int) -> ToolResult:
    if lines and start > len(lines):
        raise ToolRetry(f"{given!r} has only {len(lines)} lines")
    last = min(end, len(lines), start + MAX_LINES - 1)
    text = clean("\n".join(lines[start - 1 : last]))
    shown = cut(text, MAX_TEXT_CHARS)
    is_cut = last < min(end, len(lines)) or shown != text
    if shown != text:
        last = start + shown.count("\n")
    note = f"\n[cut: lines {start}-{last} of {len(lines)}; ask with start_line for the rest]" if is_cut else ""
    parsed = {"file_path": given, "start_line": start, "end_line": last, "total_lines": len(lines), "cut": is_cut}
    return ToolResult(
        success=True,
        summary=f"{given}: lines {start}-{last} of {len(lines)}",
        text=(shown or "(the file is empty)") + note,
        parsed=parsed,
        body=cut(shown, 4_000),
    )
