"""One live answer on the platform: plans what to write, writes it, and knows what the reader sees.

Text is streamed, everything else changes by name. `message`: these cards cannot show the answer, a new message can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from channels.cards.model import Card
from channels.cards.ports import Write
from channels.dingtalk.address import NAME
from channels.dingtalk.cards import Page, Pages, leftover
from channels.dingtalk.client import Frame
from channels.dingtalk.errors import NO_SUCH_USER
from channels.dingtalk.limits import CREATE, STREAM, UPDATE
from channels.dingtalk.opening import Opener
from channels.dingtalk.sheet import Sheet
from channels.dingtalk.template import Params
from channels.errors import ChannelError, MissingScope, QuotaUsedUp, Rejected, StreamEnded, TooLong
from channels.events import Receipt
from channels.readable import Json

Mode = Literal["stream", "message"]
_WAYS_TO_REST = 2


@dataclass(frozen=True, slots=True)
class Job:
    """What a write does. `leaves`: it leaves the card at rest; `text`: an update carries the text as well."""

    number: int
    page: Page
    final: bool = False
    changes: Params | None = None
    text: bool = False
    leaves: bool = False


class DingtalkSink:
    """A `CardSink` for one run. Calls never overlap, so no card ever has two requests on the way."""

    def __init__(self, opener: Opener, sheets: list[Sheet], mode: Mode = "stream") -> None:
        self._opener = opener
        self._sheets = sheets
        self._mode: Mode = mode
        self._pages = Pages()
        self._is_full = False
        """The platform refused a further card for good."""

    @property
    def mode(self) -> Mode:
        """Give how this answer is written now."""
        return self._mode

    def plan(self, card: Card, *, final: bool) -> Sequence[Write]:
        """See `CardSink.plan`."""
        if self._mode == "message":
            return ()
        pages = self._render(card)
        writes = list[Write]()
        if len(pages) > 1 and card.header.status.is_terminal:
            # First all that is missing, then the word that it is all.
            writes = self._writes(_held(pages, self._sheets), final=final)
        writes = writes or self._writes(pages, final=final)
        return writes if final else _one_tick(writes)

    async def send(self, write: Write) -> None:
        """See `CardSink.send`."""
        job: Job = write.payload
        try:
            await self._carry_out(write, job)
        except ChannelError as error:
            await self._look_for_a_place(write, job, error)
            self._note_refusal(write, job, error)
            raise
        if job.leaves:
            self._sheets[job.number].unrest = ""

    def renewal(self) -> Sequence[Write]:
        """See `CardSink.renewal`: streaming has no end of its own here."""
        return ()

    def shows(self, card: Card) -> bool:
        """See `CardSink.shows`."""
        pages = self._render(card)
        if self._mode == "message" or len(pages) > len(self._sheets):
            return False
        return all(sheet.shows(page) for sheet, page in zip(self._sheets, pages, strict=False))

    def quiet(self, card: Card) -> Sequence[Write]:
        """See `CardSink.quiet`: a finished card with a few words; if the variables are refused, its text alone."""
        page, writes = replace(Pages().of(card, self._opener.face)[0], is_over=True), list[Write]()
        for number, sheet in enumerate(self._sheets):
            if sheet.is_gone or sheet.unrest != "active" or sheet.refused_rest >= _WAYS_TO_REST:
                continue
            if sheet.refused_rest and sheet.streams():
                writes.append(Write(STREAM, "content", Job(number, page, leaves=True)))
            elif not sheet.refused_rest:
                job = Job(number, page, changes=sheet.lacks(page, small_print=""), text=True, leaves=True)
                writes.append(Write(UPDATE, "replace", job))
        return writes

    @property
    def unrest(self) -> Literal["", "status", "active"]:
        """See `CardSink.unrest`."""
        return "active" if any(each.unrest and not each.is_gone for each in self._sheets) else ""

    def state(self) -> Json:
        """See `CardSink.state`."""
        cards = [sheet.state() for sheet in self._sheets]
        return {"v": 1, "mode": self._mode, "root": self._opener.root, "cards": cards}

    def receipt(self) -> Receipt:
        """See `CardSink.receipt`."""
        counter = self._opener.counter
        ids = tuple(sheet.track for sheet in self._sheets)
        return Receipt(NAME, counter.account, ids, counter.clock.now_ms(), "card")

    def _render(self, card: Card) -> list[Page]:
        pages = self._pages.of(card, self._opener.face)
        return pages + [leftover(card, self._opener.face) for _ in range(len(pages), len(self._sheets))]

    # Planning.

    def _writes(self, pages: Sequence[Page], *, final: bool) -> list[Write]:
        writes = list[Write]()
        for number, page in enumerate(pages):
            if number >= len(self._sheets):
                if not self._is_full:
                    writes.append(Write(CREATE, "create", Job(number, page, final)))
                break
            writes += self._page_writes(number, page, final=final)
        return writes

    def _page_writes(self, number: int, page: Page, *, final: bool) -> list[Write]:
        sheet, writes = self._sheets[number], list[Write]()
        if sheet.streams() and sheet.content != page.content:
            writes.append(Write(STREAM, "content", Job(number, page, final)))
        footer = "" if final else self._opener.counter.template.footer
        changes = sheet.lacks(page, small_print=footer)
        text = (not sheet.streams() and sheet.content != page.content) or (page.is_over and not sheet.is_repaired)
        if text or not changes.is_empty:
            writes.append(Write(UPDATE, "batch", Job(number, page, final, changes, text)))
        return writes

    # Carrying out.

    async def _carry_out(self, write: Write, job: Job) -> None:
        if write.method == CREATE:
            self._sheets.append(await self._opener.put_up(job.number, job.page))
        elif write.method == STREAM:
            await self._stream(self._sheets[job.number], job.page)
        else:
            await self._update(self._sheets[job.number], job)

    async def _stream(self, sheet: Sheet, page: Page) -> None:
        counter = self._opener.counter
        frame = Frame(
            sheet.track,
            sheet.guid(page.content, is_last=page.is_over),
            counter.template.content,
            page.content,
            is_last=page.is_over and not _is_error(sheet, page),
            is_error=_is_error(sheet, page),
        )
        await counter.client.stream(frame)
        sheet.streamed(page)

    async def _update(self, sheet: Sheet, job: Job) -> None:
        counter, opener, page = self._opener.counter, self._opener, job.page
        changes = job.changes or Params()
        public, private = dict(changes.public), {user: dict(values) for user, values in changes.private.items()}
        if job.text:
            public |= {counter.template.content: page.content, **sheet.flow(page)}
        told = counter.shown.told(sheet.track)
        for user in told:
            private.setdefault(user, {})[counter.template.notice] = ""
        await counter.client.update_card(sheet.track, public, private)
        told.clear()
        sheet.updated(page, changes, with_text=job.text)
        counter.shown.note(sheet.track, opener.opening.conversation, opener.opening.run, page.actions)

    # Refusals.

    async def _look_for_a_place(self, write: Write, job: Job, error: ChannelError) -> None:
        """Give the card up when its template turns out to have no place for the answer."""
        if write.method != STREAM or not isinstance(error, StreamEnded) or error.reason != "closed":
            return
        sheet = self._sheets[job.number]
        if sheet.is_new and not job.leaves and not _is_error(sheet, job.page):
            sheet.is_new = False
            if await self._opener.counter.place.find_out():
                self._mode = "message"

    def _note_refusal(self, write: Write, job: Job, error: ChannelError) -> None:
        """Draw the conclusion for the next plan; the error itself goes on to the writer."""
        sheet = self._sheets[job.number] if job.number < len(self._sheets) else None
        if job.leaves and sheet is not None:
            sheet.refused_rest += not error.works_again
            sheet.is_gone |= isinstance(error, StreamEnded) and error.reason == "gone"
        elif isinstance(error, QuotaUsedUp):
            self._mode = "message" if job.final else self._mode
        elif sheet is None:
            self._is_full = self._is_full or not error.works_again
        elif isinstance(error, StreamEnded) and error.reason == "gone":
            sheet.is_gone, self._mode = True, "message"
        elif isinstance(error, TooLong) and self._pages.smaller():
            return
        elif error.code == NO_SUCH_USER and self._opener.is_private:
            self._opener.is_private = False
        elif write.method == STREAM and isinstance(error, StreamEnded | Rejected | MissingScope):
            for_good = not isinstance(error, Rejected) or isinstance(error, TooLong)
            sheet.stream_refused(for_good=for_good, was_error=_is_error(sheet, job.page))


def _is_error(sheet: Sheet, page: Page) -> bool:
    return page.is_over and page.has_failed and sheet.can_fail


def _held(pages: Sequence[Page], sheets: Sequence[Sheet]) -> list[Page]:
    """Give the cards with the last one not telling yet that all is over."""
    *others, last = pages
    known = sheets[len(others)].params if len(others) < len(sheets) else None
    params = known or Params(dict.fromkeys(last.params.public, ""), {})
    return [*others, replace(last, params=params, actions=())]


def _one_tick(writes: Sequence[Write]) -> list[Write]:
    """Keep what one tick may send: one text, one change of variables, and what opens a card."""
    content = [write for write in writes if write.kind == "content"][:1]
    changes = [write for write in writes if write.kind == "batch"][:1]
    opens = [write for write in writes if write.kind == "create"][:1]
    return opens if not content and not changes else [*content, *changes]
