"""Finds out our own open id, and goes on asking until the platform tells."""

from __future__ import annotations

import logging

from channels.clock import Clock
from channels.errors import ChannelError
from channels.feishu.client import Client
from channels.feishu.mentions import BotIdentity

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 30.0
_log = logging.getLogger(__name__)


async def learn(identity: BotIdentity, client: Client, clock: Clock) -> None:
    """Return once the id is known; until then nobody can be said to have mentioned us."""
    pause_s = _FIRST_PAUSE_S
    while not identity.open_id:
        try:
            identity.open_id = await client.bot_id()
        except (ChannelError, KeyError, TypeError) as error:
            extra = {"account": identity.account, "code": getattr(error, "code", "malformed")}
            _log.warning("feishu_identity_unknown", extra=extra)
            await clock.sleep(pause_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
