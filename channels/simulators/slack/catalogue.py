"""The methods: which tier, which token, which scopes.

Source: docs.slack.dev reference pages of each method, read 2026-08.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Token = Literal["bot", "app", "any"]
Tier = Literal[1, 2, 3, 4, "special"]

GRANTED = (
    "app_mentions:read", "assistant:write", "chat:write", "commands", "im:history", "im:read", "im:write",
    "channels:history", "channels:read", "groups:history", "groups:read", "mpim:history", "mpim:read",
    "reactions:read", "reactions:write", "files:read", "files:write", "users:read",
)  # fmt: skip
"""What every app here was granted at installation, less `Options.withheld_scopes`."""


@dataclass(frozen=True)
class Method:
    """What a method asks; `{kind}` in a scope stands for the chat's kind: channels, groups, im."""

    tier: Tier
    scope: str = ""
    token: Token = "bot"


METHODS = {
    "api.test": Method(4, token="any"),
    "auth.test": Method("special", token="any"),
    "apps.connections.open": Method(3, "connections:write", "app"),
    "chat.postMessage": Method("special", "chat:write"),
    "chat.update": Method(3, "chat:write"),
    "chat.delete": Method(3, "chat:write"),
    "chat.postEphemeral": Method(4, "chat:write"),
    "chat.startStream": Method(2, "chat:write"),
    "chat.appendStream": Method(4, "chat:write"),
    "chat.stopStream": Method(2, "chat:write"),
    "chat.getPermalink": Method("special"),
    "reactions.add": Method(3, "reactions:write"),
    "reactions.remove": Method(2, "reactions:write"),
    "conversations.info": Method(3, "{kind}:read"),
    "conversations.members": Method(4, "{kind}:read"),
    "conversations.history": Method(3, "{kind}:history"),
    "conversations.replies": Method(3, "{kind}:history"),
    "conversations.open": Method(3, "im:write"),
    "users.info": Method(4, "users:read"),
    "bots.info": Method(3, "users:read"),
    "files.getUploadURLExternal": Method(4, "files:write"),
    "files.completeUploadExternal": Method(4, "files:write"),
    "files.info": Method(4, "files:read"),
    "assistant.threads.setStatus": Method("special", "chat:write"),
    "assistant.threads.setTitle": Method(4, "assistant:write"),
    "assistant.threads.setSuggestedPrompts": Method(4, "assistant:write"),
    "agents.sessions.setStatus": Method(3, "chat:write"),
    "agents.sessions.rename": Method(3, "chat:write"),
    "views.open": Method(4),
}

EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.im": "im:history",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
}
"""Without the scope the event does not come, whatever the manifest subscribes to."""

KINDS = {"im": "im", "channel": "channels", "group": "groups"}
"""The word of a chat's type in scopes and in the names of message events (`message.im`, `message.channels`)."""
