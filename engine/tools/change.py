"""One change of one text file: what was there, what comes there, and what is told of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from engine.errors import ToolRetry
from engine.tools.base import ToolContext, ToolResult
from engine.tools.contents import read_bytes
from engine.tools.diff import Block, diff_of
from engine.tools.document import Document, check_can_be_kept, lines_of, read_document
from engine.tools.place import Place, Ways
from engine.tools.replacement import Replacement

T = TypeVar("T")
MAX_FILE_BYTES = 8 * 1024 * 1024
Done = Literal["created", "edited", "unchanged", "deleted"]


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it lies there. `facts` were taken before it was read."""

    facts: os.stat_result
    data: bytes
    document: Document


def making(context: ToolContext) -> Ways:
    """Make the folders that a new file needs, as far as the workspace has room for them."""
    return Ways(make=lambda: context.quota.check(context.workspace, 0, 1))


def found(place: Place) -> Found | None:
    """Give the text file at `place`; `None` when nothing is there. Blocks.

    Raises:
        ToolRetry: what is there is no regular file.
        ToolFailed: it is too large, binary, has a further name, or cannot be read.
    """
    facts = place.facts()
    if facts is None:
        return None
    data = read_bytes(place, MAX_FILE_BYTES)
    document = read_document(data, place.given)
    check_can_be_kept(document, data, place.given)
    return Found(facts, data, document)


def put(
    place: Place, old: Found | None, document: Document, context: ToolContext, around: Sequence[Block] | None = None
) -> ToolResult:
    """Write `document` where `old` was, and tell the difference; the same content is not written again. Blocks.

    Raises:
        ToolRetry: the text cannot stand in a file, or somebody else changed it meanwhile.
        ToolFailed: it does not fit the workspace, or the disk does not take it.
    """
    data = document.data(place.given)
    if len(data) > MAX_FILE_BYTES:
        raise ToolRetry(f"{place.given!r} would be larger than {MAX_FILE_BYTES} bytes; make several files")
    before = Document("") if old is None else old.document
    if old is None or old.data != data:
        grown = len(data) - (0 if old is None else len(old.data))
        context.quota.check(context.workspace, grown, int(old is None))
        Replacement(place, data, None if old is None else old.facts, context.key).put()
    done: Done = "created" if old is None else "unchanged" if old.data == data else "edited"
    return told(place.given, done, before.text, document.text, around=around, size_bytes=len(data))


def told(
    given: str, done: Done, before: str, after: str, *, size_bytes: int, around: Sequence[Block] | None = None
) -> ToolResult:
    """Give the result of a change that is done."""
    diff = diff_of(lines_of(before), lines_of(after), around)
    parsed: dict[str, Any] = {"file_path": given, "done": done, **diff.parsed(), "size_bytes": size_bytes}
    counts = f"+{diff.added} -{diff.removed}"
    where = "".join(f", lines {each['start_line']}-{each['end_line']}" for each in diff.ranges()[:5])
    tail = {"unchanged": "it has exactly this content already", "deleted": f"it had {diff.removed} lines"}
    text = f"{given!r}: {done}; " + tail.get(done, f"{counts}{where} of {len(diff.new)}")
    return ToolResult(
        success=True, summary=f"{given}: {counts}", text=text, parsed=parsed, body=diff.unified(), body_kind="diff"
    )


async def to_its_end(change: Callable[[], T]) -> T:
    """Run `change` on a thread; whoever is cancelled meanwhile waits until it is done, not to leave it running alone.

    Raises:
        Exception: what `change` raised.
    """
    task = asyncio.ensure_future(asyncio.to_thread(change))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # nobody asks for it any more
        raise
