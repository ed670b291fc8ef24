"""Files that tools made for the person: their content is kept with the call, and an event tells the surface."""

from __future__ import annotations

import asyncio
from pathlib import PurePath

from engine.agent.state import CallResult
from engine.errors import StorageError, ToolFailed
from engine.events import RunEvent
from engine.messages import RunId
from engine.storage.blobs import BlobStore
from engine.tools.base import OutgoingFile, ToolContext, ToolResult
from engine.tools.contents import read_file_at
from engine.tools.pictures import type_of
from engine.tools.received import safe_file_name


class Outbox:
    """Keeps what goes out, so that the person gets the file as it was when the tool gave it."""

    def __init__(self, blobs: BlobStore, *, max_bytes: int) -> None:
        self._blobs = blobs
        self._max_bytes = max_bytes

    async def keep(self, result: ToolResult, context: ToolContext) -> ToolResult:
        """Give the result with the content of every outgoing file kept under its hash.

        Raises:
            ToolRetry: a path leads out of the workspace, or to no file.
            ToolFailed: a file is empty, too large or cannot be read, or it cannot be stored.
        """
        kept = [await self._keep(file, context) for file in result.outgoing]
        return result.model_copy(update={"outgoing": tuple(kept)}) if kept else result

    async def _keep(self, file: OutgoingFile, context: ToolContext) -> OutgoingFile:
        content = await asyncio.to_thread(read_file_at, context.workspace, file.path, context.private, self._max_bytes)
        if not content:
            raise ToolFailed(f"{file.path!r} is empty: there is nothing to send")
        try:
            blob = await self._blobs.write(content)
        except StorageError as error:
            raise ToolFailed(f"{file.path!r} cannot be kept for sending ({error.code})") from error
        name = safe_file_name(PurePath(file.path).name)
        known = {"blob": blob, "name": name, "mime": type_of(name, content), "size_bytes": len(content)}
        return file.model_copy(update=known)


def file_events(run: RunId, path: str, value: CallResult, at_ms: int) -> list[RunEvent]:
    """Tell of every file that the call at `path` gave; `key` names it within the run, for ever."""
    return [
        RunEvent(
            run=run,
            type="file",
            content={
                "key": f"{path.replace('/', '-')}-{number}",
                "blob": file.blob,
                "name": file.name,
                "mime": file.mime,
                "size_bytes": file.size_bytes,
                "caption": file.caption,
            },
            status="success",
            segment=f"{path}/file/{number}",
            at_ms=at_ms,
        )
        for number, file in enumerate(value.result.outgoing)
    ]
