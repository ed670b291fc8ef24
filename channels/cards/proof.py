"""The last word of a card: written until the platform accepted all of it, or never will."""

from __future__ import annotations

from dataclasses import dataclass

from channels.cards.model import Card
from channels.cards.nap import Nap
from channels.cards.ports import CardSink
from channels.cards.requests import Requests, Sent
from channels.events import Receipt

_ENDS_TAKEN = 2
_REFUSALS_TAKEN = 3
_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Closed:
    """How a card ended. `seen` is true only when the platform accepted the whole last snapshot."""

    seen: bool
    receipt: Receipt | None
    reason: str = ""
    """Stable text when not seen: the platform's code, the sink's mode (`"message"`, `"dead"`), `"timeout"`,
    `"incomplete"` or `"internal"`."""
    permanent: bool = False
    """This card will never show it: use another way (`Channel.send_final`)."""


class LastWord:
    """Writes the final snapshot with priority and compares what the platform took with the whole of it."""

    def __init__(self, sink: CardSink, requests: Requests, nap: Nap) -> None:
        self._sink = sink
        self._requests = requests
        self._nap = nap
        self._refusals = 0
        self._ends = 0

    async def prove(self, card: Card) -> Closed:
        """Try until it is proven or hopeless; the caller limits the time."""
        self._nap.reset()
        if self._requests.pace is not None:
            await self._requests.pace.space()
        for _ in range(_ROUNDS):
            if self._is_given_up:
                return self._closed(card, self._sink.mode)
            if self._refusals >= _REFUSALS_TAKEN or self._ends >= _ENDS_TAKEN:
                return self._closed(card, self._requests.error.code if self._requests.error else "incomplete")
            if not await self._round(card):
                return self._closed(card, "incomplete")
        return self._closed(card, "incomplete")

    @property
    def _is_given_up(self) -> bool:
        return self._sink.mode in ("message", "dead")

    async def _round(self, card: Card) -> bool:
        """Send one plan; false when there was nothing left to send."""
        plan = self._sink.plan(card, final=True)
        refused = False
        for write in plan:
            sent = await self._requests.send(write, overtaken=lambda: False)
            if sent is Sent.REFUSED:
                refused = True
                if self._is_given_up:
                    break
            elif sent is Sent.ENDED:
                self._ends += 1
                break
            elif sent is Sent.AGAIN:
                await self._nap.longer()
                break
            elif sent is not Sent.ACCEPTED:
                break
            else:
                self._nap.reset()
        self._refusals += refused
        return bool(plan)

    def _closed(self, card: Card, reason: str) -> Closed:
        if self._sink.shows(card):
            return Closed(True, self._sink.receipt())
        return Closed(False, None, reason, permanent=True)
