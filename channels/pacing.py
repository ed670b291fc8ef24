"""Sharing an account's write budget between its live cards.

One `Pacer` per account. Previews share what is left after one write per live card and method is kept back, so that the
first, the last, approval and error frames (`urgent`) always find room.
"""

from __future__ import annotations

from channels.capabilities import Capabilities
from channels.clock import Clock
from channels.errors import RateLimited


class CardPace:
    """One live card's part of the account's budget. Used by one writer."""

    async def tick(self) -> None:
        """Wait until this card's next preview is due.

        That is `max(target, card floor, share of the account's budget)` after the last.
        """
        raise NotImplementedError

    async def acquire(self, method: str, *, urgent: bool) -> None:
        """Wait for room for one request, in the card's own window and in the account's; urgent ones go first."""
        raise NotImplementedError

    def leave(self) -> None:
        """Give the part back; safe to call twice."""
        raise NotImplementedError


class Pacer:
    """The write budget of one account."""

    def __init__(self, capabilities: Capabilities, clock: Clock, *, target_s: float = 0.2) -> None:
        self.capabilities = capabilities
        self.clock = clock
        self.target_s = target_s

    def join(self) -> CardPace | None:
        """Reserve room for one more live card; `None` when there is none: the card must open without previews."""
        raise NotImplementedError

    async def acquire(self, method: str, *, urgent: bool = True) -> None:
        """Wait for room for a request that belongs to no live card."""
        raise NotImplementedError

    def refused(self, method: str, error: RateLimited) -> None:
        """Take note of a refusal: wait as told, then go on slower, and recover step by step."""
        raise NotImplementedError
