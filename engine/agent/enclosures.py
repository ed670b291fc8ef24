"""What came with a message beyond its words, fetched once for a run and made readable for its model."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from engine.agent.refusals import refusal_of
from engine.agent.stopping import unless_stopped
from engine.errors import EnclosureUnavailable, ToolError
from engine.events import RunEvent
from engine.messages import EnclosedPart, FilePart, Message, Part, TextPart, UserMessage, Value
from engine.models.naming import as_name
from engine.models.wire import MAX_FILE_NAME_CHARS
from engine.ports import Enclosure, Enclosures, RunScope
from engine.storage.blobs import BlobStore
from engine.tools.quota import FULL, UNLIMITED, Quota
from engine.tools.received import put_received

OPENED_AT_ONCE = 4
SEEN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Source: OpenAI API reference "Images and vision", read 2026-11: what every vision model takes."""
MAX_PICTURES = 4
MAX_PICTURE_BYTES = 5_000_000


class Opened(Value):
    """What one enclosure gave, as recorded. `problem` is a code; empty when it was read."""

    v: int = 1
    parts: tuple[Part, ...]
    problem: str = ""
    label: str = ""
    """What the problem is with."""


class Opener:
    """Opens the enclosures of runs. A file lies in the workspace afterwards, and as a blob."""

    def __init__(
        self,
        enclosures: Enclosures,
        blobs: BlobStore,
        *,
        max_bytes: int,
        refused: Collection[str] = (),
        quota: Quota = UNLIMITED,
    ) -> None:
        self._enclosures = enclosures
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._refused = refused
        self._quota = quota

    async def open_all(self, scope: RunScope, workspace: Path) -> tuple[Part, ...]:
        """Give the input's parts with every enclosure replaced by what is in it, each in a step of its own."""
        room = asyncio.Semaphore(OPENED_AT_ONCE)

        async def of(n: int, part: Part) -> Sequence[Part]:
            if not isinstance(part, EnclosedPart):
                return [part]
            async with room:
                return await self._open(scope, f"enclosed/{n}", part, workspace)

        opened = await asyncio.gather(*(of(n, part) for n, part in enumerate(scope.input.parts)))
        return tuple(part for parts in opened for part in parts)

    async def pictures(self, messages: Sequence[Message]) -> dict[str, bytes]:
        """Give the newest pictures that people sent, by blob, as many as a request may carry."""
        parts = [part for message in messages if isinstance(message, UserMessage) for part in message.parts]
        sent = [part for part in parts if isinstance(part, FilePart) and part.mime in SEEN]
        found: dict[str, bytes] = {}
        for part in reversed(sent):
            if part.blob in found or len(found) == MAX_PICTURES:
                continue
            with suppress(KeyError):  # its time to be kept is over
                found[part.blob] = await self._blobs.read(part.blob)
        return {blob: content for blob, content in found.items() if len(content) <= MAX_PICTURE_BYTES}

    async def _open(self, scope: RunScope, path: str, part: EnclosedPart, workspace: Path) -> Sequence[Part]:
        async def fetch() -> Opened:
            try:
                found = await unless_stopped(scope, self._enclosures.open(scope.input.to, part, self._max_bytes))
            except EnclosureUnavailable as error:
                return _refused(part.label, error)
            return _joined([await self._opened(each, part.label, workspace) for each in found or ()])

        def events(opened: Opened) -> list[RunEvent]:
            if not opened.problem:
                return []
            params = {"label": opened.label or part.label}
            content = {"code": f"enclosure_{opened.problem}", "params": params, "tone": "warning"}
            return [RunEvent(run=scope.id, type="notice", content=content, segment=path, opr="add")]

        return (await scope.step(path, fetch, result=Opened, events=events)).parts

    async def _opened(self, found: str | Enclosure, label: str, workspace: Path) -> Opened:
        try:
            return Opened(parts=await self._readable(found, workspace))
        except EnclosureUnavailable as error:
            return _refused(label if isinstance(found, str) else found.name, error)

    async def _readable(self, found: str | Enclosure, workspace: Path) -> tuple[Part, ...]:
        if isinstance(found, str):
            return (TextPart(text=found),) if found else ()
        if code := refusal_of(found.mime, self._refused):
            raise EnclosureUnavailable(f"{found.name}: {found.mime} is not taken", code=code)
        blob = await self._blobs.write(found.content)
        try:
            place = await asyncio.to_thread(put_received, workspace, found.name, found.content, self._quota)
        except (ToolError, OSError) as error:
            is_full = isinstance(error, ToolError) and error.code == FULL
            raise EnclosureUnavailable(str(error), code=FULL if is_full else "not_kept") from error
        name, mime = as_name(found.name, MAX_FILE_NAME_CHARS), as_name(found.mime, MAX_FILE_NAME_CHARS)
        text = f"[file {name!r} ({mime}, {len(found.content)} bytes) lies in the workspace at {place}]"
        return (TextPart(text=text), FilePart(blob=blob, name=found.name, mime=found.mime))


def _refused(label: str, error: EnclosureUnavailable) -> Opened:
    label = as_name(label, MAX_FILE_NAME_CHARS)
    told = f"[{label}: attached by the person, but it could not be read ({error.code})]"
    return Opened(parts=(TextPart(text=told),), problem=error.code, label=label)


def _joined(opened: Sequence[Opened]) -> Opened:
    """Put what one enclosure holds together; people are told of the first of it that was not taken."""
    parts = tuple(part for each in opened for part in each.parts)
    first = next((each for each in opened if each.problem), Opened(parts=()))
    return Opened(parts=parts, problem=first.problem, label=first.label)
