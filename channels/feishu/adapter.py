"""One Feishu or Lark app as a `Channel`."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict

from channels.base import CardOpening, ChannelHealth, Reaction
from channels.capabilities import Capabilities
from channels.cards.model import Card
from channels.cards.ports import CardSink, Journal, Json
from channels.cards.text import plain_messages
from channels.clock import Clock
from channels.connection import Keeper, KeeperTimes, Link
from channels.errors import ChannelError, InvalidCard, TooLong
from channels.events import ConversationRef, InboundHandler, Receipt
from channels.feishu.cards import render_card
from channels.feishu.client import Client
from channels.feishu.discovery import discover
from channels.feishu.dispatch import Dispatcher
from channels.feishu.identity import learn
from channels.feishu.limits import capabilities_of
from channels.feishu.loader import load_frame_class
from channels.feishu.mentions import BotIdentity
from channels.feishu.opening import Opener
from channels.feishu.post_office import PostOffice
from channels.feishu.settings import FeishuSettings
from channels.feishu.socket import Socket, connect
from channels.feishu.stream import LiveCard
from channels.pacing import Pacer

NAME = "feishu"
_SIGNS: dict[Reaction, str] = {"working": "Typing", "queued": "OnIt"}
_SIGNS_KEPT = 1000
_TEXT_BYTES = 100_000
"""Below the platform's 150 KB for a text message. Source: open.feishu.cn "发送消息", read 2026-02."""
_log = logging.getLogger(__name__)


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
        self._office = PostOffice(self._client, self._pacer, clock, settings.app_id)
        self._keeper: Keeper | None = None
        self._learning: asyncio.Task[None] | None = None
        self._signs: OrderedDict[tuple[str, Reaction], str] = OrderedDict()

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
            code = state.code if state is not None else "stopped"
            return ChannelHealth(False, code, state.reason if state is not None else "")
        if not self._identity.open_id:
            return ChannelHealth(False, "identity_unknown", "the platform has not told our own id yet")
        return ChannelHealth(True, "ok")

    # Life.

    async def start(self, handler: InboundHandler) -> None:
        """See `Channel.start`."""
        self._client.open()
        dispatcher = Dispatcher(self._identity, self._clock, handler)
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
        await self._client.close()

    async def _dial(self, dispatcher: Dispatcher) -> Link:
        await asyncio.to_thread(load_frame_class)
        endpoint = await discover(self._client.session, self._settings)
        ws = await connect(self._client.session, endpoint)
        return Socket(ws, endpoint, self._clock, dispatcher.answer, self._settings.silence_s)

    # Cards.

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`."""
        opener = Opener(self._office, journal, opening, self._identity)
        sheet, mode = await opener.first(render_card(opening.card)[0])
        sheets = [sheet, *opener.recorded({"cards": [sheet.state()]})[1:]]
        return LiveCard(self._client, self._clock, opener, sheets, mode)

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`."""
        opener = Opener(self._office, journal, opening, self._identity)
        return LiveCard(self._client, self._clock, opener, opener.recorded(state), state["mode"])

    # Messages.

    async def send_final(self, conversation: ConversationRef, card: Card, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_final`: cards that never change; as plain text where those are refused."""
        try:
            contents = [("interactive", page.native()) for page in render_card(card)]
            ids = await self._send_all(conversation, contents, reply_to, key)
        except (InvalidCard, TooLong) as error:
            _log.warning("feishu_final_as_text", extra={"account": self.account, "code": error.code})
            texts = plain_messages(card, max_bytes=_TEXT_BYTES)
            contents = [("text", {"text": text}) for text in texts]
            ids = await self._send_all(conversation, contents, reply_to, f"{key}-t")
        return self._receipt(ids)

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        return self._receipt(await self._send_all(conversation, [("text", {"text": text})], reply_to, key))

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        try:
            if on:
                await self._pacer.acquire("reaction", urgent=False)
                self._signs[message_id, reaction] = await self._client.add_reaction(message_id, _SIGNS[reaction])
                while len(self._signs) > _SIGNS_KEPT:
                    self._signs.popitem(last=False)
            elif sign := self._signs.pop((message_id, reaction), None):
                await self._pacer.acquire("reaction", urgent=False)
                await self._client.remove_reaction(message_id, sign)
        except ChannelError as error:
            _log.info("feishu_sign_refused", extra={"account": self.account, "code": error.code})

    async def _send_all(
        self, conversation: ConversationRef, contents: list[tuple[str, Json]], reply_to: str | None, key: str
    ) -> tuple[str, ...]:
        ids: list[str] = []
        for number, (kind, content) in enumerate(contents):
            letter = self._office.letter(conversation, reply_to, kind, content, _uuid(key, number))
            ids.append(await letter.send())
        return tuple(ids)

    def _receipt(self, ids: tuple[str, ...]) -> Receipt:
        return Receipt(NAME, self.account, ids, self._clock.now_ms(), "message")


def _uuid(key: str, number: int) -> str:
    """Give a text of at most 50 characters that is the same for the same key."""
    name = f"{key}-{number}"
    return name if len(name) <= 50 else f"h{hashlib.blake2s(name.encode(), digest_size=20).hexdigest()}"
