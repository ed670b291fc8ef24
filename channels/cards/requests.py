"""The requests of one card: paced, guarded, and every refusal sorted into what to do next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import Enum, auto

from channels.cards.ports import CardSink, Write, WriteGuard
from channels.errors import Busy, ChannelError, QuotaUsedUp, RateLimited, Rejected, StreamEnded
from channels.pacing import CardPace, Pacer

log = logging.getLogger(__name__)


class Sent(Enum):
    """What became of a request."""

    ACCEPTED = auto()
    OVERTAKEN = auto()
    """Not sent: something more urgent came up while it waited for its turn."""
    SLOWED = auto()
    """Refused for pace; the pacer knows when to go on."""
    AGAIN = auto()
    """Lost, or the platform stumbled: plan again after a short wait."""
    REFUSED = auto()
    """Read and refused: this content will never be taken."""
    ENDED = auto()
    """The card takes no more writes of this kind."""


class Requests:
    """Sends what was planned for one card. Keeps the last error and logs each kind of refusal once."""

    def __init__(self, sink: CardSink, pacer: Pacer, guard: WriteGuard, tags: Mapping[str, str]) -> None:
        self._sink = sink
        self._pacer = pacer
        self._guard = guard
        self._tags = dict(tags)
        self._logged: set[tuple[str, str]] = set()
        self.pace: CardPace | None = pacer.join()
        """`None`: the account has no room for previews of this card."""
        self.error: ChannelError | None = None
        """The last refusal."""
        self.refused = 0

    async def send(self, write: Write, *, overtaken: Callable[[], bool]) -> Sent:
        """Wait for the turn, prove ownership, send. What no tick promised is urgent.

        Raises:
            asyncio.CancelledError: the run is not ours any more.
        """
        if overtaken():
            return Sent.OVERTAKEN
        pace, accepted = self.pace, False
        if pace is None:
            await self._pacer.acquire(write.method)
        else:
            await pace.acquire(write.method)
        try:
            if overtaken():
                return Sent.OVERTAKEN
            await self._guard()
            await self._sink.send(write)
            accepted = True
            return Sent.ACCEPTED
        except ChannelError as error:
            return self._sort(write, error)
        finally:
            if pace is not None:
                pace.settled(write.method, accepted=accepted)

    def leave(self) -> None:
        """Give the card's part of the budget back."""
        if self.pace is not None:
            self.pace.leave()

    def _sort(self, write: Write, error: ChannelError) -> Sent:
        if isinstance(error, Busy) and self.pace is not None:
            self.pace.pause(error.retry_after_s)
            return Sent.SLOWED
        self.error = error
        self.refused += 1
        self._pacer.log.refused += 1
        self._log_once(write, error)
        if isinstance(error, RateLimited):
            (self.pace or self._pacer).refused(write.method, error)
            return Sent.SLOWED if self.pace is not None else Sent.AGAIN
        if isinstance(error, QuotaUsedUp):
            self._pacer.used_up(error)
            return Sent.REFUSED
        if isinstance(error, StreamEnded):
            return Sent.ENDED
        if isinstance(error, Rejected) or not error.works_again:
            return Sent.REFUSED
        return Sent.AGAIN

    def _log_once(self, write: Write, error: ChannelError) -> None:
        kind = (write.kind, error.code)
        if kind in self._logged:
            return
        self._logged.add(kind)
        log.warning(
            "card.write_refused",
            extra={**self._tags, "method": write.method, "kind": write.kind, "code": error.code, "reason": str(error)},
        )
