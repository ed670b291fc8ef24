"""Keeping what a tool gives within bounds; the rest is kept in a file the model can read on in."""

from __future__ import annotations

from engine.errors import ToolFailed, ToolRetry
from engine.tools.base import ToolContext, ToolResult
from engine.tools.change import making
from engine.tools.cut import clean, cut_middle
from engine.tools.place import opened
from engine.tools.replacement import Replacement

KEPT_IN = ".niuma-outputs"
"""Not `.niuma`: where a home folder is the workspace, that is the data folder."""
MAX_KEPT_CHARS = 2_000_000
MAX_BODY_CHARS = 16_000


def bound_output(result: ToolResult, *, limit: int, context: ToolContext, name: str) -> ToolResult:
    """Give `result` with at most `limit` characters for the model; a cut says how much is missing and where it lies."""
    text, body = clean(result.text), clean(result.body)
    body = cut_middle(body, MAX_BODY_CHARS, note="[{missing} characters left out]")
    if len(text) <= limit:
        return result.model_copy(update={"text": text, "body": body})
    kept = _keep(f"{KEPT_IN}/{name}.txt", text, context)
    where = f"the whole output is in {kept}, read it in pieces" if kept else "the rest is not kept"
    note = "[cut: {missing} of " + str(len(text)) + f" characters are missing here; {where}]"
    shown = cut_middle(text, max(1, limit - len(note) - 32), note=note)
    artifacts = (*result.artifacts, kept) if kept else result.artifacts
    return result.model_copy(update={"text": shown, "body": body, "artifacts": artifacts})


def _keep(name: str, text: str, context: ToolContext) -> str:
    data = text[:MAX_KEPT_CHARS].encode()
    try:
        with opened(context.workspace, name, context.private, making(context)) as place:
            before = place.facts()
            context.quota.check(context.workspace, len(data) - (before.st_size if before else 0), int(before is None))
            Replacement(place, data, before, context.key).put()
    except (ToolRetry, ToolFailed):
        return ""  # told in the note: the run goes on without the rest
    return name
