"""The one writer of an open card: shows the newest snapshot as often as allowed and proves the last one.

new -> open -> live -> final
       live <-> frozen (waiting for a person)     live <-> rotated (the stream was renewed)
       any -> degraded (no previews; `close` tells the host to send a message)
       any -> failed (the last word is not proven)     any -> abandoned (another process owns the run)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Literal

from channels.cards.model import Card, CardStatus
from channels.cards.nap import Nap
from channels.cards.ports import CardSink, WriteGuard
from channels.cards.previews import Previews
from channels.cards.proof import Closed, LastWord
from channels.cards.requests import Requests, Sent
from channels.cards.tally import Tally
from channels.clock import Clock
from channels.pacing import Pacer
from channels.pacing.alarm import AlarmHandle

log = logging.getLogger(__name__)

__all__ = ["CardStream", "Closed", "StreamState"]

StreamState = Literal["new", "open", "live", "frozen", "rotated", "degraded", "final", "failed", "abandoned"]

_ENDS_TAKEN = 2


class CardStream:
    """One live card. `show` or `touch` as often as you like; `close` once, or `abandon`.

    Example:
        stream = CardStream(sink, pacer=channel.pacer, guard=scope.guard, clock=clock)
        stream.show(card)
        closed = await stream.close(last_card, within_s=10)
    """

    def __init__(
        self,
        sink: CardSink,
        *,
        pacer: Pacer,
        guard: WriteGuard,
        clock: Clock,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """Take over `sink`, inside the running event loop. `tags` go into all its log lines (run, card, ...)."""
        self.sink = sink
        self._pacer = pacer
        self._clock = clock
        self._tags = dict(tags or {})
        self._requests = Requests(sink, pacer, guard, self._tags)
        self._tally = Tally(pacer.log, pacer.target_s)
        self._state: StreamState = "new" if self._requests.pace is not None else "degraded"
        self._nap = Nap(pacer.alarm, clock)
        self._previews = Previews(sink, self._requests, self._tally, self._nap, clock, self._drew)
        self._last: Card | None = None
        self._work = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closed: asyncio.Future[Closed] | None = None
        self._renew = False
        self._renewal: AlarmHandle | None = None
        self._set_renewal()

    @property
    def state(self) -> StreamState:
        """Give the state, see the module's drawing."""
        return self._state

    @property
    def counts(self) -> Mapping[str, int]:
        """Give updates wanted, written, merged and throttled, and requests refused, of this card."""
        tally = self._tally
        return {
            "wanted": tally.wanted,
            "written": tally.written,
            "merged": tally.merged,
            "throttled": tally.throttled,
            "refused": self._requests.refused,
        }

    def show(self, card: Card) -> None:
        """Show `card` as soon as the pace allows; a newer one replaces it until then. Never blocks, never raises."""
        if not self._ended and self._last is None and self._previews.newest.give(card):
            self._changed(presses=self._previews.is_pressing)

    def touch(self, draw: Callable[[], Card], *, urgent: bool = False) -> None:
        """Like `show`, but the card is drawn only when it is about to be written, on the event loop.

        The latest call wins. `urgent`: write it before everybody's previews, as a change of status or of the buttons
        that a person waits for; it holds until something was written. `draw` must be quick. What it raises ends the
        card's previews, not the card.
        """
        if not self._ended and self._last is None:
            self._previews.newest.promise(draw, urgent=urgent)
            self._changed(presses=urgent)

    async def close(self, card: Card, within_s: float) -> Closed:
        """Write the last snapshot, overtaking everything, and prove it, trying for at most `within_s` seconds.

        Raises:
            asyncio.CancelledError: another process owns the run; nothing more was written.
        """
        if self._closed is None:
            self._closed = asyncio.get_running_loop().create_future()
            if self._ended:
                self._closed.cancel()
            self._last = card
            self._previews.are_over = True
            self._tally.want(self._clock.steady_s())
            self._work.set()
            self._start()
            self._hurry()
        deadline = self._pacer.alarm.at(self._clock.steady_s() + within_s, self._time_out)
        try:
            return await self._closed
        except asyncio.CancelledError:
            self.abandon()
            raise
        finally:
            deadline.cancel()

    def abandon(self) -> None:
        """Stop at once, without a write. Safe to call twice and after `close`."""
        if not self._ended:
            self._end("abandoned", None)
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    def _changed(self, *, presses: bool) -> None:
        self._tally.want(self._clock.steady_s())
        if self._state == "new":
            self._state = "open"
        self._work.set()
        if self._task is None:
            self._start()
        if presses:
            self._hurry()

    # The writer's task.

    @property
    def _ended(self) -> bool:
        return self._state in ("final", "failed", "abandoned")

    def _start(self) -> None:
        if self._task is None and not self._ended:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="card writer")

    async def _run(self) -> None:
        try:
            while self._last is None:
                await self._work.wait()
                self._work.clear()
                await self._turn()
            closed = await LastWord(self.sink, self._requests, self._nap).prove(self._last)
        except asyncio.CancelledError:
            if not self._ended:
                self._end("abandoned", None)
            raise
        except Exception:
            log.exception("card.writer_broke", extra=self._tags)
            closed = Closed(False, None, "internal", permanent=True)
        if not self._ended:
            self._finish(closed)

    async def _turn(self) -> None:
        """Write until the newest snapshot is shown."""
        try:
            while self._last is None and self._may_preview() and (self._renew or self._previews.is_stale):
                if self._renew:
                    await self._renew_stream()
                else:
                    await self._previews.write()
        except Exception:
            log.exception("card.preview_broke", extra=self._tags)
            self._state = "degraded"

    def _may_preview(self) -> bool:
        """Tell whether previews are possible, and note when they have ended."""
        if self.sink.mode in ("message", "dead") or self._previews.ends >= _ENDS_TAKEN:
            self._state = "degraded"
        return self._state != "degraded"

    def _drew(self, card: Card) -> None:
        still = card.header.status in (CardStatus.WAITING, CardStatus.PAUSED)
        if self._state == "frozen" and not still:
            self._set_renewal()
        self._state = "frozen" if still else "live"

    def _hurry(self) -> None:
        self._nap.wake()
        if self._requests.pace is not None:
            self._requests.pace.hurry()

    # Renewal: by a timer on the stream's age, never by the next token.

    def _set_renewal(self) -> None:
        after_s = self._pacer.capabilities.renew_after_s
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        if after_s is not None and self._state != "degraded":
            self._renewal = self._pacer.alarm.at(self._clock.steady_s() + after_s, self._renewal_due)

    def _renewal_due(self) -> None:
        self._renew = True
        self._work.set()
        self._start()

    async def _renew_stream(self) -> None:
        for write in self.sink.renewal():
            sent = await self._requests.send(write, overtaken=lambda: self._last is not None)
            if sent is Sent.REFUSED:
                break
            if sent is not Sent.ACCEPTED:
                await self._previews.recover(sent)
                return
            self._state = "rotated"
        self._renew = False
        self._set_renewal()

    # The end.

    def _time_out(self) -> None:
        if self._ended or self._last is None:
            return
        seen = self.sink.shows(self._last)
        self._finish(Closed(True, self.sink.receipt()) if seen else Closed(False, None, "timeout"))
        if self._task is not None:
            self._task.cancel()

    def _finish(self, closed: Closed) -> None:
        if closed.seen:
            self._tally.take()
            self._tally.show(self._clock.steady_s())
        self._end("final" if closed.seen else "failed", closed)

    def _end(self, state: StreamState, closed: Closed | None) -> None:
        self._state = state
        if self._renewal is not None:
            self._renewal.cancel()
        self._requests.leave()
        if self._closed is not None and not self._closed.done():
            if closed is None:
                self._closed.cancel()
            else:
                self._closed.set_result(closed)
        log.info("card.closed", extra={**self._tags, "state": state, **self.counts})
