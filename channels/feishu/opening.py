"""Putting cards up so that a crash at any point leads back to the same ones.

Each request that creates something is its own journal step: first the entity, then the message that shows it. An entity
can be sent once only and a message's uuid counts for an hour, so a repeat after a lost answer shows nothing twice.
"""

from __future__ import annotations

import logging
from typing import Literal

from channels.base import CardOpening
from channels.cards.ports import Journal, Json
from channels.errors import DeliveryUnknown, InvalidCard, MissingScope, Rejected
from channels.feishu.cards import Page
from channels.feishu.errors import CARD_REFUSED, MESSAGE_BEING_SENT
from channels.feishu.mentions import BotIdentity
from channels.feishu.post_office import PostOffice
from channels.feishu.sheet import Sheet

CardMode = Literal["stream", "patch"]
_ALREADY_SENT = (str(MESSAGE_BEING_SENT), str(CARD_REFUSED))
_log = logging.getLogger(__name__)


class Opener:
    """Puts up the cards of one run, in order. Calls never overlap."""

    def __init__(self, office: PostOffice, journal: Journal, opening: CardOpening, identity: BotIdentity) -> None:
        self._office = office
        self._journal = journal
        self._opening = opening
        self.identity = identity

    async def put_up(self, number: int, page: Page, sheets: list[Sheet]) -> None:
        """Take the next step for card `number`: create its entity, or send it.

        Raises:
            ChannelError: it was refused, or nobody knows.
        """
        if number == len(sheets):
            sheets.append(await self._create(number, page, may_patch=False))
        else:
            await self._send(number, page, sheets[number])

    async def first(self, page: Page) -> tuple[Sheet, CardMode]:
        """Put up the run's first card, or find it; tells how it can be written.

        Raises:
            ChannelError: it was refused, or nobody knows.
        """
        sheet = await self._create(0, page, may_patch=True)
        await self._send(0, page, sheet)
        return sheet, "stream" if sheet.card_id else "patch"

    def recorded(self, first: Json) -> list[Sheet]:
        """Give the cards that earlier attempts put up; `first` is what the host kept of them."""
        sheets = [self._found(entry, is_sent=True) for entry in first.get("cards", [])]
        while (entity := self._journal.recorded(_path("entity", len(sheets)))) is not None:
            sent = self._journal.recorded(_path("send", len(sheets)))
            sheets.append(self._found({**entity, **(sent or {})}, is_sent=sent is not None))
        return sheets

    def _found(self, entry: Json, *, is_sent: bool) -> Sheet:
        message_id = str(entry.get("message_id") or "")
        sheet = Sheet(self._opening.attempt, str(entry.get("card_id") or ""), message_id, is_sent=is_sent)
        sheet.taken_up()
        return sheet

    async def _create(self, number: int, page: Page, *, may_patch: bool) -> Sheet:
        """Create the entity; where the app may not, the card will be a plain message."""
        fresh = False

        async def create() -> Json:
            nonlocal fresh
            fresh = True
            try:
                return {"card_id": await self._office.create_card(page.native())}
            except (Rejected, MissingScope) as error:
                if not may_patch or isinstance(error, InvalidCard):
                    raise
                _log.warning("feishu_no_card_entity", extra={"run": self._opening.run, "code": error.code})
                return {"card_id": "", "refused": error.code}

        result = await self._journal.step(_path("entity", number), create)
        sheet = Sheet(self._opening.attempt, str(result["card_id"]))
        if fresh:
            sheet.page, sheet.streaming = page, page.streaming
        else:
            sheet.taken_up()
        return sheet

    async def _send(self, number: int, page: Page, sheet: Sheet) -> None:
        """Send the card's message."""

        async def send() -> Json:
            return {"message_id": await self._once(number, page, sheet)}

        result = await self._journal.step(_path("send", number), send)
        sheet.message_id, sheet.is_sent = str(result["message_id"]), True

    async def _once(self, number: int, page: Page, sheet: Sheet) -> str:
        """Send, or find out that it was sent before: then give that message's id (empty when it cannot be found)."""
        opening = self._opening
        content: Json = {"type": "card", "data": {"card_id": sheet.card_id}} if sheet.card_id else _still(page)
        uuid = f"{opening.run}-{number}"[:50]
        letter = self._office.letter(opening.conversation, opening.reply_to, "interactive", content, uuid)
        try:
            return await letter.send()
        except (Rejected, DeliveryUnknown) as error:
            maybe_before = opening.attempt > 1 or letter.unknowns > 0
            if not maybe_before or not error.code.startswith(_ALREADY_SENT):
                raise
            _log.info("feishu_card_was_sent_before", extra={"run": opening.run, "code": error.code})
        return await self._office.find_card(opening.conversation, sheet.card_id, opening.reply_to)


def _still(page: Page) -> Json:
    native = page.native()
    return {**native, "config": {**native["config"], "streaming_mode": False}}


def _path(what: Literal["entity", "send"], number: int) -> str:
    """Give the journal path of a step: the first card's have no number."""
    return f"open/{what}" if number == 0 else f"open/{what}/{number}"
