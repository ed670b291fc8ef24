"""Who we are in the workspace, and how the platform's things are named in ours.

A message is named `team/channel/ts`: a ts alone says nothing without its channel.
Source: docs.slack.dev auth.test, "Event payloads", read 2026-08.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from channels.events import ConversationRef
from channels.readable import Json

NAME = "slack"


@dataclass(slots=True)
class BotIdentity:
    """Our own ids; empty until the platform told them."""

    account: str
    user_id: str = ""
    bot_id: str = ""
    team_id: str = ""
    scopes: frozenset[str] = field(default_factory=frozenset[str])
    """The permissions that the bot's token has."""

    def learn(self, told: Json, scopes: frozenset[str]) -> None:
        """Take over the answer to `auth.test`."""
        self.user_id, self.bot_id = str(told.get("user_id") or ""), str(told.get("bot_id") or "")
        self.team_id, self.scopes = str(told.get("team_id") or ""), scopes

    @property
    def is_known(self) -> bool:
        """Tell whether the platform told us."""
        return bool(self.user_id and self.team_id)

    def is_me(self, user: str, bot: str) -> bool:
        """Tell whether a user id or a bot id is ours."""
        return bool((user and user == self.user_id) or (bot and bot == self.bot_id))

    def conversation(self, team: str, channel: str, thread: str | None = None) -> ConversationRef:
        """Give the address of a channel, or of a thread in it."""
        return ConversationRef(NAME, self.account, team or self.team_id, channel, thread)


@dataclass(frozen=True, slots=True)
class MessageName:
    """Names one message."""

    team: str
    channel: str
    ts: str

    def __str__(self) -> str:
        return f"{self.team}/{self.channel}/{self.ts}"

    @classmethod
    def parse(cls, text: str) -> MessageName:
        """Read the text form back.

        Raises:
            ValueError: it names no message.
        """
        team, _, rest = text.partition("/")
        channel, _, ts = rest.partition("/")
        if not channel or not is_ts(ts):
            raise ValueError(f"not a message: {text!r}")
        return cls(team, channel, ts)


def ts_of(message_id: str | None) -> str | None:
    """Give the ts of a message's id; `None` where it names none."""
    if not message_id:
        return None
    try:
        return MessageName.parse(message_id).ts
    except ValueError:
        return None


def is_ts(text: str) -> bool:
    """Tell whether this is a ts: seconds and microseconds."""
    seconds, dot, micros = text.partition(".")
    return bool(dot) and seconds.isdigit() and micros.isdigit()


def is_direct(channel: str) -> bool:
    """Tell whether a channel is a direct chat with one person, by its id."""
    return channel.startswith("D")


def ms_of_ts(ts: str) -> int:
    """Give the UTC time of a ts in ms; 0 where it is none."""
    if not is_ts(ts):
        return 0
    seconds, _, micros = ts.partition(".")
    return int(seconds) * 1000 + int(micros[:3].ljust(3, "0"))


def ts_of_ms(at_ms: int) -> str:
    """Give a time in UTC ms as a ts."""
    return f"{max(0, at_ms) // 1000}.{max(0, at_ms) % 1000:03d}000"
