"""A finished answer as new messages: blocks that can be edited later, and text where the platform takes none."""

from __future__ import annotations

import logging
from typing import Any, cast

from channels.base import CardOpening, SentFinal
from channels.cards.markdown import split
from channels.cards.ports import Journal
from channels.cards.text import plain_messages
from channels.errors import InvalidCard, StreamEnded, TooLong
from channels.events import Receipt
from channels.readable import Json
from channels.slack.cards import Page, render_card
from channels.slack.cells import words_of
from channels.slack.errors import NOT_A_MEMBER
from channels.slack.escape import markdown
from channels.slack.identity import NAME, MessageName
from channels.slack.opening import Counter, Opener
from channels.slack.responses import Responses
from channels.slack.sheet import Sheet

_TEXT_BYTES = 3_500
"""Below the 4,000 that the platform takes for certain."""
_log = logging.getLogger(__name__)


class Final:
    """Sends one answer; each page once, however often it is tried."""

    def __init__(self, counter: Counter, opening: CardOpening, journal: Journal, responses: Responses) -> None:
        self._counter = counter
        self._opening = opening
        self._journal = journal
        self._responses = responses
        self._opener = Opener(counter, journal, opening, "final")

    async def send(self) -> SentFinal:
        """Send what was not sent; see `Channel.send_final`."""
        conversation = self._opening.conversation
        pages = render_card(self._opening.card, thread=conversation.thread or "")
        sheets: list[Sheet] = []
        try:
            for number, page in enumerate(pages):
                if (sheet := await self._blocks(number, page)) is None:
                    return SentFinal(self._receipt([*sheets, *await self._texts(pages, number)]))
                sheets.append(sheet)
        except StreamEnded as error:
            if sheets or error.code not in NOT_A_MEMBER or not self._responses.can_answer(conversation):
                raise
            return await self._respond()
        return SentFinal(self._receipt(sheets), self._state(sheets))

    async def _blocks(self, number: int, page: Page) -> Sheet | None:
        """Send a page as blocks; `None` when the platform takes none, now or when this was tried before.

        That texts begin here is recorded: whoever goes on must not take their numbers for those of pages.
        """
        path = f"final/text/{number}"
        if self._journal.recorded(path) is not None:
            return None
        try:
            return await self._opener.put_up(number, page, insist=True)
        except (InvalidCard, TooLong) as error:
            _log.warning("slack_final_as_text", extra={"run": self._opening.run, "code": error.code})
            refused: Json = {"refused": error.code}

        async def decided() -> Json:
            return refused

        await self._journal.step(path, decided)
        return None

    def _state(self, sheets: list[Sheet]) -> Json:
        return {"v": 1, "mode": "patch", "root": "final", "cards": [sheet.state() for sheet in sheets]}

    async def _texts(self, pages: list[Page], first: int) -> list[Sheet]:
        """Send the pages from `first` on as text; numbers go on, so that a page is blocks or text for good."""
        texts = _texts_of(pages[first:]) if first else plain_messages(self._opening.card, max_bytes=_TEXT_BYTES)
        return [
            await self._opener.put_up_text(first + at, markdown(text), insist=True) for at, text in enumerate(texts)
        ]

    async def _respond(self) -> SentFinal:
        """Answer a slash command where we are no member, by the address that came with it."""

        async def respond() -> Json:
            texts = plain_messages(self._opening.card, max_bytes=_TEXT_BYTES)
            await self._journal.guard()
            return {
                "sent": await self._responses.answer(self._opening.conversation, [markdown(each) for each in texts])
            }

        path = "final/respond"
        if self._journal.recorded(path) is None:
            await self._journal.step(path, respond)
        return SentFinal(self._receipt([]))

    def _receipt(self, sheets: list[Sheet]) -> Receipt:
        me = self._counter.me
        ids = tuple(str(MessageName(me.team_id, sheet.channel, sheet.ts)) for sheet in sheets)
        return Receipt(NAME, me.account, ids, self._counter.office.clock.now_ms(), "message")


def _texts_of(pages: list[Page]) -> list[str]:
    lines = [text for page in pages for block in page.blocks for text in _words(block)]
    return split("\n\n".join(lines), _TEXT_BYTES, measure=lambda part: len(part.encode()))


def _words(block: Json) -> list[str]:
    """Give what a block says; buttons and inputs say nothing here."""
    text: Any = block.get("text")
    if isinstance(text, dict):
        return [str(cast("Json", text).get("text", ""))]
    if block["type"] == "context":
        return [str(each.get("text", "")) for each in cast("list[Json]", block["elements"])]
    if block["type"] == "table":
        rows = cast("list[list[Json]]", block["rows"])
        return ["\n".join(" | ".join(words_of(cell) for cell in row) for row in rows)]
    return [str(text)] if isinstance(text, str) else []
