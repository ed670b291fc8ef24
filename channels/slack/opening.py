"""Putting messages of a card up so that a crash at any point leads back to the same ones.

That a message is begun is recorded first, then its place. Who finds a begin without an end looks for the message:
by its metadata, or for a stream, which has none, in the thread of the question.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from channels.base import CardOpening
from channels.cards.ports import Journal
from channels.errors import ChannelError, DeliveryUnknown, NotDispatched, RateLimited
from channels.events import ConversationRef
from channels.readable import Json
from channels.slack.cards import Page
from channels.slack.draft import STREAM_BYTES, Draft
from channels.slack.errors import USER_NOT_FOUND
from channels.slack.identity import BotIdentity, is_direct, ts_of
from channels.slack.post_office import Letter, PostOffice
from channels.slack.room import StreamRoom
from channels.slack.sheet import Sheet

Root = Literal["open", "final"]
"""Which messages of a run: those it grew on, or those its answer was sent as when they could not show it."""
START = "chat.startStream"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Counter:
    """What all openings of an account share."""

    office: PostOffice
    room: StreamRoom
    me: BotIdentity
    streams: bool
    """Whether direct chats have native streams."""

    def thread_of(self, where: ConversationRef, reply_to: str | None) -> str | None:
        """Give the thread to answer in. In a direct chat that is the question's only where answers are streamed."""
        if where.thread is not None or (is_direct(where.chat) and not self.streams):
            return where.thread
        return ts_of(reply_to)


class Opener:
    """Puts up the messages of one run, in order. Calls never overlap."""

    def __init__(self, counter: Counter, journal: Journal, opening: CardOpening, root: Root = "open") -> None:
        self._counter = counter
        self._office = counter.office
        self._journal = journal
        self._opening = opening
        self.root: Root = root
        self.channel = opening.conversation.chat
        self.thread = counter.thread_of(opening.conversation, opening.reply_to)

    @property
    def me(self) -> BotIdentity:
        """Give who we are."""
        return self._counter.me

    @property
    def can_stream(self) -> bool:
        """Tell whether the first message may be a stream: it needs one reader, and a thread."""
        return self._counter.streams and is_direct(self.channel) and self.thread is not None and self.root == "open"

    async def first(self, page: Page, draft: Draft | None) -> Sheet:
        """Put up the run's first message, or find it, insisting.

        Raises:
            ChannelError: it was refused, or nobody knows.
        """
        is_stream = self.can_stream and draft is not None and draft.after(Draft()).spent_bytes < STREAM_BYTES
        return await self._once(0, lambda since: self._begin(page, draft if is_stream else None, since))

    async def put_up(self, number: int, page: Page, *, insist: bool = False) -> Sheet:
        """Post a further message. Once; the caller has room for it. Raises like `first`."""
        return await self._once(number, lambda since: self._post(number, page, since, insist=insist))

    async def put_up_text(self, number: int, markdown: str, *, insist: bool = False) -> Sheet:
        """Post a message of markdown without blocks of its own. Raises like `first`."""

        async def send(since_ms: int | None) -> Sheet:
            posted = await self._office.post(self.letter(number, {"markdown_text": markdown}, since_ms), insist=insist)
            return Sheet(posted.channel, posted.ts)

        return await self._once(number, send)

    def recorded(self, first: list[Json]) -> list[Sheet]:
        """Give the messages that earlier attempts put up; `first` is what the host kept of them."""
        sheets = [Sheet.of_state(entry) for entry in first if entry.get("ts")]
        while (sent := self._journal.recorded(self._path("send", len(sheets)))) is not None:
            sheets.append(Sheet.of_state(sent))
        return sheets

    def _path(self, what: Literal["begin", "send"], number: int) -> str:
        return f"{self.root}/{what}/{number}"

    async def _once(self, number: int, work: Callable[[int | None], Awaitable[Sheet]]) -> Sheet:
        """Do `work` unless it is recorded; it is told since when (UTC ms) an earlier try may have done it."""
        known = self._journal.recorded(self._path("send", number))
        if known is not None:
            return Sheet.of_state(known)
        begun = self._journal.recorded(self._path("begin", number))
        made: list[Sheet] = []

        async def begin() -> Json:
            return {"at_ms": self._office.clock.now_ms()}

        async def send() -> Json:
            made.append(await work(int(begun["at_ms"]) if begun is not None else None))
            return made[-1].state()

        if begun is None:
            await self._journal.step(self._path("begin", number), begin)
        told = await self._journal.step(self._path("send", number), send)
        return made[-1] if made else Sheet.of_state(told)

    async def _begin(self, page: Page, draft: Draft | None, since_ms: int | None) -> Sheet:
        if since_ms is not None and self.can_stream and self.thread is not None:
            found = await self._office.history.find_stream(self.channel, self.thread, since_ms)
            if found:
                return Sheet(self.channel, found, streaming=None)
        if draft is not None and since_ms is None and self._counter.room.take():
            sheet = await self._stream(draft)
            if sheet is not None:
                return sheet
        return await self._post(0, page, since_ms, insist=True)

    async def _post(self, number: int, page: Page, since_ms: int | None, *, insist: bool) -> Sheet:
        letter = self.letter(number, {"text": page.text, "blocks": list(page.blocks)}, since_ms)
        posted = await self._office.post(letter, insist=insist)
        # Of one that was there before nothing is known.
        return Sheet(posted.channel, posted.ts, page if posted.is_new else None)

    def letter(self, number: int, content: Json, since_ms: int | None) -> Letter:
        """Give a message of this run as it is to be posted."""
        key = f"{self._opening.run}/{self.root}/{number}"
        return Letter(self.channel, self.thread, content, key, self._journal.guard, since_ms)

    async def _stream(self, draft: Draft) -> Sheet | None:
        """Begin a stream; `None` where the platform begins none here now, whatever it says."""
        recipient = self._counter.room.recipient(self.channel)
        body: Json = {"channel": self.channel, "thread_ts": self.thread}
        chunks = draft.chunks_after(Draft())
        if chunks:
            body["chunks"] = chunks
        whom: Json = {"recipient_user_id": recipient.user, "recipient_team_id": recipient.team} if recipient else {}
        try:
            return await self._start({**body, **whom}, draft)
        except (DeliveryUnknown, NotDispatched):
            raise
        except RateLimited as error:
            self._office.pacer.refused(START, error)
            return None
        except ChannelError as error:
            refused = error
        if refused.code == USER_NOT_FOUND and whom:
            try:
                return await self._start(body, draft)
            except (DeliveryUnknown, NotDispatched):
                raise
            except ChannelError as error:
                refused = error
        _log.info("slack_stream_refused", extra={"run": self._opening.run, "code": refused.code})
        return None

    async def _start(self, body: Json, draft: Draft) -> Sheet:
        await self._office.pacer.acquire(START)
        await self._journal.guard()
        answer = await self._office.client.call(START, body)
        channel = str(answer.get("channel") or self.channel)
        return Sheet(channel, str(answer["ts"]), streaming=True, draft=draft.after(Draft()))
