"""One live card on the platform: plans what to write, writes it, and knows what the reader sees.

Ways of writing, from best to plainest: `stream` (text is typed out, nothing can be taken back), `patch` (messages of
blocks, edited whole), `message` (these messages are lost, a new one can be sent), `dead` (the conversation is gone).
A stream is the first message of a card and never more than that: whatever a stream cannot show ends it, and the very
same message goes on by edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from channels.cards.model import Card
from channels.cards.ports import Write
from channels.clock import Clock
from channels.errors import ChannelError, DeliveryUnknown, InvalidCard, MissingScope, Rejected, StreamEnded, TooLong
from channels.events import Receipt
from channels.readable import Json
from channels.slack.cards import Budget, Page, render_card, render_leftover, simplified
from channels.slack.client import Client
from channels.slack.draft import STREAM_BYTES, Draft, Drafting
from channels.slack.errors import CHAT_GONE, STILL_STREAMING, STREAMING_CLOSED
from channels.slack.growth import Texts
from channels.slack.identity import NAME, MessageName
from channels.slack.opening import Opener
from channels.slack.post_office import POST
from channels.slack.sheet import Sheet
from channels.slack.status import SET_STATUS, Statuses

Mode = Literal["stream", "patch", "message", "dead"]
UPDATE, APPEND, STOP = "chat.update", "chat.appendStream", "chat.stopStream"
_SMALLEST_BYTES = 3_000
_REFUSALS_TAKEN = 2


@dataclass(frozen=True, slots=True)
class Desk:
    """What all cards of an account share."""

    client: Client
    clock: Clock
    statuses: Statuses


@dataclass(frozen=True, slots=True)
class PageWrite:
    """One write to one message of the card."""

    number: int
    page: Page | None = None
    draft: Draft | None = None
    chunks: tuple[Json, ...] = ()
    final: bool = False
    is_farewell: bool = False


class SlackSink:
    """A `CardSink` for one run. Calls never overlap."""

    def __init__(self, desk: Desk, opener: Opener, sheets: list[Sheet], mode: Mode, thread: str) -> None:
        """`thread` is the one of the run's conversation, empty outside of threads."""
        self._client = desk.client
        self._clock = desk.clock
        self._opener = opener
        self._sheets = sheets
        self._mode: Mode = mode
        self._thread = thread
        self._status = desk.statuses.of(opener.channel, opener.thread)
        self._budget = Budget()
        self._texts = Texts()
        self._drafting = Drafting()
        self._plain: Literal["", "preview", "final"] = ""
        """Whether texts are written plainly, as their look was refused; a last word tries its look once more."""
        self._most: int | None = None
        """So many messages can be put up: the platform refused a further one for good."""

    @property
    def mode(self) -> Mode:
        """Give how this card is written now."""
        if self._mode in ("message", "dead"):
            return self._mode
        return "stream" if self._sheets and self._sheets[0].streaming else "patch"

    # Planning.

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """See `CardSink.plan`."""
        if self.mode in ("message", "dead"):
            return ()
        first = self._sheets[0]
        if first.streaming and not final:
            appended = self._append(first, self._drafting.of(card))
            if appended is not None:
                return appended
        writes = self._stops() + self._edits(card, final=final)
        if final:
            is_stuck = first.streaming and first.stop_refused
            rest = (self._append(first, self._drafting.words_of(card)) or []) if is_stuck else []
            return [*rest, *writes, *self._status.clearing()]
        return [*_one_tick(writes), *self._status.showing(card)]

    def _append(self, sheet: Sheet, draft: Draft | None) -> list[Write] | None:
        """Give what lets the stream follow; `None` when it cannot show this snapshot, or is full."""
        if draft is None or not draft.follows(sheet.draft):
            return None
        chunks, grown = draft.chunks_after(sheet.draft), draft.after(sheet.draft)
        if grown.spent_bytes > STREAM_BYTES:
            return None
        return [Write(APPEND, "content", PageWrite(0, draft=grown, chunks=tuple(chunks)))] if chunks else []

    def _stops(self) -> list[Write]:
        streaming = [number for number, sheet in enumerate(self._sheets) if sheet.streaming is not False]
        return [Write(STOP, "settings", PageWrite(number)) for number in streaming]

    def _edits(self, card: Card, *, final: bool) -> list[Write]:
        """Give what is missing, in reading order: what ends a card comes after all that it ends."""
        writes: list[Write] = []
        for number, page in enumerate(self._render(card, final=final)):
            if number >= len(self._sheets):
                return [*writes, Write(POST, "create", PageWrite(number, page, final=final))]
            sheet = self._sheets[number]
            if sheet.page != page or sheet.streaming is not False:
                writes.append(Write(UPDATE, "replace", PageWrite(number, page, final=final)))
        return writes

    def _render(self, card: Card, *, final: bool) -> list[Page]:
        is_plain = self._plain == "final" or (self._plain == "preview" and not final)
        shown = simplified(card) if is_plain else card
        pages = render_card(shown, self._budget, most=self._most, texts=self._texts, thread=self._thread)
        return pages + [render_leftover(card, number) for number in range(len(pages), len(self._sheets))]

    def renewal(self) -> Sequence[Write]:
        """See `CardSink.renewal`: no stream can be prolonged, so it is ended and its message goes on by edits."""
        return self._stops() if self.mode == "stream" else ()

    # Carrying out.

    async def send(self, write: Write) -> None:
        """See `CardSink.send`."""
        if write.method == SET_STATUS:
            await self._status.send(write)
            return
        page_write: PageWrite = write.payload
        try:
            await self._carry_out(write, page_write)
        except ChannelError as error:
            self._note_refusal(write, page_write, error)
            raise

    async def _carry_out(self, write: Write, told: PageWrite) -> None:
        if write.kind == "create" and told.page is not None:
            self._sheets.append(await self._opener.put_up(told.number, told.page))
            return
        sheet = self._sheets[told.number]
        place: Json = {"channel": sheet.channel, "ts": sheet.ts}
        if told.page is not None:
            await self._client.call(UPDATE, {**place, "text": told.page.text, "blocks": list(told.page.blocks)})
            sheet.page, sheet.streaming = told.page, False
            sheet.unrest = "" if told.is_farewell else "active"
        elif told.draft is not None:
            await self._client.call(APPEND, {**place, "chunks": list(told.chunks)})
            sheet.draft = told.draft
        else:
            await self._client.call(STOP, place)
            sheet.ended()
            # What was streamed has no buttons and no word about the run.
            sheet.unrest = "status"
        sheet.refusals = 0

    # Refusals.

    def _note_refusal(self, write: Write, told: PageWrite, error: ChannelError) -> None:
        """Draw the conclusion for the next plan; the error itself goes on to the writer."""
        if isinstance(error, StreamEnded):
            self._ended(write, told, error)
        elif write.kind == "create":
            self._no_further(told, error)
        elif error.code == STILL_STREAMING:
            self._sheets[told.number].streaming = None
        elif told.is_farewell:
            self._sheets[told.number].refused_rest += not error.works_again
        elif told.draft is not None:
            self._not_appended(self._sheets[told.number], error)
        elif told.page is not None:
            self._not_updated(self._sheets[told.number], told, error)
        elif not error.works_again:
            self._sheets[told.number].ended()
        else:
            self._sheets[told.number].stop_refused = True

    def _ended(self, write: Write, told: PageWrite, error: StreamEnded) -> None:
        if error.code in STREAMING_CLOSED and told.number < len(self._sheets):
            self._sheets[told.number].ended()
        elif error.code in CHAT_GONE:
            self._mode = "dead"
        elif write.kind == "create":
            self._most = told.number
        else:
            self._sheets[told.number].is_gone = error.reason == "gone"
            self._mode = "message"

    def _not_appended(self, sheet: Sheet, error: ChannelError) -> None:
        """A text that may have arrived must not be appended again: an edit says it all anew."""
        sheet.refusals += isinstance(error, Rejected)
        if isinstance(error, DeliveryUnknown | TooLong) or sheet.refusals >= _REFUSALS_TAKEN:
            sheet.streaming = None

    def _not_updated(self, sheet: Sheet, told: PageWrite, error: ChannelError) -> None:
        if isinstance(error, TooLong):
            self._shrink(told)
        elif isinstance(error, Rejected | MissingScope):
            sheet.refusals += 1
            if self._plain == "final" and told.final:
                self._mode = "message"
            elif sheet.refusals >= _REFUSALS_TAKEN:
                self._plain, sheet.refusals = ("final" if told.final else self._plain or "preview"), 0

    def _shrink(self, told: PageWrite) -> None:
        if self._budget.bytes > _SMALLEST_BYTES:
            self._budget = self._budget.smaller()
        elif told.final:
            self._mode = "message"

    def _no_further(self, told: PageWrite, error: ChannelError) -> None:
        if isinstance(error, TooLong) and self._budget.bytes > _SMALLEST_BYTES:
            self._budget = self._budget.smaller()
        elif isinstance(error, InvalidCard) and self._plain != "final":
            self._plain = "final"
        elif isinstance(error, Rejected | MissingScope):
            self._most = told.number

    # The end.

    def shows(self, card: Card) -> bool:
        """See `CardSink.shows`."""
        if self.mode not in ("stream", "patch"):
            return False
        if self.mode == "stream":
            return self._append(self._sheets[0], self._drafting.of(card)) == []
        pages = self._render(card, final=True)
        return len(pages) == len(self._sheets) and all(
            sheet.page == page and sheet.streaming is False and not page.is_cut
            for sheet, page in zip(self._sheets, pages, strict=True)
        )

    def quiet(self, card: Card) -> Sequence[Write]:
        """See `CardSink.quiet`: one request at a time, since what the first is told decides about the second."""
        if self._mode == "dead":
            return ()
        for number, sheet in enumerate(self._sheets):
            if sheet.is_gone or not sheet.unrest or sheet.refused_rest:
                continue
            page = render_card(card)[0]
            if sheet.streaming is not False:
                return [Write(STOP, "settings", PageWrite(number, is_farewell=True))]
            return [Write(UPDATE, "replace", PageWrite(number, page, is_farewell=True))]
        return ()

    @property
    def unrest(self) -> Literal["", "status", "active"]:
        """See `CardSink.unrest`; in a conversation that is gone nobody sees anything."""
        left = {sheet.unrest for sheet in self._sheets if not sheet.is_gone}
        if self._mode == "dead" or left <= {""}:
            return ""
        return "active" if "active" in left else "status"

    def state(self) -> Json:
        """See `CardSink.state`."""
        cards = [sheet.state() for sheet in self._sheets]
        return {"v": 1, "mode": self._mode, "root": self._opener.root, "cards": cards}

    def receipt(self) -> Receipt:
        """See `CardSink.receipt`."""
        me = self._opener.me
        ids = tuple(str(MessageName(me.team_id, sheet.channel, sheet.ts)) for sheet in self._sheets)
        return Receipt(NAME, me.account, ids, self._clock.now_ms(), "card" if self.mode == "stream" else "patch")


def _one_tick(writes: Sequence[Write]) -> list[Write]:
    """Keep what one tick may send: one edit, and what ends a stream or puts a message up."""
    edits = [write for write in writes if write.kind == "replace"][:1]
    return [write for write in writes if write.kind != "replace" or write in edits]
