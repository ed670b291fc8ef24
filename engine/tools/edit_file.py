"""The tool that replaces parts of a text file of the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.change import found, put, to_its_end
from engine.tools.edits import MAX_EDITS, Edit, applied, blocks_of, spans_of
from engine.tools.place import CHANGING, opened
from engine.tools.workspace import named


class EditFile:
    """Replaces exact text, all edits of a call or none. A repeat might fit another place: it is asked about again."""

    name = "edit_file"
    description = (
        "Replace exact text in a file of the workspace. Each old_text must be in the file exactly once, as read_file "
        "gives it, with its spaces; give more of what is around it to make it so. All edits are looked for in the file "
        "as it is now, and all are made or none. A person is asked before it is changed."
    )
    effect: Effect = "once"
    asks = True
    is_foreign = False
    event_type: EventType = "edit_file"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path relative to the workspace."},
            "edits": {
                "type": "array",
                "description": f"1 to {MAX_EDITS} replacements that do not overlap.",
                "items": {
                    "type": "object",
                    "properties": {
                        "old_text": {"type": "string", "description": "The text that goes away."},
                        "new_text": {"type": "string", "description": "The text that comes in its place."},
                        "replace_all": {"type": "boolean", "description": "Every place it is at. Default false."},
                    },
                    "required": ["old_text", "new_text"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["file_path", "edits"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        path = named(args["file_path"])
        return Touches(reads=(path,), writes=(path,))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Replace.

        Raises:
            ToolRetry: there is no such file, or an edit does not fit exactly one place of it.
            ToolFailed: it is binary, the workspace is full, or the disk does not take it.
        """
        given = str(args["file_path"])
        edits = [
            Edit(str(each["old_text"]), str(each["new_text"]), bool(each.get("replace_all", False)))
            for each in args["edits"]
        ]
        return await to_its_end(lambda: _edit(given, edits, context))


def _edit(given: str, edits: Sequence[Edit], context: ToolContext) -> ToolResult:
    with opened(context.workspace, given, context.private, CHANGING) as place:
        old = found(place)
        if old is None:
            raise ToolRetry(f"there is no file {given!r} in the workspace; make it by create_file")
        text = old.document.text
        spans = spans_of(text, edits, old.document.newline)
        changed = applied(text, spans)
        return put(place, old, old.document.with_text(changed), context, blocks_of(text, changed, spans))
