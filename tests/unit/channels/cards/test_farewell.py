"""Leaving a card at rest waits as long as the platform asks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from channels.capabilities import Capabilities, MethodLimit
from channels.cards.farewell import leave_quiet
from channels.cards.model import Card, CardStatus, Header
from channels.cards.ports import CardSink, Write
from channels.errors import Busy
from channels.pacing import Pacer
from gateway.clock import FakeClock


class PressedCard:
    """Takes no writes until a press on it is answered, and then the first."""

    def __init__(self, clock: FakeClock, until_s: float) -> None:
        self._clock = clock
        self._until_s = clock.steady_s() + until_s
        self.unrest = "active"
        self.tries = 0

    def quiet(self, card: Card) -> Sequence[Write]:
        return [Write("batch", "batch", None)] if self.unrest else []

    async def send(self, write: Write) -> None:
        self.tries += 1
        if self._clock.steady_s() < self._until_s:
            raise Busy(retry_after_s=0.3)
        self.unrest = ""


async def unguarded() -> None:
    return None


async def test_a_card_that_is_being_pressed_comes_to_rest(clock: FakeClock) -> None:
    sink = PressedCard(clock, until_s=0.5)
    methods = {"batch": MethodLimit()}
    pacer = Pacer(Capabilities(can_update_cards=True, can_press_buttons=True, methods=methods), clock)
    words = Card(Header("question", CardStatus.DONE))
    leaving = asyncio.ensure_future(
        leave_quiet(cast("CardSink", cast("Any", sink)), words, pacer=pacer, guard=unguarded, within_s=5)
    )
    await clock.advance(1)
    assert await leaving == ""
    assert sink.tries == 3
