"""Who may send next: urgent requests in order, then previews in order, each only when its methods have room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


def _future() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True, eq=False)
class Ticket:
    """A wish for one request of each of `methods`, all at once."""

    methods: tuple[str, ...]
    urgent: bool
    probes: set[str] = field(default_factory=set[str])
    """Methods granted over a limit that the platform may or may not count."""
    ready: asyncio.Future[None] = field(default_factory=_future)


class Queue:
    """Waiting tickets. A ticket that waits for a method holds that method for itself: nobody behind it is faster."""

    def __init__(self) -> None:
        self._urgent: list[Ticket] = []
        self._previews: list[Ticket] = []

    def __len__(self) -> int:
        return len(self._urgent) + len(self._previews)

    @property
    def urgent(self) -> int:
        """Give how many urgent tickets wait."""
        return len(self._urgent)

    @property
    def previews(self) -> int:
        """Give how many previews wait."""
        return len(self._previews)

    def add(self, ticket: Ticket) -> None:
        """Put a ticket at the end of its line."""
        (self._urgent if ticket.urgent else self._previews).append(ticket)

    def remove(self, ticket: Ticket) -> None:
        """Take a ticket out that nobody waits for any more."""
        for line in (self._urgent, self._previews):
            if ticket in line:
                line.remove(ticket)

    def promote(self, ticket: Ticket) -> None:
        """Move a preview to the urgent line."""
        if not ticket.urgent:
            self.remove(ticket)
            ticket.urgent = True
            self._urgent.append(ticket)

    def serve(self, ready_at: Callable[[Ticket], float], grant: Callable[[Ticket], None], now_s: float) -> float:
        """Grant all that may go now; give the time at which to look again (infinite: when something changes)."""
        look_again_s = float("inf")
        held: set[str] = set()
        for line in (self._urgent, self._previews):
            waiting: list[Ticket] = []
            for ticket in line:
                at_s = float("inf") if not held.isdisjoint(ticket.methods) else ready_at(ticket)
                if at_s <= now_s:
                    grant(ticket)
                    continue
                waiting.append(ticket)
                held.update(ticket.methods)
                look_again_s = min(look_again_s, at_s)
            line[:] = waiting
        return look_again_s
