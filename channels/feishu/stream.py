"""One live card on the platform: plans what to write, writes it, and knows what the reader sees.

Ways of writing, from best to plainest: `stream` (card entity, text is typed out), `patch` (a card message replaced
whole), `message` (this card is lost, a new message can be sent), `dead` (the conversation is gone).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from channels.cards.model import Card
from channels.cards.ports import Write
from channels.clock import Clock
from channels.errors import ChannelError, InvalidCard, MissingScope, Rejected, StreamEnded, TooLong
from channels.events import Receipt
from channels.feishu.cards import Budget, Page, render_card, render_leftover, simplified
from channels.feishu.client import Client
from channels.feishu.diff import Changes, TextChange, compare, update_text
from channels.feishu.ending import PageWrite, Unrest, held, quiet_writes, worst
from channels.feishu.errors import CHAT_GONE, SEQUENCE_TOO_LOW, STREAMING_CLOSED
from channels.feishu.growth import Texts
from channels.feishu.opening import Opener
from channels.feishu.recalls import Recalls
from channels.feishu.sheet import Sheet
from channels.readable import Json

Mode = Literal["stream", "patch", "message", "dead"]
_SMALLEST_BYTES = 5_000


@dataclass(frozen=True, slots=True)
class Desk:
    """What all cards of an account share."""

    client: Client
    clock: Clock
    recalls: Recalls


class FeishuSink:
    """A `CardSink` for one run. Calls never overlap."""

    def __init__(self, desk: Desk, opener: Opener, sheets: list[Sheet], mode: Mode) -> None:
        self._client = desk.client
        self._clock = desk.clock
        self._recalls = desk.recalls
        self._opener = opener
        self._sheets = sheets
        self._mode: Mode = mode
        self._budget = Budget()
        self._texts = Texts()
        self._plain = False
        self._most: int | None = None
        """So many cards can be put up: the platform refused a further one for good."""

    @property
    def mode(self) -> Mode:
        """Give how this card is written now."""
        if self._mode in ("stream", "patch") and any(sheet.message_id in self._recalls for sheet in self._sheets):
            return "message"
        return self._mode

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """See `CardSink.plan`."""
        if self.mode in ("message", "dead"):
            return ()
        pages = self._render(card)
        if len(pages) > 1 and card.header.status.is_terminal:
            # First all that is missing, then the word that it is all.
            writes = self._writes(held(pages, self._sheets), final=final) or self._writes(pages, final=final)
        else:
            writes = self._writes(pages, final=final)
        return writes if final else _one_tick(writes)

    def _writes(self, pages: Sequence[Page], *, final: bool) -> list[Write]:
        writes: list[Write] = []
        for number, page in enumerate(pages):
            if number >= len(self._sheets) or not self._sheets[number].is_sent:
                writes.append(self._put_up(number, page))
                break
            writes += self._page_writes(number, page, final=final)
        return writes

    async def send(self, write: Write) -> None:
        """See `CardSink.send`."""
        page_write: PageWrite = write.payload
        try:
            await self._carry_out(write, page_write)
        except ChannelError as error:
            self._note_refusal(write, page_write, error)
            raise
        if page_write.leaves is not None:
            self._sheets[page_write.number].unrest = page_write.leaves

    def renewal(self) -> Sequence[Write]:
        """See `CardSink.renewal`: streaming off and on again, which starts the platform's ten minutes anew."""
        if self._mode != "stream":
            return ()
        writes: list[Write] = []
        for number, sheet in enumerate(self._sheets):
            if sheet.streaming and sheet.page is not None:
                writes += [_settings(number, sheet.page, streaming=on) for on in (False, True)]
        return writes

    def quiet(self, card: Card) -> Sequence[Write]:
        """See `CardSink.quiet`."""
        if self._mode == "dead":
            return ()
        page, writes = render_card(card)[0], list[Write]()
        for number, sheet in enumerate(self._sheets):
            if sheet.is_sent and sheet.unrest == "active" and not self._is_gone(sheet):
                writes += quiet_writes(number, sheet, page)
        return writes

    @property
    def unrest(self) -> Unrest:
        """See `CardSink.unrest`; in a conversation that is gone nobody sees anything."""
        return "" if self._mode == "dead" else worst(s for s in self._sheets if not self._is_gone(s))

    def _is_gone(self, sheet: Sheet) -> bool:
        return sheet.is_gone or sheet.message_id in self._recalls

    def shows(self, card: Card) -> bool:
        """See `CardSink.shows`."""
        if self.mode not in ("stream", "patch"):
            return False
        pages = self._render(card)
        if len(pages) > len(self._sheets) or any(page.is_cut for page in pages):
            return False
        return all(
            sheet.is_sent
            and sheet.page is not None
            and not compare(sheet.page, sheet.target(page, final=True))
            and (self._mode == "patch" or sheet.streaming == page.streaming)
            for sheet, page in zip(self._sheets, pages, strict=False)
        )

    def state(self) -> Json:
        """See `CardSink.state`."""
        cards = [sheet.state() for sheet in self._sheets]
        return {"v": 1, "mode": self.mode, "root": self._opener.root, "cards": cards}

    def receipt(self) -> Receipt:
        """See `CardSink.receipt`."""
        ids = tuple(sheet.message_id or sheet.card_id for sheet in self._sheets if sheet.is_sent)
        me = self._opener.identity
        route = "patch" if self._mode == "patch" else "card"
        return Receipt(me.channel, me.account, ids, self._clock.now_ms(), route)

    def _render(self, card: Card) -> list[Page]:
        pages = render_card(simplified(card) if self._plain else card, self._budget, most=self._most, texts=self._texts)
        sent = sum(sheet.is_sent for sheet in self._sheets)
        pages += [render_leftover(card, number) for number in range(len(pages), sent)]
        return [
            replace(page, streaming=False) if page.streaming and not self._streams(number) else page
            for number, page in enumerate(pages)
        ]

    def _streams(self, number: int) -> bool:
        """Tell whether a card can be in streaming mode, also one that is not put up yet."""
        return self._mode == "stream" and (number >= len(self._sheets) or self._sheets[number].can_stream)

    # Planning one of the cards.

    def _put_up(self, number: int, page: Page) -> Write:
        has_entity = number < len(self._sheets)
        return Write(self._opener.send_method if has_entity else "card.create", "create", PageWrite(number, page))

    def _page_writes(self, number: int, page: Page, *, final: bool) -> list[Write]:
        sheet = self._sheets[number]
        page = sheet.target(page, final=final)
        changes = sheet.missing(page, final=final)
        if self._mode == "patch":
            return [Write("message.patch", "replace", PageWrite(number, page, final=final))] if changes else []
        settings = _mode_writes(number, page, sheet.streaming)
        if changes.whole or (final and changes and sheet.takes_whole(final=True)):
            return [Write("card.replace", "replace", PageWrite(number, page, final=final)), *settings]
        if settings and page.streaming:
            return [*settings, *self._changes(number, page, changes, can_type=True)]
        return [*self._changes(number, page, changes, can_type=bool(sheet.streaming)), *settings]

    def _changes(self, number: int, page: Page, changes: Changes, *, can_type: bool) -> list[Write]:
        """Give at most one content write and one batch."""
        sheet = self._sheets[number]
        typed = _typed(changes.texts) if can_type and sheet.can_stream else None
        actions = [*changes.actions, *(update_text(text) for text in changes.texts if text is not typed)]
        writes: list[Write] = []
        if typed is not None:
            writes.append(Write("card.content", "content", PageWrite(number, page, text=typed)))
        if actions:
            writes.append(Write("card.batch", "batch", PageWrite(number, page, text=typed, actions=tuple(actions))))
        return writes

    # Carrying out.

    async def _carry_out(self, write: Write, page_write: PageWrite) -> None:
        if write.kind == "create":
            await self._opener.put_up(page_write.number, page_write.page, self._sheets)
            return
        sheet = self._sheets[page_write.number]
        if write.method == "message.patch":
            await self._client.patch_message(sheet.message_id, page_write.page.native())
            sheet.page = page_write.page
        elif write.kind == "replace":
            await self._client.replace_card(sheet.card_id, page_write.page.native(), sheet.next_sequence())
            sheet.page = page_write.page
        elif write.kind == "settings":
            config = {**page_write.page.config(), "streaming_mode": page_write.streaming}
            config.pop("update_multi")
            await self._client.set_card(sheet.card_id, config, sheet.next_sequence())
            sheet.streaming = page_write.streaming
        elif write.kind == "content" and page_write.text is not None:
            text = page_write.text
            await self._client.stream_text(sheet.card_id, text.element_id, text.new, sheet.next_sequence())
            sheet.typed(text)
        else:
            await self._client.batch_card(sheet.card_id, list(page_write.actions), sheet.next_sequence())
            sheet.batched(page_write.page, page_write.text)

    # Refusals.

    def _note_refusal(self, write: Write, page_write: PageWrite, error: ChannelError) -> None:
        """Draw the conclusion for the next plan; the error itself goes on to the writer."""
        code = int(error.code) if error.code.isdigit() else 0
        if isinstance(error, StreamEnded) and error.reason == "gone" and write.kind != "create":
            self._sheets[page_write.number].is_gone = True
        if page_write.leaves is not None:
            self._sheets[page_write.number].refused_rest += not error.works_again
        elif isinstance(error, StreamEnded):
            self._ended(write, page_write, code)
        elif code == SEQUENCE_TOO_LOW:
            self._sheets[page_write.number].jump()
        elif isinstance(error, TooLong | InvalidCard) and write.kind != "settings":
            self._reshape(write, page_write, error)
        elif isinstance(error, Rejected | MissingScope) or not error.works_again:
            self._refused(write, page_write)

    def _ended(self, write: Write, page_write: PageWrite, code: int) -> None:
        if code in CHAT_GONE:
            self._mode = "dead"
        elif write.kind == "create":
            self._most = page_write.number
        elif code in STREAMING_CLOSED:
            self._sheets[page_write.number].closed()
        else:
            self._mode = "message"

    def _reshape(self, write: Write, page_write: PageWrite, error: ChannelError) -> None:
        """Write the card anew: smaller if it was too long, plainer if it was refused as a whole."""
        sheet = self._sheets[page_write.number] if page_write.number < len(self._sheets) else None
        was_whole = write.kind in ("create", "replace") or (sheet is not None and sheet.page is None)
        if sheet is not None and not was_whole:
            sheet.page = None
        if isinstance(error, TooLong) and self._budget.bytes > _SMALLEST_BYTES:
            self._budget = self._budget.smaller()
        elif was_whole and not self._plain:
            self._plain = True
        elif was_whole:
            self._refused(write, page_write)

    def _refused(self, write: Write, page_write: PageWrite) -> None:
        if write.kind == "create":
            self._most = page_write.number
            return
        sheet = self._sheets[page_write.number]
        if write.kind == "settings":
            # The whole card carries its mode too: without typing it is written once more.
            sheet.can_stream = sheet.streaming = False
            sheet.page = None if sheet.takes_whole(final=False) else sheet.page
        elif write.kind == "content":
            sheet.can_stream = False
        elif write.kind == "replace":
            self._without_whole(sheet, final=page_write.final)

    def _without_whole(self, sheet: Sheet, *, final: bool) -> None:
        """The whole card is refused: what its reader has is completed by single changes, if we know what that is.

        Only a last word gives the card up: a refused preview is tried less and less often, as any other.
        """
        can_change = self._mode != "patch" and sheet.page is not None
        if final and (not can_change or sheet.refused_whole == "final"):
            self._mode = "message"
        elif can_change:
            sheet.refused_whole, self._plain, self._budget = "final" if final else "preview", False, Budget()


def _typed(texts: Sequence[TextChange]) -> TextChange | None:
    """Choose the text that is written by typing: the last one that grew, else the last that changed."""
    candidates = [text for text in texts if text.is_growth] or list(texts)
    chosen = candidates[-1] if candidates else None
    return chosen if chosen is not None and chosen.new else None


def _settings(number: int, page: Page, *, streaming: bool) -> Write:
    return Write("card.settings", "settings", PageWrite(number, page, streaming=streaming))


def _mode_writes(number: int, page: Page, now: bool | None) -> list[Write]:
    """Give what turns streaming on or off. When nobody knows, off and on: so its life begins anew for certain.

    A whole card carries its mode too, but only this call is said to switch it; a card that stays in streaming mode says
    "[generating...]" in the list of chats and cannot be forwarded, so the call is made beside a whole card as well.
    Source: open.feishu.cn "流式更新卡片", steps 1 and 4 and its questions, read 2026-11-30.
    """
    if now == page.streaming:
        return []
    steps = [False, True] if now is None and page.streaming else [page.streaming]
    return [_settings(number, page, streaming=on) for on in steps]


def _one_tick(writes: Sequence[Write]) -> list[Write]:
    """Keep what one tick may send: the newest text, one change of elements, and what opens or closes a card."""
    content = [write for write in writes if write.kind == "content"][-1:]
    changes = [write for write in writes if write.kind in ("batch", "replace")][:1]
    others = [write for write in writes if write.kind in ("create", "settings")]
    return [write for write in writes if write in content or write in changes or write in others]
