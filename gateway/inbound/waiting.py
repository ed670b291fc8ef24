"""Messages that are stored and wait: a picture for the words about it, a late one for its writer's decision."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

from channels.clock import Clock
from channels.events import InboundMessage
from engine.errors import StorageError
from engine.messages import Address, InboxKey, RunInput, TextPart
from engine.runtime import HeldMessage, Kept, Runtime
from gateway.background import Background
from gateway.inbound.keys import address_of, inbox_key
from gateway.texts import language_of, text

logger = logging.getLogger(__name__)

JOIN_S = 1.0
"""How long a message without words waits for them: people send a picture, then type (F33: 0.8 s; forwards: 0.35 s)."""
OFFER_S = 2.0
"""How long late messages are gathered before their writer is asked about all of them at once."""


class Writer(NamedTuple):
    """A person in a conversation."""

    where: Address
    person: str


class Waiting:
    """Holds messages, and lets them go. What is held lies in the database: a restart loses none of it.

    `late_after_s`: messages older than that are asked about first; 0 asks about none.
    """

    def __init__(self, runtime: Runtime, clock: Clock, *, late_after_s: float) -> None:
        self._runtime = runtime
        self._clock = clock
        self._late_after_s = late_after_s
        self._wordless: dict[Writer, list[InboxKey]] = {}
        self._offered: set[Writer] = set()
        self._background = Background(most=None)

    async def resume(self) -> None:
        """Take up what an earlier process held.

        Raises:
            StorageError: the database can not be read now.
        """
        await self._runtime.release(await self._runtime.held("join"))
        for each in await self._runtime.held("backlog"):
            if not each.is_open:
                self._offer_soon(_writer_of(each.given))

    def is_late(self, message: InboundMessage) -> bool:
        """Tell whether a message is too old to be answered as if it were new."""
        age_s = (self._clock.now_ms() - message.created_at_ms) / 1000
        return 0 < self._late_after_s < age_s and message.created_at_ms > 0

    async def ask_first(self, message: InboundMessage, given: RunInput) -> Kept:
        """Store a late message; its writer is asked soon. Raises `StorageError`."""
        kept = await self._runtime.hold(given, key=inbox_key(message.dedupe), reason="backlog")
        if kept.is_new:
            self._offer_soon(_writer_of(given))
        return kept

    async def for_words(self, message: InboundMessage, given: RunInput) -> Kept:
        """Store a message without words; it is answered by itself when none follow. Raises `StorageError`."""
        key = inbox_key(message.dedupe)
        kept = await self._runtime.hold(given, key=key, reason="join")
        if kept.is_new and kept.overload is None:
            self._wordless.setdefault(_writer_of(given), []).append(key)
            self._background.soon(self._end_of_patience(_writer_of(given), key))
        return kept

    def belonging_to(self, message: InboundMessage) -> tuple[InboxKey, ...]:
        """Give what the same person sent a moment ago without words, for the message that has them.

        Their patience goes on: what the message does not take after all, because it is a repeat or could not be stored,
        is answered by itself.
        """
        return tuple(self._wordless.get(Writer(address_of(message), message.sender.id), ()))

    async def _end_of_patience(self, writer: Writer, key: InboxKey) -> None:
        await self._clock.sleep(JOIN_S)
        if key in self._wordless.get(writer, ()):
            mine = self._wordless.pop(writer)
            await self._insist(lambda each: each.key in mine)

    async def _insist(self, is_meant: Callable[[HeldMessage], bool]) -> None:
        """Release, however long the database takes none: a held message was acked."""
        while True:
            try:
                await self._runtime.release([each for each in await self._runtime.held("join") if is_meant(each)])
                return
            except StorageError as error:
                logger.warning("held_message_waits_on", extra={"code": error.code})
            await self._clock.sleep(JOIN_S)

    def _offer_soon(self, writer: Writer) -> None:
        if writer not in self._offered:
            self._offered.add(writer)
            self._background.soon(self._offer(writer))

    async def _offer(self, writer: Writer) -> None:
        while True:
            await self._clock.sleep(OFFER_S)
            # Before looking: what comes from now on is offered anew.
            self._offered.discard(writer)
            try:
                late = [each for each in await self._runtime.held("backlog") if not each.is_open]
                await self._ask([each for each in late if _writer_of(each.given) == writer])
                break
            except StorageError as error:
                logger.warning("backlog_waits_on", extra={"code": error.code})
                self._offered.add(writer)

    async def _ask(self, late: list[HeldMessage]) -> None:
        if not late:
            return
        newest = late[-1].given
        title = text(language_of(newest.text), "backlog.title")
        asking = newest.model_copy(update={"parts": (TextPart(text=title),), "sent_at_ms": self._clock.now_ms()})
        # Another key than that of a question about the same messages that ended without an answer.
        key = late[0].key.model_copy(update={"kind": "backlog", "key": f"{late[0].key.key}:{late[0].asked or ''}"})
        await self._runtime.ask_about_backlog(asking, key=key)


def _writer_of(given: RunInput) -> Writer:
    return Writer(given.to, given.by.id)
