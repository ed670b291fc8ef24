"""The tool that makes a new text file of the workspace."""

from __future__ import annotations

from typing import Any

from engine.errors import ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.change import Found, found, making, put, to_its_end
from engine.tools.document import Document
from engine.tools.file_name import check_names
from engine.tools.place import Place, components, opened
from engine.tools.workspace import named


class CreateFile:
    """Makes a file that was not there. A repeat finds it with just this content, and is content."""

    name = "create_file"
    description = (
        "Make a new text file in the workspace; missing folders are made. It is refused where a file is there already. "
        "A person is asked before it is made."
    )
    effect: Effect = "idempotent"
    asks = True
    is_foreign = False
    event_type: EventType = "create_file"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path relative to the workspace."},
            "content": {"type": "string", "description": "The file's text. Default: empty."},
        },
        "required": ["file_path"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(writes=(named(args["file_path"]),))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Make it.

        Raises:
            ToolRetry: something is there already, the path leads out or is no name for a file.
            ToolFailed: the workspace is full, or the disk does not take it.
        """
        given, content = str(args["file_path"]), str(args.get("content", ""))
        return await to_its_end(lambda: _create(given, content, context))


def _create(given: str, content: str, context: ToolContext) -> ToolResult:
    check_names(components(given), given)
    document = Document(content)
    with opened(context.workspace, given, context.private, making(context)) as place:
        return put(place, _already(place, document), document, context)


def _already(place: Place, document: Document) -> Found | None:
    """Give the file when it is just what is wanted: that is what an earlier try of this call leaves."""
    facts = place.facts()
    if facts is None:
        return None
    data = document.data(place.given)
    if facts.st_size == len(data) and (old := found(place)) is not None and old.data == data:
        return old
    raise ToolRetry(f"{place.given!r} is there already; change it by edit_file, or choose another name")
