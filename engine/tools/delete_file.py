"""The tool that deletes a file of the workspace."""

from __future__ import annotations

import os
import stat
from typing import Any

from engine.errors import ToolFailed, ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.change import found, to_its_end, told
from engine.tools.place import CHANGING, Place, opened
from engine.tools.workspace import named

_NO_TEXT = ""


class DeleteFile:
    """Deletes one file, never a folder. A repeat might meet a new file of that name: it is asked about again."""

    name = "delete_file"
    description = "Delete one file of the workspace, no folder. A person is asked before it is deleted."
    effect: Effect = "once"
    asks = True
    is_foreign = False
    event_type: EventType = "delete_file"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {"file_path": {"type": "string", "description": "Path relative to the workspace."}},
        "required": ["file_path"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(writes=(named(args["file_path"]),))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Delete.

        Raises:
            ToolRetry: there is no such file, it is a folder, or the path leads out.
            ToolFailed: the disk does not let it go.
        """
        given = str(args["file_path"])
        return await to_its_end(lambda: _delete(given, context))


def _delete(given: str, context: ToolContext) -> ToolResult:
    with opened(context.workspace, given, context.private, CHANGING) as place:
        facts = place.facts()
        if facts is None:
            raise ToolRetry(f"there is no file {given!r} in the workspace (any more)")
        if stat.S_ISDIR(facts.st_mode):
            raise ToolRetry(f"{given!r} is a folder; only single files are deleted")
        if not (stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode)):
            raise ToolRetry(f"{given!r} is neither a file nor a link")
        text = _text(place)
        try:
            os.unlink(place.name, dir_fd=place.folder)
            os.fsync(place.folder)
        except OSError as error:
            raise ToolFailed(f"{given!r} cannot be deleted: {error.strerror}") from error
    return told(given, "deleted", text, "", size_bytes=facts.st_size)


def _text(place: Place) -> str:
    """Give what is deleted, to show it; nothing of what is no readable text, which may be deleted all the same."""
    try:
        old = found(place)
    except (ToolRetry, ToolFailed):
        return _NO_TEXT
    return _NO_TEXT if old is None else old.document.text
