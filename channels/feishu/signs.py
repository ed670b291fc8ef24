"""Our signs on people's messages, and how each is taken away again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from channels.base import Reaction
from channels.errors import ChannelError
from channels.feishu.client import Client
from channels.kept import Kept
from channels.pacing import Pacer

_EMOJI: Mapping[Reaction, str] = {"working": "Typing", "queued": "OnIt"}
_KEPT = 1000
_log = logging.getLogger(__name__)


class Signs:
    """Knows the ids of the signs that this process put on: the platform takes one away by its id only.

    What an earlier process put on has to be looked for.
    """

    def __init__(self, client: Client, pacer: Pacer) -> None:
        self._client = client
        self._pacer = pacer
        self._ids: Kept[tuple[str, Reaction], asyncio.Future[str]] = Kept(_KEPT)
        """Empty: the platform refused it."""

    async def put_on(self, message_id: str, reaction: Reaction) -> None:
        """Set a sign, once; a refusal is logged and no more."""
        key = (message_id, reaction)
        if key in self._ids:
            return
        sign = self._ids[key] = asyncio.get_running_loop().create_future()
        try:
            await self._pacer.acquire("reaction", urgent=False)
            sign.set_result(await self._client.add_reaction(message_id, _EMOJI[reaction]))
        except ChannelError as error:
            self._ids.pop(key, None)
            _log.info("feishu_sign_refused", extra={"code": error.code})
        finally:
            if not sign.done():
                sign.set_result("")

    async def take_off(self, message_id: str, reaction: Reaction) -> None:
        """Take a sign away, also one that is only being set; a refusal is logged and no more."""
        sign = self._ids.pop((message_id, reaction), None)
        if sign is None or not (sign_id := await sign):
            return
        try:
            await self._pacer.acquire("reaction", urgent=False)
            await self._client.remove_reaction(message_id, sign_id)
        except ChannelError as error:
            _log.info("feishu_sign_refused", extra={"code": error.code})

    async def clear(self, message_id: str, reaction: Reaction) -> None:
        """Take a sign away that this process or an earlier one put on; a refusal is logged and no more."""
        if (message_id, reaction) in self._ids:
            await self.take_off(message_id, reaction)
            return
        try:
            await self._pacer.acquire("reaction", urgent=False)
            for sign_id in await self._client.own_reactions(message_id, _EMOJI[reaction]):
                await self._pacer.acquire("reaction", urgent=False)
                await self._client.remove_reaction(message_id, sign_id)
        except ChannelError as error:
            _log.info("feishu_sign_refused", extra={"code": error.code})
