"""Keeping what a tool gives within bounds; the rest is kept in a file the model can read on in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.errors import ToolRetry
from engine.tools.base import ToolResult
from engine.tools.cut import clean, cut_middle
from engine.tools.workspace import inside

KEPT_IN = ".niuma-outputs"
"""Not `.niuma`: where a home folder is the workspace, that is the data folder."""
MAX_KEPT_CHARS = 2_000_000
MAX_BODY_CHARS = 16_000


def bound_output(
    result: ToolResult, *, limit: int, workspace: Path, name: str, private: Iterable[Path] = ()
) -> ToolResult:
    """Give `result` with at most `limit` characters for the model; a cut says how much is missing and where it lies."""
    text, body = clean(result.text), clean(result.body)
    body = cut_middle(body, MAX_BODY_CHARS, note="[{missing} characters left out]")
    if len(text) <= limit:
        return result.model_copy(update={"text": text, "body": body})
    kept = _keep(workspace, f"{KEPT_IN}/{name}.txt", text, private)
    where = f"the whole output is in {kept}, read it in pieces" if kept else "the rest is not kept"
    note = "[cut: {missing} of " + str(len(text)) + f" characters are missing here; {where}]"
    shown = cut_middle(text, max(1, limit - len(note) - 32), note=note)
    artifacts = (*result.artifacts, kept) if kept else result.artifacts
    return result.model_copy(update={"text": shown, "body": body, "artifacts": artifacts})


def _keep(workspace: Path, name: str, text: str, private: Iterable[Path]) -> str:
    try:
        target = inside(workspace, name, private)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text[:MAX_KEPT_CHARS], encoding="utf-8")
    except (OSError, ToolRetry):
        return ""  # told in the note: the run goes on without the rest
    return name
