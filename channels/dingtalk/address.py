"""Where messages of ours can go: a person, a group, or only back into a session.

The platform gives single chats and groups ids of one shape (`cid...`), so that none tells what it is; the chat part of
a conversation says it instead: `user.<staffId>`, `group.<conversationId>`, `guest.<conversationId>`.
Source: openclaw-channel-dingtalk and dingtalk-openclaw-connector #26, #431 (text for a group sent to a person).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from channels.events import ConversationRef

NAME = "dingtalk"
Kind = Literal["user", "group", "guest"]
_KINDS: dict[str, Kind] = {"user": "user", "group": "group", "guest": "guest"}


@dataclass(frozen=True, slots=True)
class Place:
    """`id` is a staff id for a user, the platform's conversation id otherwise.

    A guest is somebody without a staff id, alone with the robot: only the address that came with their message works.
    """

    kind: Kind
    id: str

    @property
    def chat(self) -> str:
        """Give the text form, the chat part of a `ConversationRef`."""
        return f"{self.kind}.{self.id}"

    @property
    def open_space(self) -> str:
        """Give the address a card is delivered to. Source: open.dingtalk.com "create-and-deliver-cards"."""
        return f"dtv1.card//IM_GROUP.{self.id}" if self.kind == "group" else f"dtv1.card//IM_ROBOT.{self.id}"


def parse_place(conversation: ConversationRef) -> Place:
    """Read the chat of a conversation. One without a kind is a person: so other parts address somebody they know."""
    kind, dot, rest = conversation.chat.partition(".")
    if dot and kind in _KINDS:
        return Place(_KINDS[kind], rest)
    return Place("user", conversation.chat)
