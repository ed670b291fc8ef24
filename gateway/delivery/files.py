"""The files a run made for people: each is sent once, beside the run, and counted only when the platform took it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any

from channels.errors import ChannelError, MissingScope, NotSupported, TooLong, Unproven
from channels.events import OutFile
from engine.errors import StorageError
from engine.events import RunEvent
from engine.ports import Json, Opening
from gateway.delivery.away import is_away
from gateway.delivery.journal import CardJournal
from gateway.delivery.place import Place

logger = logging.getLogger(__name__)

Settled = Callable[[str, str], None]
"""Told the key of a file and what became of it: `sent`, `later`, `missing_scope`, or the code of a refusal."""


class Files:
    """Sends one run's files, one after the other. The journal knows which were sent, whoever takes the run over."""

    def __init__(self, place: Place, opening: Opening, journal: CardJournal, told: Settled) -> None:
        self._place = place
        self._opening = opening
        self._journal = journal
        self._told = told
        self._wanted: dict[str, dict[str, Any]] = {}
        """By key, what neither went nor was refused for good."""
        self._task: asyncio.Task[None] | None = None
        self._reason = ""
        self._state = "later"
        """What people are told of a file that is tried again."""
        self.is_away = False
        """The platform could not be reached the last time."""

    @property
    def is_settled(self) -> bool:
        """Tell whether nothing is left to send."""
        return not self._wanted

    def add(self, events: Iterable[RunEvent]) -> None:
        """Take note of files among the events; those that an earlier owner settled are told at once."""
        for event in events:
            if event.type == "file" and isinstance(event.content, dict):
                self._add(event.content)

    def _add(self, file: dict[str, Any]) -> None:
        key = str(file["key"])
        settled = self._journal.recorded(_settled_path(key))
        if settled is None:
            self._wanted[key] = file
        else:
            self._told(key, str(settled["code"]))

    def start(self) -> None:
        """Begin to send what waits, beside whatever else goes on."""
        if self._wanted and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run(), name=f"files-{self._opening.run}")

    async def finish(self, within_s: float) -> str:
        """Send what is left, for so long; gives why something is left, empty when nothing is."""
        if self._wanted:
            self._reason = "file_pending"
            self.start()
            assert self._task is not None
            await asyncio.wait([self._task], timeout=within_s)
        return self._reason if self._wanted else ""

    async def arrive(self, within_s: float) -> None:
        """Wait for what is on its way, for so long."""
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task], timeout=within_s)

    async def stop(self) -> None:
        """Leave what is on its way; whoever comes next looks whether it arrived."""
        if self._task is not None:
            self.abandon()
            await asyncio.wait([self._task])

    def abandon(self) -> None:
        """Stop at once."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        tried = set[str]()
        while left := [key for key in self._wanted if key not in tried]:
            tried.add(left[0])
            await self._settle(left[0])

    async def _settle(self, key: str) -> None:
        self._state, self.is_away = "later", False
        try:
            code = await self._send(key)
        except Exception:
            logger.exception("file_not_sent", extra={"run": self._opening.run})
            code, self._reason = "", "file_failed"
        if code:
            del self._wanted[key]
        self._told(key, code or self._state)

    async def _send(self, key: str) -> str:
        """Give `sent`, the code of a lasting refusal, or nothing when it has to be tried again."""
        try:
            receipt = await self._show(key)
        except (ChannelError, StorageError) as error:
            code = _lasting(error)
            extra = {"run": self._opening.run, "code": error.code}
            logger.warning("file_refused" if code else "file_postponed", extra=extra)
            if not code:
                self._reason = f"file_{error.code}"
                self._state = "missing_scope" if isinstance(error, MissingScope) else "later"
                self.is_away = isinstance(error, ChannelError) and is_away(error, self._place.channel)
                return ""
            receipt = {"code": code}
        await self._record(key, receipt)
        return str(receipt["code"])

    async def _show(self, key: str) -> Json:
        place, wanted = self._place, self._wanted[key]
        if self._opening.contents is None or not place.channel.capabilities.can_send_files:
            raise NotSupported("files")
        try:
            content = await self._opening.contents.read(str(wanted["blob"]))
        except KeyError:
            return {"code": "gone"}
        file = OutFile(str(wanted["name"]), str(wanted["mime"]), content)
        receipt = await place.channel.send_file(
            place.conversation,
            file,
            self._journal,
            reply_to=self._opening.input.anchor,
            key=f"{self._opening.run}-{key}",
        )
        return {"code": "sent", "message_ids": list(receipt.message_ids), "at_ms": receipt.at_ms}

    async def _record(self, key: str, receipt: Json) -> None:
        async def record() -> Json:
            return receipt

        await self._journal.step(_settled_path(key), record)


def _settled_path(key: str) -> str:
    return f"sent/{key}"


def _lasting(error: ChannelError | StorageError) -> str:
    """Give the code of a refusal that a repeat would meet again; empty when a repeat may work."""
    match error:
        case TooLong():
            return "too_large"
        case NotSupported():
            return "not_supported"
        case Unproven():
            return "unproven"
        case ChannelError(works_again=False):
            return "refused"
        case _:
            return ""
