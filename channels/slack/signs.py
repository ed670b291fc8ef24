"""Our signs on people's messages: a courtesy, never an error.

Source: docs.slack.dev reactions.add (`already_reacted`), reactions.remove (`no_reaction`, tier 2), read 2026-08.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from channels.base import Reaction
from channels.errors import ChannelError, RateLimited
from channels.kept import Kept
from channels.pacing import Pacer
from channels.slack.client import Client
from channels.slack.identity import MessageName, ms_of_ts

_EMOJI: Mapping[Reaction, str] = {"working": "eyes", "queued": "hourglass_flowing_sand"}
_FINE = frozenset({"already_reacted", "no_reaction"})
_KEPT = 2000
_log = logging.getLogger(__name__)


class Signs:
    """Puts signs on and takes away those that are there: its own, and what an earlier process may have left."""

    def __init__(self, client: Client, pacer: Pacer) -> None:
        self._client = client
        self._pacer = pacer
        self._since_ms = pacer.clock.now_ms()
        self._on: Kept[tuple[str, Reaction], None] = Kept(_KEPT)

    async def react(self, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """Put a sign on a message or take it away; a refusal is logged and no more."""
        try:
            name = MessageName.parse(message_id)
        except ValueError:
            _log.debug("slack_sign_without_message")
            return
        key = (message_id, reaction)
        if on:
            self._on[key] = None
        elif key in self._on:
            del self._on[key]
        elif ms_of_ts(name.ts) >= self._since_ms:
            return
        await self._ask("reactions.add" if on else "reactions.remove", name, reaction)

    async def _ask(self, method: str, name: MessageName, reaction: Reaction) -> None:
        try:
            await self._pacer.acquire(method, urgent=False)
            await self._client.call(method, {"channel": name.channel, "timestamp": name.ts, "name": _EMOJI[reaction]})
        except RateLimited as error:
            self._pacer.refused(method, error)
        except ChannelError as error:
            if error.code not in _FINE:
                _log.info("slack_sign_refused", extra={"code": error.code})
