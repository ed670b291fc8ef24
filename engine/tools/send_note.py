"""A tool with a lasting effect, to show how niuma asks first: it appends one line to `outbox.txt`."""

from __future__ import annotations

import os
import stat
from typing import Any

from engine.errors import ToolFailed, ToolRetry
from engine.events import EventType
from engine.permissions import Touches
from engine.tools.base import Effect, ToolContext, ToolResult
from engine.tools.change import to_its_end
from engine.tools.cut import clean
from engine.tools.place import CHANGING, opened

OUTBOX = "outbox.txt"
MAX_NOTE_CHARS = 500
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class SendNote:
    """Writes one line, once, after a person approved it."""

    name = "send_note"
    description = "Send a short note: one line is added to outbox.txt. A person is asked before it is sent."
    effect: Effect = "once"
    asks = True
    is_foreign = False
    event_type: EventType = "tool"
    parameters: dict[str, Any] = {  # noqa: RUF012
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": f"The note, one line, at most {MAX_NOTE_CHARS} characters."},
            "to": {"type": "string", "description": "Whom it is for. Default: everyone."},
        },
        "required": ["text"],
        "additionalProperties": False,
    }

    def touches(self, _args: dict[str, Any]) -> Touches:
        """See `Tool.touches`."""
        return Touches(writes=(OUTBOX,))

    async def run(self, args: dict[str, Any], context: ToolContext) -> ToolResult:
        """Append the line.

        Raises:
            ToolRetry: the note is empty or too long.
            ToolFailed: it cannot be written.
        """
        text = " ".join(clean(str(args["text"])).split())
        if not text or len(text) > MAX_NOTE_CHARS:
            raise ToolRetry(f"the note must have 1 to {MAX_NOTE_CHARS} characters, it has {len(text)}")
        to = " ".join(clean(str(args.get("to", ""))).split())
        line = f"{to}: {text}" if to else text
        try:
            await to_its_end(lambda: _append(context, line))
        except OSError as error:
            raise ToolFailed(f"the note cannot be written: {error.strerror}") from error
        return ToolResult(
            success=True,
            summary="sent, one line more in outbox.txt",
            text=f"The note was sent: {line}",
            parsed={"line": line},
            body=f"+ {line}",
            body_kind="diff",
        )


def _append(context: ToolContext, line: str) -> None:
    data = f"{line}\n".encode()
    with opened(context.workspace, OUTBOX, context.private, CHANGING) as place:
        context.quota.check(context.workspace, len(data), int(place.facts() is None))
        handle = os.open(OUTBOX, _FLAGS, 0o600, dir_fd=place.folder)
        with os.fdopen(handle, "ab") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
                raise ToolFailed(f"the note cannot be written: {OUTBOX} is not a file of its own")
            file.write(data)
