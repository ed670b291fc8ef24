"""Carries commands out, each once. They wait for no run: what is stored when `take` returns is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from engine.messages import Address, InboxKey, Principal, RunInput
from engine.runtime import Runtime
from gateway.commands.command import Command


@dataclass(frozen=True, slots=True)
class Order:
    """A command as somebody gave it. `question` is what they ask with it, if they do."""

    command: Command
    key: InboxKey
    to: Address
    by: Principal
    sent_at_ms: int
    is_late: bool = False
    """It came so late that a message like it would be asked about first."""
    question: RunInput | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What to tell the person: a key of `texts` and what to fill in."""

    key: str
    params: Mapping[str, str] = field(default_factory=dict[str, str])


class Commands:
    """All commands. `since_ms` is when this process began: an older command is not carried out, nor is a late one."""

    def __init__(self, runtime: Runtime, *, since_ms: int) -> None:
        self._runtime = runtime
        self._since_ms = since_ms

    async def take(self, order: Order) -> Reply | None:
        """Carry out one command; `None` when there is nothing to say: a redelivery, or an answer that says it.

        Raises:
            StorageError: nothing was stored; the platform must deliver it again.
        """
        if order.is_late or order.sent_at_ms < self._since_ms:
            return await self._too_old(order)
        match order.command.name:
            case "new":
                return await self._new(order)
            case _:
                assert_never(order.command.name)

    async def _new(self, order: Order) -> Reply | None:
        renewed = await self._runtime.new_session(order.key, order.to, order.by, question=order.question)
        if renewed.duplicate or renewed.run is not None:
            return None
        return Reply("notice.new_session")

    async def _too_old(self, order: Order) -> Reply | None:
        name = order.command.name
        is_new = await self._runtime.ignore(order.key, order.to, "old_command", {"command": name})
        return Reply("notice.old_command", {"command": f"/{name}"}) if is_new else None
