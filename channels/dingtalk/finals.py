"""A finished answer as new messages: cards where there is a template, markdown where no card is taken."""

from __future__ import annotations

import logging
from dataclasses import replace

from channels.base import CardOpening, SentFinal
from channels.cards.markdown import split
from channels.cards.model import Card, CardStatus
from channels.cards.once import send_path
from channels.cards.ports import Journal
from channels.cards.text import plain_text
from channels.dingtalk.address import NAME, parse_place
from channels.dingtalk.cards import Page, Pages
from channels.dingtalk.limits import UPDATE
from channels.dingtalk.links import render_links
from channels.dingtalk.markdown import to_message
from channels.dingtalk.once import Around, send_once, was_begun
from channels.dingtalk.opening import Counter, Opener
from channels.dingtalk.post_office import Letter, PostOffice
from channels.dingtalk.sheet import Sheet
from channels.errors import ChannelError, MissingScope, QuotaUsedUp, Rejected
from channels.events import Receipt
from channels.readable import Json

MESSAGE_CHARS = 3_300
"""Cut at about 3,500 characters in clients (QwenPaw #3742); 15,000 bytes are refused by the robot's calls."""
_NONE = (CardStatus.FAILED, CardStatus.STOPPED, CardStatus.INTERRUPTED)
_log = logging.getLogger(__name__)


class Final:
    """Sends one answer. A card can be sent once only; of a message nobody can find out whether it arrived."""

    def __init__(self, counter: Counter, office: PostOffice, opening: CardOpening, journal: Journal) -> None:
        self._counter = counter
        self._office = office
        self._opening = opening
        self._journal = journal
        self._opener = Opener(counter, journal, opening, "final")

    async def send(self) -> SentFinal:
        """Send what was not sent; see `Channel.send_final`."""
        pages = Pages().of(self._opening.card, self._opener.face)
        sheets = await self._cards(pages) if self._takes_cards() else []
        texts = await self._texts(self._missing(pages, len(sheets)), len(sheets)) if len(sheets) < len(pages) else []
        ids = [*(sheet.track for sheet in sheets), *texts]
        receipt = Receipt(NAME, self._counter.account, tuple(ids), self._counter.clock.now_ms(), "message")
        return SentFinal(receipt, None if texts else _state(sheets))

    def _takes_cards(self) -> bool:
        return self._counter.has_cards and parse_place(self._opening.conversation).kind != "guest"

    async def _cards(self, pages: list[Page]) -> list[Sheet]:
        sheets = list[Sheet]()
        for number, page in enumerate(pages):
            if was_begun(self._journal, send_path(number)):
                # This one went as text, when it was tried before.
                break
            try:
                sheet = await self._put_up(number, page)
            except (Rejected, MissingScope, QuotaUsedUp) as error:
                _log.warning("dingtalk_final_as_text", extra={"run": self._opening.run, "code": error.code})
                break
            await self._finish(sheet, page)
            sheets.append(sheet)
        return sheets

    async def _put_up(self, number: int, page: Page) -> Sheet:
        try:
            return await self._opener.put_up(number, page, paced=False)
        except Rejected:
            if self._opener.is_private:
                raise
            # The person a button is for is none the platform knows: shown to all instead.
            public = Pages().of(self._opening.card, self._opener.face)[number]
            return await self._opener.put_up(number, public, paced=False)

    async def _finish(self, sheet: Sheet, page: Page) -> None:
        """End the card that shows the answer; without, it seems to work for ever."""
        await self._counter.pacer.acquire(UPDATE)
        await self._journal.guard()
        page = replace(page, is_over=True)
        public = {**page.params.public, self._counter.template.content: page.content, **sheet.flow(page)}
        try:
            await self._counter.client.update_card(sheet.track, public, page.params.private)
        except ChannelError as error:
            if error.works_again and not isinstance(error, QuotaUsedUp):
                raise
            _log.warning("dingtalk_final_not_ended", extra={"run": self._opening.run, "code": error.code})
        else:
            sheet.updated(page, page.params, with_text=True)

    def _missing(self, pages: list[Page], first: int) -> list[str]:
        """Give what no card shows, in messages."""
        text = _answer(self._opening.card) if first == 0 else "\n\n".join(p.content for p in pages[first:])
        return split(text, MESSAGE_CHARS)

    async def _texts(self, texts: list[str], first: int) -> list[str]:
        return [await self._text(first + at, text, is_first=at == 0) for at, text in enumerate(texts)]

    async def _text(self, number: int, text: str, *, is_first: bool) -> str:
        opening = self._opening

        async def send(around: Around) -> str:
            letter = Letter(
                opening.conversation,
                opening.reply_to,
                text,
                title=opening.card.summary or opening.card.header.title,
                is_markdown=True,
                mentions=is_first,
                around=around,
            )
            return await self._office.send_once(f"{opening.run}/final/{number}", letter)

        return await send_once(self._journal, send_path(number), send)


def _answer(card: Card) -> str:
    """Give the answer, and a way to ask again where it is none."""
    again = render_links(each for each in card.actions if each.name == "retry") if card.header.status in _NONE else ""
    return "\n\n".join(part for part in (to_message(plain_text(card)), again) if part)


def _state(sheets: list[Sheet]) -> Json:
    return {"v": 1, "mode": "stream", "root": "final", "cards": [sheet.state() for sheet in sheets]}
