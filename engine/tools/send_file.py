"""The tool that sends a file of the workspace to the person, as a file or picture of the chat."""

from __future__ import annotations

from typing import Any

from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, OutgoingFile, ToolContext, ToolResult
from engine.tools.cut import clean, cut
from engine.tools.workspace import named

MAX_CAPTION_CHARS = 200


class SendFile:
    """Names the file; the agent keeps its content with the call, and the chat shows it once, also after a crash."""

    name = "send_file"
    description = "Send a file of the workspace to the person in this chat: a document, a table, a picture."
    effect: Effect = "none"
    asks = False
    is_foreign = False
    event_type: EventType = "tool"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path relative to the workspace."},
            "caption": {"type": "string", "description": "What it is, one short line. Default: none."},
        },
        "required": ["path"],
        "additionalProperties": False,
    }

    def touches(self, args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(reads=(named(args["path"]),))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Name the file that goes out with this call's result; whether it can is seen when its content is kept."""
        path = str(args["path"])
        caption = cut(" ".join(clean(str(args.get("caption", ""))).split()), MAX_CAPTION_CHARS)
        return ToolResult(
            success=True,
            summary=path,
            text=f"The file {path!r} is handed to the chat now; if it does not take it, the person is told so beside "
            "this call. Do not repeat what is in it.",
            parsed={"path": path},
            outgoing=(OutgoingFile(path=path, caption=caption),),
        )
