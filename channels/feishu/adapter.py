"""One Feishu or Lark app as a `Channel`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from channels.base import CardOpening, ChannelHealth, Examination, Reaction, SentFinal
from channels.capabilities import Capabilities
from channels.cards.model import Call
from channels.cards.ports import CardSink, Journal
from channels.clock import Clock
from channels.connection import ConnectionState, Keeper, KeeperTimes, Link
from channels.errors import Rejected
from channels.events import (
    AttachmentHandle,
    ConversationRef,
    Fetched,
    Inbound,
    InboundHandler,
    OutFile,
    Quote,
    Receipt,
    Toast,
)
from channels.feishu.calls import mention, silent
from channels.feishu.cards import render_card
from channels.feishu.client import Client
from channels.feishu.discovery import discover
from channels.feishu.dispatch import Dispatcher
from channels.feishu.doctor import console_pages, examining
from channels.feishu.errors import MESSAGE_BEING_SENT
from channels.feishu.files import Files
from channels.feishu.finals import Final
from channels.feishu.history import History
from channels.feishu.identity import learn
from channels.feishu.limits import capabilities_of
from channels.feishu.loader import load_frame_class
from channels.feishu.mentions import BotIdentity
from channels.feishu.opening import Counter, Opener
from channels.feishu.outgoing import Outgoing
from channels.feishu.people import with_name
from channels.feishu.post_office import Letter, PostOffice, uuid_of
from channels.feishu.reader import Reader
from channels.feishu.recalls import Recalls
from channels.feishu.settings import FeishuSettings
from channels.feishu.signs import Signs
from channels.feishu.socket import Socket, connect
from channels.feishu.stream import Desk, FeishuSink
from channels.names import Names
from channels.pacing import Pacer
from channels.readable import Json

NAME = "feishu"


class Adapter:
    """See `channels.base.Channel`.

    Example:
        adapter = Adapter(FeishuSettings(id="main", app_id="cli_x", app_secret="..."), clock)
        await adapter.start(handler)
        sink = await adapter.open_card(opening, journal)
        await adapter.stop()
    """

    def __init__(self, settings: FeishuSettings, clock: Clock, *, refresh_s: float = 0.2) -> None:
        self._settings = settings
        self._clock = clock
        self._identity = BotIdentity(NAME, settings.id)
        self._client = Client(settings, clock)
        self._pacer = Pacer(capabilities_of(settings.app_limit), clock, target_s=refresh_s)
        self._office = PostOffice(self._client, self._pacer)
        self._counter = Counter(self._office, History(self._office, settings.app_id), self._identity)
        self._recalls = Recalls()
        self._names = Names(NAME, self._client.user_name, "user.get", self._pacer)
        self._files = Files(self._client, settings.domain)
        self._outgoing = Outgoing(self._office, self._files, self._counter.history, clock)
        self._reader = Reader(self._office, self._files, self._names, self._identity, settings.app_id)
        self._keeper: Keeper | None = None
        self._learning: asyncio.Task[None] | None = None
        self._signs = Signs(self._client, self._pacer)

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
        """See `Channel.health`: ok with a live connection and a known identity."""
        state = self._keeper.state if self._keeper is not None else None
        if state is None or state.code != "live":
            state = state or ConnectionState("stopped")
            return ChannelHealth(False, state.code, state.reason, state.advice, console_pages(self._settings))
        if not self._identity.open_id:
            return ChannelHealth(False, "identity_unknown", "the platform has not told our own id yet")
        return ChannelHealth(True, "ok")

    def examining(self) -> AbstractAsyncContextManager[Sequence[Examination]]:
        """See `Examinable.examining`."""
        return examining(self._settings, self._clock)

    # Life.

    async def start(self, handler: InboundHandler) -> None:
        """See `Channel.start`."""
        self._client.open()

        async def named(inbound: Inbound) -> Toast | None:
            return await handler(with_name(inbound, self._names))

        dispatcher = Dispatcher(self._identity, self._recalls, self._clock, named)
        settings = self._settings
        times = KeeperTimes(
            dial_timeout_s=2 * settings.connect_timeout_s + 2,
            ping_every_s=settings.ping_every_s,
            silence_s=settings.silence_s,
        )
        self._keeper = Keeper(lambda: self._dial(dispatcher), self._clock, name=f"{NAME}:{settings.id}", times=times)
        self._keeper.start()
        self._learning = asyncio.get_running_loop().create_task(learn(self._identity, self._client, self._clock))

    async def stop(self) -> None:
        """See `Channel.stop`."""
        if self._keeper is not None:
            await self._keeper.stop()
        if self._learning is not None:
            self._learning.cancel()
            await asyncio.gather(self._learning, return_exceptions=True)
        await self._names.stop()
        await self._client.close()

    async def _dial(self, dispatcher: Dispatcher) -> Link:
        await asyncio.to_thread(load_frame_class)
        endpoint = await discover(self._client.session, self._settings)
        ws = await connect(self._client.session, endpoint)
        return Socket(ws, endpoint, self._clock, dispatcher.answer, self._settings.silence_s)

    # Cards.

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`."""
        opener = Opener(self._counter, journal, opening)
        sheet, mode = await opener.first(render_card(opening.card)[0])
        sheets = [sheet, *opener.recorded({"cards": [sheet.state()]})[1:]]
        return FeishuSink(self._desk(), opener, sheets, mode)

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`."""
        opener = Opener(self._counter, journal, opening, state.get("root", "open"))
        return FeishuSink(self._desk(), opener, opener.recorded(state), state["mode"])

    def _desk(self) -> Desk:
        return Desk(self._client, self._clock, self._recalls)

    # Messages.

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """See `Channel.send_final`: as cards; what the platform refuses as a card goes as text."""
        return await Final(self._counter, opening, journal, self._clock).send()

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        letter = Letter(conversation, reply_to, "text", {"text": silent(text)}, uuid_of(f"{key}-0"))
        return self._receipt(await self._send(letter))

    async def call(self, conversation: ConversationRef, call: Call, *, reply_to: str | None, key: str) -> Receipt:
        """See `Calling.call`."""
        letter = Letter(conversation, reply_to, "text", {"text": mention(call)}, uuid_of(f"{key}-0"))
        return self._receipt(await self._send(letter))

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """See `Channel.send_file`: a picture up to 10 MB as a picture, all else up to 30 MB as a file."""
        sent = await self._outgoing.send(conversation, file, journal, reply_to=reply_to, key=key)
        return self._receipt([sent] if sent else [])

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`."""
        return await self._reader.read(message_id)

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`."""
        return await self._reader.fetch(handle, max_bytes=max_bytes)

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        await (self._signs.put_on if on else self._signs.take_off)(message_id, reaction)

    async def clear_sign(self, conversation: ConversationRef, message_id: str, reaction: Reaction) -> None:
        """See `SignFinder.clear_sign`."""
        await self._signs.clear(message_id, reaction)

    async def _send(self, letter: Letter) -> list[str]:
        """Send, and give the message's id; none when it was sent before and the platform does not tell which it is."""
        try:
            return [await self._office.send(letter)]
        except Rejected as error:
            if error.code != str(MESSAGE_BEING_SENT):
                raise
            return []

    def _receipt(self, ids: list[str]) -> Receipt:
        return Receipt(NAME, self.account, tuple(ids), self._clock.now_ms(), "message")
