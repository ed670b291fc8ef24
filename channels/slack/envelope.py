"""What all events and interactions of the platform share.

Source: docs.slack.dev "Events API" (outer and inner event), "Interaction payloads", read 2026-08.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from channels.events import AttachmentHandle, ConversationRef, DedupeKey, InboundKind, Sender
from channels.readable import Json
from channels.slack.identity import NAME, BotIdentity, MessageName, is_direct
from channels.slack.tokens import NameOf


def named(told: Json, field: str) -> str:
    """Give the id that an object must have there.

    Raises:
        KeyError: there is none.
        ValueError: it is empty, or no text: nobody and nothing may go by the name of such an id.
    """
    value: object = told[field]
    if not isinstance(value, str) or not value:
        raise ValueError(f"{field} is no id")
    return value


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading needs to know of our side."""

    me: BotIdentity
    name_of: NameOf
    now_ms: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event. `team` is the outer one: the inner may name the sender's workspace (Slack Connect)."""

    team: str
    event_id: str
    body: Json
    reading: Reading

    @property
    def me(self) -> BotIdentity:
        """Give who we are."""
        return self.reading.me

    def key(self, kind: InboundKind, key: str = "") -> DedupeKey:
        """Give the key of an event; without `key` the platform's own id of it.

        Raises:
            ValueError: it has none: all such events would be one.
        """
        if not (key or self.event_id):
            raise ValueError("an event without an id")
        return DedupeKey(NAME, self.me.account, kind, key or self.event_id)

    def message_name(self, channel: str, ts: str) -> str:
        """Name a message."""
        return str(MessageName(self.team, channel, ts))

    def conversation(self, channel: str, thread: str | None = None) -> ConversationRef:
        """Give an address in this workspace."""
        return self.me.conversation(self.team, channel, thread)

    def conversation_of(self, message: Json, channel: str) -> ConversationRef:
        """Give where a message lives: its thread; in channels, one that began none begins its own."""
        thread = str(message.get("thread_ts") or "") or None
        if thread is None and not is_direct(channel):
            thread = named(message, "ts")
        return self.conversation(channel, thread)

    def sender(self, message: Json) -> Sender:
        """Read who wrote. A bot without a user has its bot id. Raises like `named`."""
        bot = named(message, "bot_id") if message.get("bot_id") else ""
        user = named(message, "user") if message.get("user") or not bot else ""
        tenant = str(message.get("user_team") or message.get("source_team") or message.get("team") or self.team)
        name = str(message.get("username") or "") if bot else self.reading.name_of(user)
        return Sender(user or bot, tenant, name, is_bot=bool(bot))

    def person(self, user: str) -> Sender:
        """Give who acted, by a user id."""
        return Sender(user, self.team, self.reading.name_of(user))


def attachments_of(message: Json, message_id: str) -> tuple[AttachmentHandle, ...]:
    """Read the files of a message; those that are gone or hidden are left out."""
    files = cast("list[Json]", message.get("files") or [])
    return tuple(_attachment(file, message_id) for file in files if file.get("id") and _is_there(file))


def _is_there(file: Json) -> bool:
    return str(file.get("mode") or "") not in ("tombstone", "hidden_by_limit")


def _attachment(file: Json, message_id: str) -> AttachmentHandle:
    """Read one file: it is fetched by its address, or found by its id where the event does not give one."""
    family = str(file.get("mimetype") or "").partition("/")[0]
    kind = cast("Any", family if family in ("image", "audio", "video") else "file")
    size = file.get("size")
    key = str(file.get("url_private_download") or file.get("url_private") or file["id"])
    return AttachmentHandle(kind, key, message_id, str(file.get("name") or ""), size if isinstance(size, int) else None)
