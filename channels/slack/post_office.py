"""Requests that belong to no live card: paced, insisted on for a while; a message that may be there is looked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from channels.cards.ports import WriteGuard, unguarded
from channels.clock import Clock
from channels.errors import ChannelError, DeliveryUnknown
from channels.kept import Kept
from channels.pacing import Pacer, insist
from channels.readable import Json
from channels.slack.client import Client
from channels.slack.history import History, is_anchor_gone, metadata_of
from channels.slack.identity import BotIdentity

T = TypeVar("T")

POST = "chat.postMessage"
_KEPT = 2000


@dataclass(slots=True)
class Letter:
    """One message to send. `key` names it among all of ours; `content` is what makes it up (`text`, `blocks`)."""

    channel: str
    thread: str | None
    content: Json
    key: str
    guard: WriteGuard = unguarded
    """Asked directly before each request."""
    maybe_sent_ms: int | None = None
    """An earlier try, begun then (UTC ms), may have arrived without our knowing."""


@dataclass(frozen=True, slots=True)
class Posted:
    """Where a message is."""

    channel: str
    ts: str
    is_new: bool = False
    """Sent by this very request, with this very content."""


class PostOffice:
    """Posts for one account. A key that was posted by this process is not posted again."""

    def __init__(self, client: Client, pacer: Pacer, clock: Clock, me: BotIdentity) -> None:
        self.client = client
        self.pacer = pacer
        self.clock = clock
        self.history = History(client, self.insist, me)
        self._posted: Kept[str, Posted] = Kept(_KEPT)
        self._unsure: Kept[str, int] = Kept(_KEPT)
        """Keys of messages that may have been sent, and since when (UTC ms)."""

    async def insist(self, method: str, work: Callable[[], Awaitable[T]]) -> T:
        """See `channels.pacing.insist`."""
        return await insist(self.pacer, method, work)

    async def post(self, letter: Letter, *, insist: bool = True) -> Posted:
        """Send a message once; where what it answers is gone, to the conversation instead.

        `insist` false: one try, for a caller that has room for it and tries again by itself.

        Raises:
            ChannelError: refused, or still unknown after several tries.
        """
        known = self._posted.get(letter.key)
        if known is not None:
            return known
        posted = await (self.insist(POST, lambda: self._try(letter)) if insist else self._try(letter))
        self._posted[letter.key] = replace(posted, is_new=False)
        self._unsure.pop(letter.key, None)
        return posted

    async def _try(self, letter: Letter) -> Posted:
        since_ms = letter.maybe_sent_ms if letter.maybe_sent_ms is not None else self._unsure.get(letter.key)
        if since_ms is not None:
            found = await self.history.find(letter.channel, letter.thread, letter.key, since_ms)
            if found:
                return Posted(letter.channel, found)
        try:
            return await self._send(letter)
        except ChannelError as error:
            if letter.thread is None or not is_anchor_gone(error):
                raise
        letter.thread = None
        return await self._send(letter)

    async def _send(self, letter: Letter) -> Posted:
        await self.pacer.turn(POST, letter.channel)
        await letter.guard()
        body: Json = {"channel": letter.channel, "thread_ts": letter.thread, "metadata": metadata_of(letter.key)}
        body |= {"unfurl_links": False, "unfurl_media": False, **letter.content}
        began_ms = self.clock.now_ms()
        try:
            answer = await self.client.call(POST, body)
        except (DeliveryUnknown, asyncio.CancelledError):
            self._unsure[letter.key] = self._unsure.get(letter.key, began_ms)
            raise
        return Posted(str(answer.get("channel") or letter.channel), str(answer["ts"]), is_new=True)
