"""What an open card shows before its last word: the newest snapshot, planned when its turn has come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from channels.cards.frame import Frame, plan_frame
from channels.cards.model import Card, CardStatus
from channels.cards.nap import Nap
from channels.cards.newest import Newest
from channels.cards.ports import CardSink, Write
from channels.cards.requests import Requests, Sent
from channels.cards.skips import Skips
from channels.cards.tally import Tally
from channels.clock import Clock
from channels.pacing import CardPace


class Previews:
    """Writes frames of one card, for its `CardStream`."""

    def __init__(
        self, sink: CardSink, requests: Requests, tally: Tally, nap: Nap, clock: Clock, on_drawn: Callable[[Card], None]
    ) -> None:
        """`on_drawn` is called after each frame the platform took, with its snapshot."""
        self._sink = sink
        self._requests = requests
        self._tally = tally
        self._nap = nap
        self._clock = clock
        self._on_drawn = on_drawn
        self.newest = Newest()
        self.are_over = False
        """The last word is waiting: nothing more is begun, and what waits is let go."""
        self.ends = 0
        """How often in a row the platform said that this card takes no more."""
        self._skips = Skips()
        self._frame: Frame | None = None
        self._drawn: Card | None = None
        """The last snapshot of which something was written; more frames may be needed for all of it."""
        self._shown: Card | None = None
        """The last snapshot that needs no more writes."""

    @property
    def is_stale(self) -> bool:
        """Tell whether there is something that was not shown yet."""
        return self.newest.is_undrawn or self.newest.card is not self._shown

    @property
    def is_pressing(self) -> bool:
        """Tell whether the newest snapshot must be seen at once: the host said so, or it is of such a kind."""
        return self.newest.is_pressing or self._presses(self.newest.card)

    async def write(self) -> None:
        """Write one frame, when its time has come.

        Raises:
            Exception: whatever the sink's planning or the host's drawing raised.
        """
        pace = self._requests.pace
        if self.is_pressing or pace is None:
            await self._urgent_frame(pace)
        elif await pace.tick(self._plan):
            try:
                await self._preview(pace)
            finally:
                pace.release()

    async def recover(self, sent: Sent) -> None:
        """Wait as a failed request asks for, before the next try."""
        if sent is Sent.ENDED:
            self.ends += 1
        elif sent is Sent.AGAIN:
            await self._nap.longer()

    def _plan(self) -> tuple[str, ...]:
        """Draw and plan the newest snapshot; gives the methods that its requests need."""
        self._tally.take()
        newest = self.newest
        was_undrawn = newest.is_undrawn
        card = newest.draw()
        if card is None or card is self._shown:
            self._frame = None if card is None else Frame(card, is_fresh=was_undrawn)
            return ()
        frame = plan_frame(self._sink, self._skips, card, is_fresh=was_undrawn or card is not self._drawn)
        self._frame = frame
        return frame.methods

    async def _preview(self, pace: CardPace) -> None:
        frame = self._frame
        if frame is None or self.are_over:
            self._tally.put_back()
            return
        if pace.throttled:
            self._tally.throttle()
        if frame.is_fresh and not frame.writes:
            pace.count_tick()
        if frame.is_empty:
            self._needs_nothing(frame.card)
            return
        for kind in frame.skipped:
            self._skips.skipped(kind)
        await self._write(frame.card, frame.writes, urgent=self._presses(frame.card))

    async def _urgent_frame(self, pace: CardPace | None) -> None:
        """Write the newest snapshot before everybody's previews, all of it."""
        if pace is not None:
            await pace.space()
        if self.are_over:
            return
        self._tally.take()
        card, was_pressing = self.newest.draw(), self.newest.is_pressing
        self.newest.is_pressing = False
        if card is None:
            return
        plan = self._sink.plan(card, final=False)
        if not plan:
            self._needs_nothing(card)
        elif await self._write(card, plan, urgent=True):
            await self._send_all(self._sink.plan(card, final=False), urgent=True)
        elif card is not self._shown:
            self.newest.is_pressing |= was_pressing

    async def _write(self, card: Card, writes: Sequence[Write], *, urgent: bool) -> bool:
        """Write one frame; true when something of it became visible and nothing went wrong.

        The snapshot counts as shown when there is nothing left to plan, or it was refused.
        """
        sent, is_seen = await self._send_all(writes, urgent=urgent)
        if is_seen:
            self._drawn = card
            self._on_drawn(card)
        if sent is Sent.REFUSED:
            self._shown = self._drawn = card
        if is_seen and sent in (Sent.ACCEPTED, Sent.REFUSED):
            self._tally.show(self._clock.steady_s())
            return True
        if sent is Sent.REFUSED:
            self._tally.drop()
        else:
            self._tally.put_back()
            await self.recover(sent)
        return False

    async def _send_all(self, plan: Sequence[Write], *, urgent: bool) -> tuple[Sent, bool]:
        """Send a plan in order; a refused request does not keep the others back, anything else does.

        Gives what became of it, and whether the platform took any of it.
        """
        outcome, is_seen = Sent.ACCEPTED, False
        for write in plan:
            sent = await self._requests.send(write, overtaken=self._are_over if urgent else self._is_overtaken)
            if sent is Sent.ACCEPTED:
                is_seen = True
                self._skips.accepted(write.kind)
                self._nap.reset()
                self.ends = 0
            elif sent is Sent.REFUSED:
                self._skips.refused(write.kind)
                outcome = sent
            else:
                return sent, is_seen
        return outcome, is_seen

    def _needs_nothing(self, card: Card) -> None:
        self._shown = card
        self._tally.drop()

    def _are_over(self) -> bool:
        return self.are_over

    def _is_overtaken(self) -> bool:
        return self.are_over or self.is_pressing

    def _presses(self, card: Card | None) -> bool:
        """The first frame, and every change of what a person must see or may press while nothing streams."""
        drawn = self._drawn
        if card is None or drawn is None:
            return drawn is None
        status = card.header.status
        if card is drawn or (status is drawn.header.status and card.actions == drawn.actions):
            return False
        return status.is_terminal or status in (CardStatus.WAITING, CardStatus.PAUSED)
