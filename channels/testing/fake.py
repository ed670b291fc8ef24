"""A whole channel without a network: its platform is a file, so that killing the process is real."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from channels.base import CardOpening, ChannelHealth, Examination, Finding, Reaction, SentFinal
from channels.capabilities import Capabilities, MethodLimit
from channels.cards.model import Call
from channels.cards.once import send_file_once, send_once
from channels.cards.ports import CardSink, Journal
from channels.cards.text import plain_messages
from channels.clock import Clock
from channels.errors import ChannelError, Rejected, StreamEnded, TooLong
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
from channels.pacing import Pacer
from channels.readable import Json
from channels.testing import picture
from channels.testing.platform import Platform, Rules
from channels.testing.sink import FakeSink, Home, Page, make_page, post
from channels.testing.world import Fact

log = logging.getLogger(__name__)

FAKE_CAPABILITIES = Capabilities(
    can_update_cards=True,
    can_press_buttons=True,
    can_send_files=True,
    stream_life_s=600.0,
    renew_after_s=510.0,
    app_limit="exempt",
    streaming_methods=frozenset({"content", "batch", "settings"}),
    methods={
        name: MethodLimit(50, 1000) for name in ("content", "batch", "patch", "settings", "create", "send", "file")
    },
)
_LOOK_S = 0.05
_INBOUND: TypeAdapter[Inbound] = TypeAdapter(Inbound)


class FakeChannel:
    """One account on the pretended platform. Everything a test asks about it is in `platform.world`."""

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        account: str = "main",
        capabilities: Capabilities = FAKE_CAPABILITIES,
        rules: Rules | None = None,
    ) -> None:
        """Use the platform kept in `path`; several processes may, one after the other or at the same time."""
        self.platform = Platform(path, clock, rules or Rules())
        self._clock = clock
        self._account = account
        self._pacer = Pacer(capabilities, clock)
        self._handler: InboundHandler | None = None
        self._listener: asyncio.Task[None] | None = None
        self._health = ChannelHealth(ok=False, code="connecting")
        self.quotes: dict[str, Sequence[Quote]] = {}
        """What `read` gives, by message id; in this process only."""
        self.files: dict[str, Fetched] = {}
        """What `fetch` gives, by the handle's key; in this process only."""

    @property
    def name(self) -> str:
        """Give `"fake"`."""
        return "fake"

    @property
    def account(self) -> str:
        """Give the account's id."""
        return self._account

    @property
    def capabilities(self) -> Capabilities:
        """Give the limits this fake pretends to have."""
        return self._pacer.capabilities

    @property
    def pacer(self) -> Pacer:
        """Give the account's budget."""
        return self._pacer

    def health(self) -> ChannelHealth:
        """Tell whether it is started."""
        return self._health

    async def start(self, handler: InboundHandler) -> None:
        """Begin to deliver what is in the file and not acked, from any process."""
        self._handler = handler
        self._health = ChannelHealth(ok=True, code="ok")
        self._listener = asyncio.get_running_loop().create_task(self._listen(), name="fake channel")

    @asynccontextmanager
    async def examining(self) -> AsyncGenerator[Sequence[Examination]]:
        """Give one examination, `credentials`: it fails while a fault of the method `token` waits."""
        yield (Examination("credentials", self._examine),)

    async def _examine(self) -> Finding:
        try:
            await self.platform.authenticate()
        except ChannelError as error:
            return Finding("fail", "refused", {"reason": str(error)}, error.advice)
        return Finding("ok", "token_given", {"app": self._account, "elapsed_ms": 0})

    async def stop(self) -> None:
        """Stop delivering."""
        self._health = ChannelHealth(ok=False, code="connecting")
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
            self._listener = None

    def conversation(self, chat: str = "chat1", thread: str | None = None) -> ConversationRef:
        """Give a conversation of this account."""
        return ConversationRef("fake", self._account, "tenant1", chat, thread)

    def post(self, inbound: Inbound) -> int:
        """Let a person do something; the channel delivers it until it is acked. Gives the delivery's number."""
        world = self.platform.world
        with world.locked():
            number = len(world.inbound)
            body: dict[str, Any] = _INBOUND.dump_python(inbound, mode="json")
            world.record({"do": "inbound", "number": number, "account": self._account, "body": body})
        return number

    def fault(self, method: str, error: str, times: int = 1, retry_after_s: float = 1.0) -> None:
        """Let the next `times` calls of `method` fail.

        Errors: rate_app, rate_card, connection_lost, not_dispatched, unknown (not applied), applied_unknown, rejected,
        invalid, too_long, auth, stream_ended.
        """
        fault: Fact = {"do": "fault", "method": method, "error": error, "times": times, "retry_after_s": retry_after_s}
        self.platform.world.tell(fault)

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """See `Channel.open_card`."""
        for method in ("create", "send"):
            await self._pacer.acquire(method, urgent=True)
        home = self._home(opening, journal)
        page = await make_page(home, 1, picture.rest(opening.card))
        return FakeSink(home, [page], opening.attempt)

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """See `Channel.reopen_card`."""
        pages = [Page(card, message) for card, message in state["pages"]]
        return FakeSink(self._home(opening, journal), pages, opening.attempt, state["mode"])

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """See `Channel.send_final`: pages of text, which stay as they are."""
        home = self._home(opening, journal)
        texts = plain_messages(opening.card, max_bytes=self.platform.rules.max_text_bytes)
        ids = [await self._send_page(home, number, text) for number, text in enumerate(texts)]
        return SentFinal(self._receipt(tuple(ids), "message"))

    async def _send_page(self, home: Home, number: int, text: str) -> str:
        async def find(since_ms: int) -> str:
            return self.platform.find(home.conversation, text, home.reply_to, since_ms)

        async def send() -> str:
            await self._pacer.acquire("send", urgent=True)
            await home.journal.guard()
            return await post(home, f"{home.run}-final-{number}", text=text)

        return await send_once(home.journal, number, self._clock.now_ms(), find=find, send=send)

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """See `Channel.send_notice`."""
        await self._pacer.acquire("send", urgent=True)
        message = await self.platform.send(str(conversation), key, reply_to, text=text)
        return self._receipt((message,), "message")

    async def call(self, conversation: ConversationRef, call: Call, *, reply_to: str | None, key: str) -> Receipt:
        """See `Calling.call`."""
        await self._pacer.acquire("send", urgent=True)
        message = await self.platform.send(str(conversation), key, reply_to, text=f"@{call.person} {call.words}")
        return self._receipt((message,), "message")

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """See `Channel.send_file`."""
        platform, place = self.platform, str(conversation)

        async def find(since_ms: int) -> str:
            return platform.find_file(place, file, reply_to, since_ms)

        async def send() -> str:
            await self._pacer.acquire("file", urgent=True)
            await journal.guard()
            try:
                return await platform.send_file(place, key, reply_to, file)
            except StreamEnded:
                return await platform.send_file(place, key, None, file)

        sent = await send_file_once(journal, key, self._clock.now_ms(), find=find, send=send)
        return self._receipt((sent,), "message")

    async def read(self, message_id: str) -> Sequence[Quote]:
        """Give what a test put into `quotes`."""
        if message_id not in self.quotes:
            raise Rejected(f"no such message: {message_id}", code="no_such_message")
        return self.quotes[message_id]

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """Give what a test put into `files`."""
        file = self.files.get(handle.key)
        if file is None:
            raise Rejected(f"no such file: {handle.key}", code="no_such_file")
        if len(file.content) > max_bytes:
            raise TooLong(f"more than {max_bytes} bytes")
        return file

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """See `Channel.react`."""
        try:
            await self.platform.react(message_id, reaction, on=on)
        except ChannelError:
            return

    def visible(self, conversation: ConversationRef) -> list[str]:
        """Give every message of the conversation as its reader sees it now, in order."""
        world = self.platform.world
        world.refresh()
        place = str(conversation)
        return [
            self._shown(message.card, message.text)
            for message in world.messages.values()
            if message.conversation == place
        ]

    def _shown(self, card: str | None, text: str) -> str:
        if card is None:
            return text
        entity = self.platform.world.cards[card]
        if entity.gone:
            return ""
        return "\n".join(part for part in (entity.rest, entity.content) if part)

    def _home(self, opening: CardOpening, journal: Journal) -> Home:
        return Home(self.platform, journal, str(opening.conversation), opening.run, opening.reply_to, self._receipt)

    def _receipt(self, ids: tuple[str, ...], route: Literal["card", "patch", "message"]) -> Receipt:
        return Receipt("fake", self._account, ids, self._clock.now_ms(), route)

    async def _listen(self) -> None:
        world = self.platform.world
        handling: dict[int, asyncio.Task[None]] = {}
        while True:
            world.refresh()
            for fact in world.inbound:
                number = int(fact["number"])
                if fact["account"] == self._account and number not in world.acked and number not in handling:
                    handling[number] = asyncio.create_task(self._deliver(fact), name="fake delivery")
            handling = {number: task for number, task in handling.items() if not task.done()}
            await self._clock.sleep(_LOOK_S)

    async def _deliver(self, fact: Fact) -> None:
        if self._handler is None:
            return
        try:
            toast: Toast | None = await self._handler(_INBOUND.validate_python(fact["body"]))
        except Exception:
            log.exception("fake.not_acked", extra={"channel": self.name, "account": self._account})
            return
        ack: Fact = {"do": "ack", "number": fact["number"]}
        if toast is not None:
            ack["toast"] = {"tone": toast.tone, "text": toast.text}
        self.platform.world.tell(ack)
