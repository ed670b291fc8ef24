"""Our signs on people's messages: a courtesy, never an error.

Source: docs.slack.dev reactions.add (`already_reacted`), reactions.remove (`no_reaction`), read 2026-08.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from channels.base import Reaction
from channels.errors import ChannelError, RateLimited
from channels.pacing import Pacer
from channels.slack.client import Client
from channels.slack.identity import MessageName

_EMOJI: Mapping[Reaction, str] = {"working": "eyes", "queued": "hourglass_flowing_sand"}
_FINE = frozenset({"already_reacted", "no_reaction"})
_log = logging.getLogger(__name__)


async def react(client: Client, pacer: Pacer, message_id: str, reaction: Reaction, *, on: bool) -> None:
    """Put a sign on a message or take it away; a refusal is logged and no more."""
    method = "reactions.add" if on else "reactions.remove"
    try:
        name = MessageName.parse(message_id)
        await pacer.acquire(method, urgent=False)
        await client.call(method, {"channel": name.channel, "timestamp": name.ts, "name": _EMOJI[reaction]})
    except ValueError:
        _log.debug("slack_sign_without_message")
    except RateLimited as error:
        pacer.refused(method, error)
    except ChannelError as error:
        if error.code not in _FINE:
            _log.info("slack_sign_refused", extra={"code": error.code})
