"""One DingTalk app as a `Channel`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from channels.base import CardOpening, ChannelHealth, Examination, Reaction, SentFinal
from channels.capabilities import Capabilities
from channels.cards.ports import CardSink, Journal
from channels.clock import Clock
from channels.connection import ConnectionState, Keeper, KeeperTimes, Link
from channels.dingtalk.address import NAME, parse_place
from channels.dingtalk.cards import Pages
from channels.dingtalk.client import Client
from channels.dingtalk.dispatch import Desk, Dispatcher
from channels.dingtalk.doctor import CONSOLE, examining
from channels.dingtalk.endpoint import find_endpoint
from channels.dingtalk.files import Files
from channels.dingtalk.finals import Final
from channels.dingtalk.limits import capabilities_of
from channels.dingtalk.opening import Counter, Opener
from channels.dingtalk.plain import PlainSink
from channels.dingtalk.post_office import Letter, PostOffice
from channels.dingtalk.sessions import Sessions
from channels.dingtalk.settings import DingtalkSettings
from channels.dingtalk.sheet import Sheet, sheet_of
from channels.dingtalk.shown import ShownCards
from channels.dingtalk.signs import Signs
from channels.dingtalk.socket import Pulse, Socket, connect
from channels.dingtalk.stream import DingtalkSink
from channels.dingtalk.template import template_of
from channels.dingtalk.text_place import TextPlace
from channels.errors import MissingScope, NotSupported, QuotaUsedUp, Rejected
from channels.events import AttachmentHandle, ConversationRef, Fetched, InboundHandler, OutFile, Quote, Receipt
from channels.pacing import Pacer
from channels.readable import Json


class Adapter:
    """See `channels.base.Channel`.

    Example:
        adapter = Adapter(DingtalkSettings(id="main", client_id="dingx", client_secret="..."), clock)
        await adapter.start(handler)
        sink = await adapter.open_card(opening, journal)
        await adapter.stop()
    """

    def __init__(self, settings: DingtalkSettings, clock: Clock, *, refresh_s: float = 0.2) -> None:
        self._settings = settings
        self._clock = clock
        self._client = Client(settings, clock)
        self._pacer = Pacer(capabilities_of(settings), clock, target_s=refresh_s)
        self._sessions = Sessions(clock)
        self._shown = ShownCards()
        self._office = PostOffice(self._client, self._pacer, self._sessions)
        self._files = Files(self._client, self._office, settings.id)
        self._signs = Signs(self._client, self._pacer, self._sessions)
        template = template_of(settings)
        place = TextPlace(self._client, clock, template.content)
        self._counter = Counter(
            self._client, self._pacer, clock, template, place, self._shown, settings.id, settings.robot
        )
        self._keeper: Keeper | None = None
        self._over_quota = ""

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
        """See `Channel.health`: ok with a live connection over which messages come."""
        state = self._keeper.state if self._keeper is not None else ConnectionState("stopped")
        if state.code != "live":
            return ChannelHealth(False, state.code, state.reason, state.advice, CONSOLE)
        if self._over_quota:
            return ChannelHealth(False, "quota_used_up", self._over_quota, "quota_used_up")
        return ChannelHealth(True, "ok")

    def examining(self) -> AbstractAsyncContextManager[Sequence[Examination]]:
        """See `Examinable.examining`."""
        return examining(self._settings, self._clock)

    # Life.

    async def start(self, handler: InboundHandler) -> None:
        """See `Channel.start`."""
        self._client.open()
        desk = Desk(self.account, self._counter.template, self._sessions, self._shown, self._note_quota)
        dispatcher = Dispatcher(desk, self._clock, handler)
        settings = self._settings
        times = KeeperTimes(
            dial_timeout_s=2 * settings.connect_timeout_s + 2,
            ping_every_s=settings.ping_every_s,
            silence_s=settings.silence_s,
        )

        pulse = Pulse()

        async def dial() -> Link:
            ws = await connect(self._client.session, await find_endpoint(self._client.session, settings))
            return Socket(ws, self._clock, dispatcher.answer, pulse, settings.quiet_s)

        self._keeper = Keeper(dial, self._clock, name=f"{NAME}:{settings.id}", times=times)
        self._keeper.start()

    async def stop(self) -> None:
        """See `Channel.stop`."""
        if self._keeper is not None:
            await self._keeper.stop()
        await self._signs.stop()
        await self._client.close()

    def _note_quota(self, words: str) -> None:
        self._over_quota = words

    # Cards.

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`. Where no card is taken, only short messages go out while the run works."""
        self._sessions.take_up(opening.way_back)
        if not self._counter.has_cards or parse_place(opening.conversation).kind == "guest":
            return self._working(opening, journal)
        opener = Opener(self._counter, journal, opening)
        try:
            first = await self._first(opener)
        except (Rejected, MissingScope, QuotaUsedUp):
            return self._working(opening, journal)
        return DingtalkSink(opener, [first, *opener.recorded()[1:]])

    async def _first(self, opener: Opener) -> Sheet:
        page = Pages().of(opener.opening.card, opener.face)[0]
        try:
            return await opener.put_up(0, page, paced=False)
        except Rejected:
            if opener.is_private:
                raise
            return await opener.put_up(0, Pages().of(opener.opening.card, opener.face)[0], paced=False)

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`."""
        self._sessions.take_up(opening.way_back)
        if state.get("mode") == "plain":
            return self._plain(opening, journal)
        opener = Opener(self._counter, journal, opening, state.get("root", "open"))
        sheets = [sheet_of(each) for each in state["cards"]]
        return DingtalkSink(opener, [*sheets, *opener.recorded()[len(sheets) :]], state["mode"])

    def _working(self, opening: CardOpening, journal: Journal) -> PlainSink:
        self._signs.work(opening.conversation, opening.reply_to, on=True)
        return self._plain(opening, journal)

    def _plain(self, opening: CardOpening, journal: Journal) -> PlainSink:
        return PlainSink(self._office, opening, journal, self._clock, self.account)

    # Messages.

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """See `Channel.send_final`: as finished cards; without a template, or where none is taken, as markdown."""
        self._sessions.take_up(opening.way_back)
        sent = await Final(self._counter, self._office, opening, journal).send()
        if sent.state is None:
            self._signs.work(opening.conversation, opening.reply_to, on=False)
        return sent

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        sent = await self._office.send_once(f"notice/{key}", Letter(conversation, reply_to, text))
        return Receipt(NAME, self.account, (sent,), self._clock.now_ms(), "message")

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """Send a file or a picture as a message of its own; nothing here can answer a message with one.

        Raises:
            NotSupported: a type of file that the platform does not take, or nobody it could go to.
            ChannelError: it was not, or perhaps not, sent.
        """
        return await self._files.send(conversation, file, journal, key=key)

    async def read(self, message_id: str) -> Sequence[Quote]:
        """See `Channel.read`: only what came with a message that quoted it is known."""
        quoted = self._sessions.quote(message_id)
        if quoted is None:
            raise NotSupported("reading a message again")
        return quoted

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """See `Channel.fetch`."""
        return await self._files.fetch(handle, max_bytes=max_bytes)

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        await self._signs.set(conversation, message_id, reaction, on=on)
