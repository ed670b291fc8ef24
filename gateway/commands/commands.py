"""Carries commands out, each once. They wait for no run: what is stored when `take` returns is done."""

from __future__ import annotations

from collections import OrderedDict

from channels.clock import Clock
from engine.messages import InboxKey
from engine.runtime import Runtime
from gateway.access import Access
from gateway.commands.order import Desk, Order, Reply
from gateway.commands.table import NAMES

_KEPT = 1_000


class Commands:
    """All commands. One that was sent before this process began is not carried out, nor is a late one."""

    def __init__(self, runtime: Runtime, access: Access, clock: Clock) -> None:
        self._runtime = runtime
        self._access = access
        self._clock = clock
        self._since_ms = clock.now_ms()
        self._said: OrderedDict[InboxKey, Reply] = OrderedDict()

    async def take(self, order: Order, *, again: bool = False) -> Reply | None:
        """Carry out one command; `None` when there is nothing to say: a redelivery, or an answer that says it.

        What is stored was carried out, and is not again: hours later it would undo what was done since. `again`: a
        redelivery to the same process is told what came of it, too; where the answer goes back on the delivery itself.

        Raises:
            StorageError: nothing was stored; the platform must deliver it again.
        """
        if await self._runtime.conversations.knows(order.key):
            return self._said.get(order.key) if again else None
        reply = await self._carry_out(order)
        # What spoke to a run, a session or a choice was stored with that; this stores what only asked.
        await self._runtime.conversations.note(order.key, order.to, order.name)
        if again and reply is not None:
            self._remember(order.key, reply)
        return reply

    def _remember(self, key: InboxKey, reply: Reply) -> None:
        self._said[key] = reply
        while len(self._said) > _KEPT:
            self._said.popitem(last=False)

    async def correct(self, order: Order, word: str, *, again: bool = False) -> Reply | None:
        """Tell somebody that there is no command `word`, and that they may mean the order's; nothing is done."""
        is_new = await self._runtime.ignore(order.key, order.to, "unknown_command", {"word": word})
        said = Reply("reply.unknown_command", {"word": word, "nearest": f"/{order.name}"}, tone="warning")
        return said if is_new or again else None

    async def _carry_out(self, order: Order) -> Reply | None:
        row = NAMES[order.name]
        if order.is_late or order.sent_at_ms < self._since_ms:
            await self._runtime.ignore(order.key, order.to, "old_command", {"command": order.name})
            return Reply("notice.old_command", {"command": f"/{order.name}"}, tone="warning")
        if row.who == "admins" and not order.by.is_admin:
            return Reply("reply.for_admins", {"command": f"/{order.name}"}, tone="error")
        return await row.handler(Desk(self._runtime, self._access, self._clock.now_ms()), order)
