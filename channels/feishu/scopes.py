"""Which permissions our calls need, found out by calls that aim at nothing.

The platform checks permissions before it looks for the message, chat or person, so a call for one that does not exist
tells whether it would be allowed, and has no effect.

Source: open.feishu.cn pages of im-v1 and contact-v3, read 2026-02; a refusal names the permissions in its text, one of
which is enough: m1heng/clawdbot-feishu#149, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from channels.errors import (
    AuthFailed,
    ChannelError,
    ConnectionLost,
    DeliveryUnknown,
    MissingScope,
    NotConnected,
    NotDispatched,
    RateLimited,
)
from channels.feishu.client import Client

SCOPE_OF_CARDS = "cardkit:card:write"
SCOPES_TO_RECEIVE = ("im:message.group_at_msg:readonly", "im:message.p2p_msg:readonly")
"""What decides which messages arrive; no call asks for them, so nothing tells when they are missing."""
_MESSAGES = "im:message"
_IM = "/open-apis/im/v1/messages"
_NOBODY = "niuma_doctor"
_UNANSWERED = (AuthFailed, ConnectionLost, DeliveryUnknown, NotConnected, NotDispatched, RateLimited)


@dataclass(frozen=True, slots=True)
class Probe:
    """One kind of call. `scope` is the permission to grant when the platform does not name one."""

    scope: str
    verb: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    needed: bool = True
    """Without it answers do not work; else only a courtesy is lost."""


PROBES = (
    Probe(
        _MESSAGES,
        "POST",
        _IM,
        {"receive_id": f"oc_{_NOBODY}", "msg_type": "text", "content": '{"text":"niuma doctor"}'},
        {"receive_id_type": "chat_id"},
    ),
    Probe(_MESSAGES, "PATCH", f"{_IM}/om_{_NOBODY}", {"content": "{}"}),
    Probe(_MESSAGES, "GET", _IM, query={"container_id_type": "chat", "container_id": f"oc_{_NOBODY}"}),
    Probe(
        _MESSAGES, "POST", f"{_IM}/om_{_NOBODY}/reactions", {"reaction_type": {"emoji_type": "Typing"}}, needed=False
    ),
    Probe(_MESSAGES, "GET", f"{_IM}/om_{_NOBODY}/resources/{_NOBODY}", query={"type": "file"}, needed=False),
    Probe(
        "contact:user.base:readonly",
        "GET",
        f"/open-apis/contact/v3/users/ou_{_NOBODY}",
        query={"user_id_type": "open_id"},
        needed=False,
    ),
)


async def lack_of(client: Client, probe: Probe) -> str:
    """Give the permission that a call lacks; empty when it is allowed.

    Raises:
        ChannelError: the platform was not reached, or did not look at the call.
    """
    try:
        await client.call(probe.verb, probe.path, body=probe.body, query=probe.query or None)
    except MissingScope as error:
        return named(error, probe.scope)
    except _UNANSWERED:
        raise
    except ChannelError:
        return ""  # refused for aiming at nothing: that is the expected answer
    return ""


def named(error: MissingScope, ours: str) -> str:
    """Give the permission to grant: ours when the platform takes it or names none, else the first it names."""
    return ours if ours in error.any_of or not error.any_of else error.any_of[0]
