"""The tool that gives a text file of the workspace a new content, whether it is there or not."""

from __future__ import annotations

from typing import Any

from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.change import found, making, put, to_its_end
from engine.tools.document import Document, with_newlines
from engine.tools.file_name import check_names
from engine.tools.place import components, opened
from engine.tools.workspace import named


class WriteFile:
    """Writes the whole file. A repeat finds it written: nothing happens twice."""

    name = "write_file"
    description = (
        "Write a whole text file of the workspace: what was in it is replaced, missing folders are made. To change a "
        "part of a file use edit_file. A person is asked before it is written."
    )
    effect: Effect = "idempotent"
    asks = True
    is_foreign = False
    event_type: EventType = "edit_file"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path relative to the workspace."},
            "content": {"type": "string", "description": "All of the file's text."},
        },
        "required": ["file_path", "content"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(writes=(named(args["file_path"]),))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Write.

        Raises:
            ToolRetry: the path leads out or is no name for a file, or the text cannot stand in a file.
            ToolFailed: a binary file is there, the workspace is full, or the disk does not take it.
        """
        given, content = str(args["file_path"]), str(args["content"])
        return await to_its_end(lambda: _write(given, content, context))


def _write(given: str, content: str, context: ToolContext) -> ToolResult:
    check_names(components(given), given)
    with opened(context.workspace, given, context.private, making(context)) as place:
        old = found(place)
        if old is None:
            return put(place, None, Document(content), context)
        is_plain = "\r" not in content
        text = with_newlines(content, old.document.newline) if is_plain else content
        return put(place, old, old.document.with_text(text), context)
