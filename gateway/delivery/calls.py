"""Calls the person a card is waiting for, or who waited for it: once for each reason, or not at all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from channels.base import Calling
from channels.cards.model import Call
from channels.errors import ChannelError
from engine.errors import StorageError
from engine.ports import Json, Opening
from gateway.delivery.journal import CardJournal
from gateway.delivery.place import Place

logger = logging.getLogger(__name__)

_WITHIN_S = 3.0
"""A call is a courtesy: the end of a run does not wait longer for it."""


class Calls:
    """One run's calls. A call is noted before it is made: a crash between the two loses it and never doubles it."""

    def __init__(self, place: Place, opening: Opening, journal: CardJournal, wanted: Callable[[], Call | None]) -> None:
        self._place = place
        self._opening = opening
        self._journal = journal
        self._wanted = wanted
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Make the call that the card wants now, if it still wants it after its time."""
        self.stop()
        call = self._wanted()
        if call is not None and isinstance(self._place.channel, Calling):
            self._task = asyncio.create_task(self._later(call), name=f"call-{self._opening.run}")

    def stop(self) -> None:
        """Make none that is not made yet."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def make(self) -> None:
        """Make the call that the card wants now. Never raises for a platform that refuses."""
        call, channel = self._wanted(), self._place.channel
        if call is None or not isinstance(channel, Calling) or self._journal.recorded(_path(call)) is not None:
            return
        key = f"{self._opening.run}-call-{call.reason}"
        try:
            async with asyncio.timeout(_WITHIN_S):
                await self._note(call)
                await channel.call(self._place.conversation, call, reply_to=self._opening.input.anchor, key=key)
        except (ChannelError, StorageError, TimeoutError) as error:
            logger.info("call_refused", extra={"run": self._opening.run, "code": getattr(error, "code", "timeout")})

    async def _later(self, call: Call) -> None:
        await self._place.channel.pacer.clock.sleep(call.after_s)
        if self._wanted() == call:
            await self.make()

    async def _note(self, call: Call) -> None:
        async def note() -> Json:
            return {"person": call.person}

        await self._journal.step(_path(call), note)


def _path(call: Call) -> str:
    return f"call/{call.reason}"
