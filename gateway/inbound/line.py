"""Who waits because everything is busy is told so, by one small card each, and where they stand.

A question that waits for another of its own conversation has a sign for that and gets no card. Nothing is said of a
wait shorter than a second. A card changes only when its number has halved: a wait costs few writes however long it is.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final, NamedTuple

from channels.base import Channel
from channels.clock import Clock
from channels.events import InboundMessage
from engine.errors import StorageError
from engine.messages import RunId
from engine.runtime import Runtime
from gateway.inbound.busy_card import BusyCard
from gateway.inbound.language import Languages

logger = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""How often the line is looked at while anybody who was let in here has not been seen at work; also what is no wait."""
MOST: Final = 4_000
"""So many are watched. Whoever came before the last so many gets no card, but an answer."""
MOST_CARDS: Final = 20
"""So many cards follow their number at once; all others say it once."""
AT_ONCE: Final = 8
"""So many platform calls at once: they share the account's limits with answers."""
MOST_NEW: Final = 40
"""So many are told at each look, those who are served next first."""


class _Entered(NamedTuple):
    message: InboundMessage
    at_s: float


class Line:
    """Watches what was let in by this process until it is at work. `entered` never blocks."""

    def __init__(self, runtime: Runtime, channels: Mapping[tuple[str, str], Channel], clock: Clock) -> None:
        self._runtime = runtime
        self._channels = channels
        self._clock = clock
        self._languages = Languages(runtime)
        self._waiting: OrderedDict[RunId, _Entered] = OrderedDict()
        self._cards: dict[RunId, BusyCard] = {}
        self._room = asyncio.Semaphore(AT_ONCE)
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    def entered(self, message: InboundMessage, run: RunId) -> None:
        """Take note of a question that was let in."""
        self._waiting[run] = _Entered(message, self._clock.steady_s())
        if len(self._waiting) > MOST:
            self._waiting.popitem(last=False)
        if self._task is None and not self._is_closed:
            self._task = asyncio.create_task(self._watch(), name="line")

    async def close(self) -> None:
        """Watch no more; what cards say stays."""
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for card in self._cards.values():
            card.abandon()
        self._cards.clear()

    async def _watch(self) -> None:
        try:
            while self._waiting or self._cards:
                await self._clock.sleep(LOOK_S)
                await self._look()
        except Exception:
            # A courtesy: the next message begins anew.
            logger.exception("line_broke")
        finally:
            self._task = None

    async def _look(self) -> None:
        long_ago_s = self._clock.steady_s() - LOOK_S
        known = list(self._waiting)
        try:
            places = await self._runtime.in_line()
        except StorageError as error:
            logger.warning("line_not_seen", extra={"code": error.code})
            return
        await self._settle(places, known)
        waited = [run for run, entered in self._waiting.items() if entered.at_s <= long_ago_s]
        told = sorted((places[run], run) for run in waited if places.get(run))
        # Taken out before anything waits: a crowd that comes meanwhile may push them out.
        now = [(run, self._waiting.pop(run).message, place) for place, run in told[:MOST_NEW]]
        await asyncio.gather(*(self._tell(*each) for each in now))
        for run, card in self._cards.items():
            if places.get(run):
                card.moved(places[run])

    async def _settle(self, places: Mapping[RunId, int], known: list[RunId]) -> None:
        """Forget what does not wait any more: it is at work, or over."""
        for run in known:
            if run not in places:
                self._waiting.pop(run, None)
        over = [run for run in self._cards if run not in places]
        await asyncio.gather(*(self._over(self._cards.pop(run)) for run in over))

    async def _over(self, card: BusyCard) -> None:
        async with self._room:
            await card.over()

    async def _tell(self, run: RunId, message: InboundMessage, place: int) -> None:
        channel = self._channels[message.conversation.channel, message.conversation.account]
        card = BusyCard(channel, message, run)
        async with self._room:
            try:
                card.language = await self._languages.of_message(message)
            except StorageError as error:
                logger.warning("notice_not_sent", extra={"conversation": str(message.conversation), "code": error.code})
                return
            if await card.show(place, follows=len(self._cards) < MOST_CARDS):
                self._cards[run] = card
