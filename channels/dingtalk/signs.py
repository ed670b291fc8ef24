"""Our signs on people's messages: the only thing here that shows at once that somebody is at work.

Source: dingtalk-openclaw-connector, openclaw-channel-dingtalk, cc-connect, hermes, read 2026-11-30; the platform's own
pages do not name the call.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from channels.base import Reaction
from channels.dingtalk.address import parse_place
from channels.dingtalk.client import Client
from channels.dingtalk.limits import EMOTION
from channels.dingtalk.sessions import Sessions
from channels.errors import ChannelError, QuotaUsedUp, RateLimited
from channels.events import ConversationRef
from channels.kept import Kept
from channels.pacing import Pacer

_WORDS: Mapping[Reaction, str] = {"working": "🤔思考中", "queued": "⏳排队中"}
_PAUSES_S = (0.0, 0.4, 1.2)
"""A sign races with the message it is put on."""
_KEPT = 5_000
_log = logging.getLogger(__name__)


class Signs:
    """Puts signs on messages of this process: only those tell the platform's id of their conversation."""

    def __init__(self, client: Client, pacer: Pacer, sessions: Sessions) -> None:
        self._client = client
        self._pacer = pacer
        self._sessions = sessions
        self._on: Kept[tuple[str, Reaction], None] = Kept(_KEPT)
        self._tasks: set[asyncio.Task[None]] = set()

    def work(self, conversation: ConversationRef, message_id: str | None, *, on: bool) -> None:
        """Show beside the work that somebody is at it, or no more: where no card shows it."""
        if message_id is not None:
            task = asyncio.get_running_loop().create_task(self.set(conversation, message_id, "working", on=on))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Give up what is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def set(self, conversation: ConversationRef, message_id: str, reaction: Reaction, *, on: bool) -> None:
        """Put a sign on, or take it away where it is on; a refusal is logged and no more."""
        session = self._sessions.of_message(message_id)
        sign: tuple[str, Reaction] = (message_id, reaction)
        place = parse_place(conversation)
        where = session.conversation_id if session else place.id if place.kind == "group" else ""
        # A sign of work may be left from a process that died; "queued" is taken off every message, mostly for nothing.
        is_known = sign in self._on
        if not where or (on == is_known and (on or reaction == "queued")):
            return
        if on:
            self._on[sign] = None
        else:
            self._on.pop(sign, None)
        if not await self._try(message_id, where, _WORDS[reaction], on=on) and on:
            self._on.pop(sign, None)

    async def _try(self, message_id: str, where: str, words: str, *, on: bool) -> bool:
        for pause_s in _PAUSES_S:
            await self._pacer.clock.sleep(pause_s)
            try:
                await self._pacer.acquire(EMOTION, urgent=False)
                await self._client.emotion(message_id, where, words, on=on)
                return True
            except ChannelError as error:
                _log.info("dingtalk_sign_refused", extra={"code": error.code})
                if isinstance(error, RateLimited):
                    self._pacer.refused(EMOTION, error)
                if isinstance(error, RateLimited | QuotaUsedUp):
                    return False
        return False
