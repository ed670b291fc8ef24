"""A finished answer as new messages: cards that can be changed later, and text where the platform takes no card."""

from __future__ import annotations

import logging

from channels.base import CardOpening, SentFinal
from channels.cards.once import send_once, was_begun
from channels.cards.ports import Journal
from channels.clock import Clock
from channels.errors import InvalidCard, MissingScope, Rejected, TooLong
from channels.events import Receipt
from channels.feishu.calls import silent
from channels.feishu.cards import Page, render_card
from channels.feishu.errors import MESSAGE_BEING_SENT
from channels.feishu.opening import Counter, Opener
from channels.feishu.plain import rest_as_text
from channels.feishu.post_office import Letter, uuid_of
from channels.feishu.sheet import Sheet
from channels.readable import Json

_TEXT_BYTES = 100_000
"""Below the platform's 150 KB for a text message. Source: open.feishu.cn "发送消息", read 2026-02."""
_log = logging.getLogger(__name__)


class Final:
    """Sends one answer. A page that is a card has an entity, which can be sent once only and found again."""

    def __init__(self, counter: Counter, opening: CardOpening, journal: Journal, clock: Clock) -> None:
        self._counter = counter
        self._opening = opening
        self._journal = journal
        self._clock = clock
        self._opener = Opener(counter, journal, opening, "final")

    async def send(self) -> SentFinal:
        """Send what was not sent; see `Channel.send_final`."""
        pages, sheets = render_card(self._opening.card), list[Sheet]()
        for number, page in enumerate(pages):
            sheet = await self._card(number, page)
            if sheet is None:
                break
            sheets.append(sheet)
        texts = await self._texts(pages, len(sheets)) if len(sheets) < len(pages) else []
        ids = [*(sheet.message_id or sheet.card_id for sheet in sheets), *texts]
        me = self._counter.identity
        receipt = Receipt(me.channel, me.account, tuple(i for i in ids if i), self._clock.now_ms(), "message")
        return SentFinal(receipt, None if texts else _state(sheets))

    async def _card(self, number: int, page: Page) -> Sheet | None:
        """Send a page as a card; `None` when the platform takes none, now or when this was tried before."""
        if was_begun(self._journal, number):
            return None
        try:
            sheet = await self._opener.create(number, page)
        except (Rejected, MissingScope) as error:
            return self._no_card(error)
        try:
            await self._opener.show(number, page, sheet)
        except (InvalidCard, TooLong) as error:
            return self._no_card(error)
        return sheet

    def _no_card(self, error: Rejected | MissingScope) -> None:
        _log.warning("feishu_final_as_text", extra={"run": self._opening.run, "code": error.code})

    async def _texts(self, pages: list[Page], first: int) -> list[str]:
        """Send the pages from `first` on as text; numbers go on, so that a page is a card or a text for good."""
        texts = rest_as_text(self._opening.card, pages, first, max_bytes=_TEXT_BYTES)
        return [await self._text(first + at, text) for at, text in enumerate(texts)]

    async def _text(self, number: int, text: str) -> str:
        opening, history, text = self._opening, self._counter.history, silent(text)

        async def find(since_ms: int) -> str:
            return await history.find_text(opening.conversation, text, opening.reply_to, since_ms)

        async def send() -> str:
            uuid = uuid_of(f"{opening.run}-final-t-{number}")
            letter = Letter(
                opening.conversation, opening.reply_to, "text", {"text": text}, uuid, self._journal.guard, True
            )
            try:
                return await self._counter.office.send(letter)
            except Rejected as error:
                if error.code != str(MESSAGE_BEING_SENT):
                    raise
                # It was sent before, and the platform does not tell which message it is.
                return ""

        return await send_once(self._journal, number, self._clock.now_ms(), find=find, send=send)


def _state(sheets: list[Sheet]) -> Json:
    return {"v": 1, "mode": "stream", "root": "final", "cards": [sheet.state() for sheet in sheets]}
