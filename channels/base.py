"""What an adapter implements; the rest of the product knows a platform only through this."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from channels.capabilities import Capabilities
from channels.cards.model import Call, Card
from channels.cards.ports import CardSink, Journal
from channels.events import AttachmentHandle, ConversationRef, Fetched, InboundHandler, OutFile, Quote, Receipt
from channels.pacing import Pacer
from channels.readable import Json


@dataclass(frozen=True, slots=True)
class ChannelHealth:
    """`code` is stable text (`"ok"`, `"connecting"`, `"auth_failed"`, `"identity_unknown"`), `reason` for people.

    `advice` names what to do where that is more than the code says; `params` fill in its words.
    """

    ok: bool
    code: str
    reason: str = ""
    advice: str = ""
    params: Mapping[str, str] = field(default_factory=dict[str, str])


Verdict = Literal["ok", "warn", "fail", "skipped"]
"""skipped: not asked, or not to be known from here."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an examination found. `code` names the evidence, `advice` what to do; `params` fill in the words of both."""

    verdict: Verdict
    code: str
    params: Mapping[str, object] = field(default_factory=dict[str, object])
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """One question put to the platform; changes nothing that anybody sees. `name` is stable text."""

    name: str
    examine: Callable[[], Awaitable[Finding]]


@runtime_checkable
class Examinable(Protocol):
    """A channel that can tell by itself what is wrong with its account; for `niuma doctor`."""

    def examining(self) -> AbstractAsyncContextManager[Sequence[Examination]]:
        """Open what the questions need and give them, in the order to show them.

        Independent of `start`: takes no message away from a gateway that runs. The examinations may run at once, and
        never raise for a platform that is away or refuses us.
        """
        ...


@dataclass(frozen=True, slots=True)
class CardOpening:
    """All an adapter needs to open a card, now or again after a crash."""

    conversation: ConversationRef
    run: str
    attempt: int
    """Rises with every owner of the run; write sequences start at `attempt * 100_000`."""
    reply_to: str | None
    """Id of the message that is answered; `None` for a push."""
    card: Card
    """First snapshot; a new card already shows it."""
    way_back: str = field(default="", repr=False)
    """What came with the message that is answered; see `InboundMessage.way_back`."""


@dataclass(frozen=True, slots=True)
class SentFinal:
    """A finished card that was sent as a new message."""

    receipt: Receipt
    state: Json | None = None
    """What `Channel.reopen_card` takes to change it later; `None`: it stays as it is, and has no buttons."""


@runtime_checkable
class Calling(Protocol):
    """A channel that can ring a person's phone beside a card that changes in silence."""

    async def call(self, conversation: ConversationRef, call: Call, *, reply_to: str | None, key: str) -> Receipt:
        """Send one short line that mentions this person, by id; the same `key` is one line.

        Raises:
            NotSupported: the id names no single person.
            ChannelError: it was not, or perhaps not, sent.
        """
        ...


Reaction = Literal["working", "queued"]


@runtime_checkable
class SignFinder(Protocol):
    """A channel that must look for a sign before it can take it away, when another process of ours set it."""

    async def clear_sign(self, conversation: ConversationRef, message_id: str, reaction: Reaction) -> None:
        """Take a sign of ours away, whoever of us set it; costs a request also where there is none.

        Never raises for a platform that refuses.
        """
        ...


class Channel(Protocol):
    """One account on one platform.

    Life: `start` once, then everything else, `stop` once. `start` returns when connecting has begun and never
    raises for a platform that is away or refuses us: `health` tells, and the adapter goes on trying.
    """

    @property
    def name(self) -> str:
        """Give the platform's name, the first part of a `ConversationRef`."""
        ...

    @property
    def account(self) -> str:
        """Give the account's id from the settings."""
        ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def pacer(self) -> Pacer:
        """Give the account's one budget; every request of this account is taken from it."""
        ...

    def health(self) -> ChannelHealth: ...

    async def start(self, handler: InboundHandler) -> None:
        """Connect and deliver every inbound to `handler`; ack a delivery only after `handler` returned."""
        ...

    async def stop(self) -> None:
        """Disconnect cleanly and release everything. Deliveries not yet acked stay with the platform."""
        ...

    async def open_card(self, opening: CardOpening, journal: Journal) -> CardSink:
        """Put a card into the conversation, or find the one an earlier attempt put there.

        Every platform call that creates something is its own journal step under `open/`, keyed by the run's id.

        Raises:
            ChannelError: no card can be opened now.
        """
        ...

    def reopen_card(self, opening: CardOpening, state: Json, journal: Journal) -> CardSink:
        """Take up a card from `CardSink.state()`; sends nothing."""
        ...

    async def send_final(self, opening: CardOpening, journal: Journal) -> SentFinal:
        """Show a finished card, `opening.card`, as a new message, by the plainest way that works.

        Every page is its own journal step, `final/send/<n>`. A page that was begun and not recorded is looked for
        before it is sent again, however long ago that was. What can not be changed later has no buttons. Where the
        message that is answered is gone, it goes to the conversation.

        Raises:
            ChannelError: it was not, or perhaps not, sent; or that cannot be found out now.
        """
        ...

    async def send_notice(self, conversation: ConversationRef, text: str, *, reply_to: str | None, key: str) -> Receipt:
        """Send one short line of plain text. Raises like `send_final`."""
        ...

    async def send_file(
        self, conversation: ConversationRef, file: OutFile, journal: Journal, *, reply_to: str | None, key: str
    ) -> Receipt:
        """Send a picture or a file as a message of its own; the same `key` of an account is one file, sent once.

        That it was sent is the journal step `file/<key>`; further steps lie below it. A send that was begun and not
        recorded is looked for, where the platform can tell, before it is repeated. Where the message that is answered
        is gone, it goes to the conversation. Needs `Capabilities.can_send_files`.

        Raises:
            TooLong: it has more bytes than the platform takes.
            NotSupported: the platform, or this conversation, takes no files.
            Rejected: it is empty, or refused for good.
            ChannelError: it was not, or perhaps not, sent; or that cannot be found out now.
        """
        ...

    async def read(self, message_id: str) -> Sequence[Quote]:
        """Read a message again: itself, or for one that bundles others those others, in order.

        Raises:
            ChannelError: it is gone, or the app may not read it.
            NotSupported: the platform has no such call.
        """
        ...

    async def fetch(self, handle: AttachmentHandle, *, max_bytes: int) -> Fetched:
        """Fetch a file that came with a message.

        Raises:
            TooLong: it has more than `max_bytes`.
            ChannelError: it is gone, or the app may not read it.
        """
        ...

    async def react(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """Set or take away a sign on a person's message.

        Never raises for a platform that refuses: a sign is a courtesy.
        """
        ...
