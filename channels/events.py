"""What a platform tells us, in our own words: the whole inbound vocabulary on one screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Self
from urllib.parse import quote, unquote

ChatKind = Literal["direct", "group", "topic"]
InboundKind = Literal["message", "command", "edit", "recall", "reaction", "menu", "member", "entered", "action"]


@dataclass(frozen=True, slots=True)
class ConversationRef:
    """Where messages live; can be stored as text and used later for pushes.

    Example: `str(ConversationRef("feishu", "main", "t1", "oc_1"))` is `"feishu:main:t1:oc_1"`.
    """

    channel: str
    account: str
    tenant: str
    chat: str
    thread: str | None = None

    def __str__(self) -> str:
        parts = [self.channel, self.account, self.tenant, self.chat]
        if self.thread is not None:
            parts.append(self.thread)
        return ":".join(quote(part, safe="") for part in parts)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form back.

        Raises:
            ValueError: the text has not four or five parts.
        """
        parts = [unquote(part) for part in text.split(":")]
        if len(parts) not in (4, 5):
            raise ValueError(f"not a conversation: {text!r}")
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class DedupeKey:
    """Names one user action; two deliveries of the same action have equal keys, whatever else differs."""

    channel: str
    account: str
    kind: InboundKind
    key: str


@dataclass(frozen=True, slots=True)
class Sender:
    """Who acted, as the platform names them. `tenant` is the sender's own organisation."""

    id: str
    tenant: str
    name: str = ""
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class AttachmentHandle:
    """A file that can still be fetched from the platform; holds no bytes."""

    kind: Literal["image", "file", "audio", "video"]
    key: str
    message_id: str
    name: str = ""
    size_bytes: int | None = None
    transcript: str = ""
    """Of a voice message: its words as the platform heard them; then the file itself need not be fetched."""


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A message of a person. `text` is decoded, the addressing mention removed, other mentions by name."""

    dedupe: DedupeKey
    conversation: ConversationRef
    chat_kind: ChatKind
    message_id: str
    sender: Sender
    text: str
    mentions_me: bool
    created_at_ms: int
    attachments: tuple[AttachmentHandle, ...] = ()
    quoted_message_id: str | None = None
    """The message this one answers or quotes; `Channel.read` gives it."""
    forwards: bool = False
    """The message bundles others, which `Channel.read` gives; then `text` is empty."""
    is_command: bool = False
    """Typed as the platform's own slash command, whose name is taken away: a first word that names one of our commands
    is one without a slash. The handler's `Toast` is shown to the person who typed; there is no message to answer."""
    unsupported: str | None = None
    """The platform's message kind when we cannot read it; then `text` is empty."""
    way_back: str = field(default="", repr=False)
    """What the channel needs to answer it, where that came with the message alone: kept for it, opaque, secret, and
    shown nowhere. `CardOpening.way_back` gives it back, also to the next process."""


@dataclass(frozen=True, slots=True)
class CardAction:
    """A press on a button of one of our cards. `value` is what the button carries (see `cards.model.Action`)."""

    dedupe: DedupeKey
    conversation: ConversationRef
    message_id: str
    sender: Sender
    value: Mapping[str, str]
    created_at_ms: int
    form: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that is no message. `sender` is who did it, `None` where the platform does not tell."""

    dedupe: DedupeKey
    conversation: ConversationRef
    sender: Sender | None
    created_at_ms: int


@dataclass(frozen=True, slots=True)
class Recalled(Happening):
    """A message was taken back, by its writer or by somebody who may."""

    message_id: str


@dataclass(frozen=True, slots=True)
class Edited(Happening):
    """A person changed a message; `text` is the new one, decoded like `InboundMessage.text`."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Reacted(Happening):
    """A person put a sign on a message, or took it away. Never our own signs."""

    message_id: str
    sign: str
    on: bool


@dataclass(frozen=True, slots=True)
class MenuChosen(Happening):
    """A person chose an entry of the bot's menu; `key` is what the operator wrote into the platform's console."""

    key: str


@dataclass(frozen=True, slots=True)
class MembershipChanged(Happening):
    """The bot was put into a group, or out of it."""

    is_in: bool


@dataclass(frozen=True, slots=True)
class ChatEntered(Happening):
    """A person opened the direct chat with the bot; platforms tell this every time."""


@dataclass(frozen=True, slots=True)
class StopPressed(Happening):
    """A person used the platform's own stop: what runs in the conversation for them shall end."""


Notice = Recalled | Edited | Reacted | MenuChosen | MembershipChanged | ChatEntered | StopPressed
Inbound = InboundMessage | CardAction | Notice


@dataclass(frozen=True, slots=True)
class Quote:
    """A message as it can be read later: one that was answered or forwarded. `text` is decoded."""

    message_id: str
    author: str
    """The author's name, or the platform's id where no name is known."""
    text: str
    by_us: bool = False
    attachments: tuple[AttachmentHandle, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file from the platform. `name` is what its sender called it: data, never a path."""

    content: bytes
    name: str
    mime: str


@dataclass(frozen=True, slots=True)
class OutFile:
    """A file or picture to send. `name` is what people see; `mime` decides whether it is shown as a picture."""

    name: str
    mime: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Toast:
    """A short line the platform shows to the person who pressed."""

    tone: Literal["info", "success", "error", "warning"]
    text: str


InboundHandler = Callable[[Inbound], Awaitable[Toast | None]]
"""Called once per delivery. When it returned, the delivery is stored and may be acked; when it raised, it is not."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of a send: what the platform called it and when it said so."""

    channel: str
    account: str
    message_ids: tuple[str, ...]
    at_ms: int
    route: Literal["card", "patch", "message"] = "card"
    """How the person sees it: a streaming card, a card replaced whole, or a plain message."""
