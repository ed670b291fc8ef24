"""Who may send next: urgent requests in order, then previews in order, each only when its methods have room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

Plan = Callable[[], tuple[str, ...]]
"""Gives the methods that a preview needs now, each once; none when there is nothing to write."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A wish for one request of each of `methods`, all at once or none. It holds nothing while it waits."""

    methods: tuple[str, ...]
    urgent: bool
    plan: Plan | None = None
    """Asked again just before the ticket is granted: what a preview needs may have changed while it waited."""
    probes: set[str] = field(default_factory=set[str])
    """Methods granted over a limit that the platform may or may not count."""
    ready: asyncio.Future[bool] = field(init=False)
    """True: granted. False: given up for something more urgent. Only tickets in a queue have it."""


class Queue:
    """Waiting tickets. A ticket that waits for room keeps its methods for itself: nobody behind it is faster."""

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
        ticket.ready = asyncio.get_running_loop().create_future()
        (self._urgent if ticket.urgent else self._previews).append(ticket)

    def remove(self, ticket: Ticket) -> None:
        """Take a ticket out that nobody waits for any more."""
        line = self._urgent if ticket.urgent else self._previews
        if ticket in line:
            line.remove(ticket)

    def serve(self, admit: Callable[[Ticket, set[str]], float], passable: Callable[[Ticket], bool]) -> float:
        """Grant all that may go now; give the time at which to look again (infinite: when something changes).

        `admit` grants the ticket if none of its methods is kept for a ticket before it and all have room; it gives the
        time at which they may have. A ticket that is `passable` keeps nothing for itself.
        """
        look_again_s = float("inf")
        kept: set[str] = set()
        for line in (self._urgent, self._previews):
            for ticket in tuple(line):
                at_s = float("inf") if ticket.ready.done() else admit(ticket, kept)
                if ticket.ready.done():
                    continue
                look_again_s = min(look_again_s, at_s)
                if not passable(ticket):
                    kept.update(ticket.methods)
            line[:] = [ticket for ticket in line if not ticket.ready.done()]
        return look_again_s
