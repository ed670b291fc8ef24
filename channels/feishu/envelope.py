"""What all events share: who they come from, when, and for which tenant."""

from __future__ import annotations

from dataclasses import dataclass

from channels.events import ConversationRef, DedupeKey, InboundKind, Sender
from channels.feishu.mentions import BotIdentity
from channels.readable import Json

_MICROSECONDS_FROM = 10**14
"""Times above are microseconds: presses are stamped so, messages in milliseconds."""
_SECONDS_BELOW = 10**11
"""Times below are seconds: the menu's are."""


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
class Envelope:
    """One event: its header, its body, and who we are."""

    header: Json
    body: Json
    me: BotIdentity

    @property
    def event_id(self) -> str:
        """Give the platform's id of this event.

        Raises:
            KeyError, ValueError: it has none.
        """
        return named(self.header, "event_id")

    @property
    def tenant(self) -> str:
        """Give the organisation that the event belongs to."""
        return str(self.header.get("tenant_key") or "")

    def key(self, kind: InboundKind, key: str | None = None) -> DedupeKey:
        """Give what makes it unique: `key`, else the event's id."""
        return DedupeKey(self.me.channel, self.me.account, kind, key or self.event_id)

    def conversation(self, chat: str, thread: str | None = None) -> ConversationRef:
        """Give an address of this account; `chat` is a chat's id, or a person's where no chat is known."""
        return ConversationRef(self.me.channel, self.me.account, self.tenant, chat, thread)

    def sender(self, ids: Json, tenant: str = "") -> Sender:
        """Give a person by their ids.

        Raises:
            KeyError, ValueError: there is no open id.
        """
        return Sender(named(ids, "open_id"), tenant or self.tenant)

    def time_ms(self, stamp: object = None) -> int:
        """Give `stamp`, or else the event's own time, in UTC milliseconds."""
        number = int(str(stamp or self.header.get("create_time")))
        if number >= _MICROSECONDS_FROM:
            return number // 1000
        return number * 1000 if number < _SECONDS_BELOW else number
