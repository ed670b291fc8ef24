"""Putting cards up so that a crash at any point leads back to the same ones.

Each request that creates something is its own journal step: first the entity, then the message that shows it. An entity
can be sent once only and a message's uuid counts for an hour, so a repeat after a lost answer shows nothing twice.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from channels.base import CardOpening
from channels.cards.ports import Journal
from channels.errors import ChannelError, InvalidCard, MissingScope, Rejected
from channels.feishu.cards import Page
from channels.feishu.errors import CARD_REFUSED, MESSAGE_BEING_SENT
from channels.feishu.history import History
from channels.feishu.mentions import BotIdentity
from channels.feishu.post_office import Letter, PostOffice, uuid_of
from channels.feishu.sheet import Sheet
from channels.readable import Json

CardMode = Literal["stream", "patch", "message"]
Root = Literal["open", "final"]
"""Which cards of a run: those it grew on, or those its answer was sent as when they could not show it."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Counter:
    """What all openings of an account share."""

    office: PostOffice
    history: History
    identity: BotIdentity


class Opener:
    """Puts up the cards of one run, in order. Calls never overlap."""

    def __init__(self, counter: Counter, journal: Journal, opening: CardOpening, root: Root = "open") -> None:
        self._office = counter.office
        self._history = counter.history
        self._journal = journal
        self._opening = opening
        self.identity = counter.identity
        self.root: Root = root

    @property
    def send_method(self) -> str:
        """Give the budget that sending one of these cards is taken from."""
        opening = self._opening
        return "message.reply" if opening.reply_to or opening.conversation.thread else "message.send"

    async def put_up(self, number: int, page: Page, sheets: list[Sheet]) -> None:
        """Take the next step for a further card: create its entity, or send it. Once; the caller has room for it.

        Raises:
            ChannelError: it was refused, or nobody knows.
        """
        if number == len(sheets):
            sheets.append(await self._create(number, page))
        else:
            await self._send(number, page, sheets[number])

    async def create(self, number: int, page: Page) -> Sheet:
        """Create a card's entity, insisting; raises like `put_up`."""
        return await self._create(number, page, insist=True)

    async def show(self, number: int, page: Page, sheet: Sheet) -> None:
        """Send a card, insisting; raises like `put_up`."""
        await self._send(number, page, sheet, insist=True)

    async def first(self, page: Page) -> tuple[Sheet, CardMode]:
        """Put up the run's first card, or find it; tells how it can be written.

        Raises:
            ChannelError: it was refused, or nobody knows.
        """
        sheet = await self.create(0, page)
        await self.show(0, page, sheet)
        if sheet.card_id:
            return sheet, "stream"
        return sheet, "patch" if sheet.message_id else "message"

    def recorded(self, first: Json) -> list[Sheet]:
        """Give the cards that earlier attempts put up; `first` is what the host kept of them."""
        sheets = [self._found(entry, is_sent=True) for entry in first.get("cards", []) if entry.get("is_sent", True)]
        while (entity := self._journal.recorded(self._path("entity", len(sheets)))) is not None:
            sent = self._journal.recorded(self._path("send", len(sheets)))
            sheets.append(self._found({**entity, **(sent or {})}, is_sent=sent is not None))
        return sheets

    def _found(self, entry: Json, *, is_sent: bool) -> Sheet:
        message_id = str(entry.get("message_id") or "")
        sheet = Sheet(self._opening.attempt, str(entry.get("card_id") or ""), message_id, is_sent=is_sent)
        sheet.taken_up()
        return sheet

    def _path(self, what: Literal["entity", "send"], number: int) -> str:
        """Give the journal path of a step: those of a run's first card have no number."""
        return f"open/{what}" if number == 0 and self.root == "open" else f"{self.root}/{what}/{number}"

    async def _step(self, path: str, work: Callable[[], Awaitable[Json]]) -> Json:
        """A path is run once an attempt; an opening that is tried again takes what it did before."""
        known = self._journal.recorded(path)
        return known if known is not None else await self._journal.step(path, work)

    async def _create(self, number: int, page: Page, *, insist: bool = False) -> Sheet:
        """Create the entity; where the app may not, the first card will be a plain message."""
        fresh = False

        async def create() -> Json:
            nonlocal fresh
            fresh = True
            try:
                native, guard = page.native(), self._journal.guard
                return {"card_id": await self._office.create_card(native, guard, insist=insist)}
            except (Rejected, MissingScope) as error:
                if number > 0 or self.root == "final" or isinstance(error, InvalidCard):
                    raise
                _log.warning("feishu_no_card_entity", extra={"run": self._opening.run, "code": error.code})
                return {"card_id": "", "refused": error.code}

        result = await self._step(self._path("entity", number), create)
        sheet = Sheet(self._opening.attempt, str(result["card_id"]))
        if fresh:
            sheet.page, sheet.streaming = page, page.streaming
        else:
            sheet.taken_up()
        return sheet

    async def _send(self, number: int, page: Page, sheet: Sheet, *, insist: bool = False) -> None:
        """Send the card's message."""

        async def send() -> Json:
            return {"message_id": await self._once(number, page, sheet, insist=insist)}

        result = await self._step(self._path("send", number), send)
        sheet.message_id, sheet.is_sent = str(result["message_id"]), True

    async def _once(self, number: int, page: Page, sheet: Sheet, *, insist: bool) -> str:
        """Send, or find out that it was sent before: then give that message's id (empty when it cannot be found)."""
        # An entity that an earlier attempt made may have been sent by it; one of ours was not.
        is_new = sheet.page is not None
        if self.root == "final" and not is_new and (found := await self._seen_before(sheet)):
            return found
        letter = self._letter(number, page, sheet)
        try:
            return await self._office.send(letter, insist=insist)
        except Rejected as error:
            if error.code != str(MESSAGE_BEING_SENT):
                if is_new or not sheet.card_id or not error.code.startswith(str(CARD_REFUSED)):
                    raise
                return await self._look_for(sheet, error, is_proof=False)
            try:
                return await self._look_for(sheet, error, is_proof=not letter.is_redirected)
            except Rejected:
                letter.renew()
        return await self._office.send(letter, insist=insist)

    def _letter(self, number: int, page: Page, sheet: Sheet) -> Letter:
        opening = self._opening
        content: Json = {"type": "card", "data": {"card_id": sheet.card_id}} if sheet.card_id else _still(page)
        name = f"{opening.run}-{number}" if self.root == "open" else f"{opening.run}-final-{number}"
        return Letter(
            opening.conversation,
            opening.reply_to,
            "interactive",
            content,
            uuid=uuid_of(name),
            guard=self._journal.guard,
            maybe_sent=True,
        )

    async def _seen_before(self, sheet: Sheet) -> str:
        """Give the message of an entity, when the conversation shows it; an entity cannot be sent twice in any case."""
        opening = self._opening
        try:
            found = await self._history.find_card(opening.conversation, sheet.card_id, opening.reply_to)
        except ChannelError as error:
            _log.info("feishu_history_unread", extra={"run": opening.run, "code": error.code})
            return ""
        return found.message_id

    async def _look_for(self, sheet: Sheet, error: Rejected, *, is_proof: bool) -> str:
        """Give the message of a card that was sent before, empty when it cannot be found.

        A repeated uuid is proof that it was sent. A refused entity is not: then the conversation decides, and when it
        cannot be read now, opening has to be tried again. Where it can never be read, a refusal of an entity that the
        platform itself made is taken for "sent before".

        Raises:
            ChannelError: it was not sent, or that cannot be told now.
        """
        opening = self._opening
        _log.info("feishu_card_was_sent_before", extra={"run": opening.run, "code": error.code})
        try:
            found = await self._history.find_card(opening.conversation, sheet.card_id, opening.reply_to)
        except ChannelError as unread:
            _log.warning("feishu_card_message_not_found", extra={"run": opening.run, "code": unread.code})
            is_for_good = isinstance(unread, Rejected | MissingScope)
            if not is_for_good and not (is_proof and sheet.card_id):
                raise
            return ""
        if not found.message_id and found.is_certain and not is_proof:
            raise error
        return found.message_id


def _still(page: Page) -> Json:
    native = page.native()
    return {**native, "config": {**native["config"], "streaming_mode": False}}
