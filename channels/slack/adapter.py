"""One Slack app in one workspace as a `Channel`."""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from channels.base import CardOpening, ChannelHealth, Examination, Reaction, SentFinal
from channels.capabilities import Capabilities
from channels.cards.model import Call, Card
from channels.cards.ports import CardSink, Journal
from channels.clock import Clock
from channels.connection import ConnectionState, Keeper, KeeperTimes, Link
from channels.errors import InvalidCard, NotSupported, StreamEnded, TooLong
from channels.events import (
    AttachmentHandle,
    ConversationRef,
    Fetched,
    Inbound,
    InboundHandler,
    InboundMessage,
    OutFile,
    Quote,
    Receipt,
    Toast,
)
from channels.names import Names
from channels.pacing import Pacer
from channels.readable import Json
from channels.slack.cards import Page, render_card
from channels.slack.client import Client
from channels.slack.connecting import Dialler
from channels.slack.doctor import app_pages, examining
from channels.slack.draft import Drafting
from channels.slack.envelope import Reading
from channels.slack.errors import NOT_A_MEMBER
from channels.slack.escape import mrkdwn
from channels.slack.files import Files
from channels.slack.finals import Final
from channels.slack.identity import NAME, BotIdentity, MessageName, is_direct, ts_of
from channels.slack.limits import CAPABILITIES
from channels.slack.opening import Counter, Opener
from channels.slack.people import USERS_INFO, ask_name
from channels.slack.post_office import Letter, PostOffice
from channels.slack.reader import Reader
from channels.slack.responses import Responses
from channels.slack.room import StreamRoom
from channels.slack.roots import Roots
from channels.slack.settings import SlackSettings
from channels.slack.sheet import Sheet
from channels.slack.signs import Signs
from channels.slack.status import Statuses
from channels.slack.stream import Desk, SlackSink
from channels.slack.toasts import Toasts

if TYPE_CHECKING:
    from channels.slack.dispatch import Dispatcher

_PERSON = re.compile(r"\w+", re.ASCII)
"""An id of one person: groups and broadcasts are written in other ways."""
_log = logging.getLogger(__name__)


class Adapter:
    """See `channels.base.Channel`.

    Example:
        adapter = Adapter(SlackSettings(id="main", bot_token="xoxb-...", app_token="xapp-..."), clock)
        await adapter.start(handler)
        sink = await adapter.open_card(opening, journal)
        await adapter.stop()
    """

    def __init__(self, settings: SlackSettings, clock: Clock, *, refresh_s: float = 0.2) -> None:
        self._settings = settings
        self._clock = clock
        self._me = BotIdentity(settings.id)
        self._client = Client(settings)
        self._pacer = Pacer(CAPABILITIES, clock, target_s=refresh_s)
        self._office = PostOffice(self._client, self._pacer, clock, self._me)
        self._room = StreamRoom(clock)
        self._counter = Counter(self._office, self._room, self._me, settings.native_streams == "direct")
        self._names = Names(NAME, lambda user: ask_name(self._client, user), USERS_INFO, self._pacer)
        self._reader = Reader(self._office, self._names, self._me)
        self._files = Files(self._office, settings.base_url)
        self._responses = Responses(self._client, clock)
        self._toasts = Toasts(self._client, self._pacer, self._responses)
        self._roots = Roots()
        self._signs = Signs(self._client, self._pacer)
        self._desk = Desk(self._client, clock, Statuses(self._client, self._pacer, clock))
        self._dialler = Dialler(settings, self._client, clock, self._me)
        self._dispatcher: Dispatcher | None = None
        self._keeper: Keeper | None = None

    @property
    def name(self) -> str:
        """See `Channel.name`."""
        return NAME

    @property
    def account(self) -> str:
        """See `Channel.account`."""
        return self._settings.id

    @property
    def capabilities(self) -> Capabilities:
        """See `Channel.capabilities`."""
        return self._pacer.capabilities

    @property
    def pacer(self) -> Pacer:
        """See `Channel.pacer`."""
        return self._pacer

    def health(self) -> ChannelHealth:
        """See `Channel.health`: ok with a live socket; a stranger on the same token is told beside it."""
        state = self._keeper.state if self._keeper is not None else ConnectionState("stopped")
        if state.code != "live":
            return ChannelHealth(False, state.code, state.reason, state.advice, app_pages())
        if strangers := self._dialler.strangers:
            reason = f"{strangers} more socket(s) of this app are open: another process takes a share of the messages"
            return ChannelHealth(True, "ok", reason, "token_shared", app_pages())
        return ChannelHealth(True, "ok")

    def examining(self) -> AbstractAsyncContextManager[Sequence[Examination]]:
        """See `Examinable.examining`."""
        return examining(self._settings, self._clock)

    # Life.

    async def start(self, handler: InboundHandler) -> None:
        """See `Channel.start`."""
        self._client.open()
        settings = self._settings
        times = KeeperTimes(
            dial_timeout_s=4 * settings.connect_timeout_s,
            ping_every_s=settings.ping_every_s,
            silence_s=settings.silence_s,
        )
        self._keeper = Keeper(lambda: self._dial(handler), self._clock, name=f"{NAME}:{settings.id}", times=times)
        self._keeper.start()

    async def stop(self) -> None:
        """See `Channel.stop`."""
        if self._keeper is not None:
            await self._keeper.stop()
        if self._dispatcher is not None:
            await self._dispatcher.stop()
        await self._names.stop()
        await self._client.close()

    async def _dial(self, handler: InboundHandler) -> Link:
        dispatcher = self._dispatcher or await self._dispatching(handler)
        return await self._dialler.dial(dispatcher.answer)

    async def _dispatching(self, handler: InboundHandler) -> Dispatcher:
        """Load Bolt, which takes a while, beside the work."""
        module = await asyncio.to_thread(importlib.import_module, "channels.slack.dispatch")

        async def given(inbound: Inbound) -> Toast | None:
            return await handler(self._arrived(inbound))

        reading = Reading(self._me, self._names.of, self._clock.now_ms)
        make: type[Dispatcher] = module.Dispatcher
        self._dispatcher = make(self._client.bot_token, reading, given, self._toasts.tell, self._responses.keep)
        return self._dispatcher

    def _arrived(self, inbound: Inbound) -> Inbound:
        """Note what answering will need, and place what belongs elsewhere."""
        if isinstance(inbound, InboundMessage) and is_direct(inbound.conversation.chat):
            self._room.met(inbound.conversation.chat, inbound.sender.id, inbound.sender.tenant)
        return self._roots.placed(inbound)

    # Cards.

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`: a stream in direct chats, messages of blocks elsewhere."""
        opener = Opener(self._counter, journal, opening)
        thread = opening.conversation.thread or ""
        page = render_card(opening.card, thread=thread)[0]
        try:
            first = await self._first(opener, opening, page)
        except StreamEnded as error:
            if error.code not in NOT_A_MEMBER or not self._responses.can_answer(opening.conversation):
                raise
            # A slash command where we are no member: only its own address takes an answer, and that once.
            return SlackSink(self._desk, opener, [], "message", thread)
        sheets = [first, *opener.recorded([first.state()])[1:]]
        return SlackSink(self._desk, opener, sheets, "patch", thread)

    async def _first(self, opener: Opener, opening: CardOpening, page: Page) -> Sheet:
        """Put the first message up; a card that is refused for what it shows begins as its title."""
        try:
            return await opener.first(page, Drafting().of(opening.card))
        except (InvalidCard, TooLong) as error:
            _log.warning("slack_card_begins_plain", extra={"run": opening.run, "code": error.code})
        return await opener.first(render_card(Card(opening.card.header))[0], None)

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`."""
        opener = Opener(self._counter, journal, opening, state.get("root", "open"))
        sheets = opener.recorded(state.get("cards", []))
        return SlackSink(self._desk, opener, sheets, state["mode"], opening.conversation.thread or "")

    # Messages.

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """See `Channel.send_final`: as blocks; what the platform refuses as blocks goes as text."""
        return await Final(self._counter, opening, journal, self._responses).send()

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        thread = self._thread_for(conversation, reply_to)
        posted = await self._office.post(Letter(conversation.chat, thread, {"text": mrkdwn(text)}, f"notice/{key}"))
        return self._receipt(str(MessageName(self._me.team_id, posted.channel, posted.ts)))

    async def call(self, conversation: ConversationRef, call: Call, *, reply_to: str | None, key: str) -> Receipt:
        """See `Calling.call`."""
        if not _PERSON.fullmatch(call.person):
            raise NotSupported("call")
        thread, text = self._thread_for(conversation, reply_to), f"<@{call.person}> {mrkdwn(call.words)}"
        posted = await self._office.post(Letter(conversation.chat, thread, {"text": text}, f"call/{key}"))
        return self._receipt(str(MessageName(self._me.team_id, posted.channel, posted.ts)))

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """See `Channel.send_file`; the receipt names the file, since the platform does not tell the message."""
        place = (conversation.chat, self._counter.thread_of(conversation, reply_to))
        return self._receipt(await self._files.upload(file, place, journal, key))

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`."""
        return await self._reader.read(message_id)

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`."""
        return await self._files.fetch(handle, max_bytes=max_bytes)

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        await self._signs.react(message_id, reaction, on=on)

    def _thread_for(self, conversation: ConversationRef, reply_to: str | None) -> str | None:
        """Give the thread to write in: a direct chat's own line stays its own."""
        if conversation.thread is not None or is_direct(conversation.chat):
            return conversation.thread
        return ts_of(reply_to)

    def _receipt(self, message_id: str) -> Receipt:
        return Receipt(NAME, self.account, (message_id,), self._clock.now_ms(), "message")
