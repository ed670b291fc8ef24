"""The one handler of all adapters."""

from __future__ import annotations

from collections.abc import Mapping

from channels.base import Channel
from channels.clock import Clock
from channels.events import CardAction, Inbound, InboundMessage, Toast
from engine.runtime import Runtime
from gateway.access import Access
from gateway.commands import Commands
from gateway.inbound.direct_chats import DirectChats
from gateway.inbound.gate import Gate
from gateway.inbound.happenings import Happenings
from gateway.inbound.message import Messages
from gateway.inbound.notices import Notices
from gateway.inbound.one_by_one import OneByOne
from gateway.inbound.press import Presses
from gateway.inbound.waiting import Waiting
from gateway.metrics import Metrics


class Reception:
    """Stores every inbound once and starts what it asks for.

    Messages older than `late_after_s` are asked about first; 0: none. When `handle` returns, the delivery is stored and
    may be acked. It raises when it could not be stored.
    """

    def __init__(
        self,
        runtime: Runtime,
        access: Access,
        channels: Mapping[tuple[str, str], Channel],
        metrics: Metrics,
        clock: Clock,
        *,
        late_after_s: float = 0.0,
    ) -> None:
        self._metrics = metrics
        self._one_by_one = OneByOne()
        self._gate = Gate()
        self._waiting = Waiting(runtime, clock, late_after_s=late_after_s)
        commands = Commands(runtime, access, clock)
        chats = DirectChats(runtime)
        self._notices = Notices(runtime, channels, clock)
        self._messages = Messages(runtime, access, self._notices, metrics, commands, self._waiting)
        self._presses = Presses(runtime, access, chats)
        self._happenings = Happenings(runtime, access, channels, self._messages, commands, chats)
        self._chats = chats

    async def resume(self) -> None:
        """Take up the messages that an earlier process stored and held; once, before the first delivery.

        Raises:
            StorageError: the database can not be read now.
        """
        await self._waiting.resume()

    async def close(self) -> None:
        """Take no more; what is stored goes on with the next process."""
        await self._notices.close()

    async def handle(self, inbound: Inbound) -> Toast | None:
        """Take one delivery; the toast goes to the person who pressed a button, or typed the platform's own command.

        Raises:
            StorageError: it is not stored; the platform must deliver it again.
            Overloaded: likewise, because too many wait to be stored.
        """
        with self._gate.pass_one():
            return await self._take(inbound)

    async def _take(self, inbound: Inbound) -> Toast | None:
        key = inbound.dedupe
        self._metrics.event(key.channel, key.account, key.kind)
        match inbound:
            case InboundMessage():
                async with self._one_by_one.turn(inbound):
                    toast = await self._messages.take(inbound)
                if inbound.chat_kind == "direct":
                    await self._chats.learn(inbound.conversation, inbound.sender)
                return toast
            case CardAction():
                return await self._presses.take(inbound)
            case _:
                await self._happenings.take(inbound)
                return None
