"""When the card cannot show the answer, it comes as a message: once, whoever takes the run over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Delivered, Json, Opening, Outcome, Owed
from gateway.clock import FakeClock
from gateway.delivery import Delivery
from gateway.presenter import Style

RUN = RunId("r" * 26)
DONE = Outcome(status="done", answer="the whole answer")


class House:
    """A delivery over the fake channel."""

    def __init__(self, path: Path) -> None:
        self.clock = FakeClock()
        self.channel = FakeChannel(path / "platform", self.clock)
        self.place = self.channel.conversation()
        self.delivery = Delivery({("fake", "main"): self.channel}, self.clock, Style())
        self.journal = MemoryJournal()

    def opening(self, attempt: int = 1, *, known: Json | None = None, seen: bool = False) -> Opening:
        to = Address(str(self.place))
        given = RunInput(to=to, by=Principal(id="p"), parts=(TextPart(text="q"),), anchor="m1")
        events = (
            RunEvent(run=RUN, type="text", content="the whole answer", segment="model/1", status="success"),
            RunEvent(run=RUN, type="done", status="success", content={"status": "done", "elapsed_ms": 5}),
        )
        return Opening(run=RUN, to=to, attempt=attempt, input=given, history=events, known=known, seen=seen)

    async def delivered(self, opening: Opening) -> Delivered | Owed:
        work = asyncio.ensure_future(self.delivery.deliver(opening, DONE, self.journal))
        while not work.done():
            await self.clock.settle()
            await self.clock.advance(0.05)
        return await work

    def answers(self) -> int:
        return sum("the whole answer" in text for text in self.channel.visible(self.place))


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_card_that_is_refused_for_good_becomes_a_message(house: House) -> None:
    house.channel.fault("create", "rejected")
    result = await house.delivered(house.opening())
    assert isinstance(result, Delivered)
    assert result.receipt["route"] == "message"
    assert house.answers() == 1


async def test_who_takes_over_stays_on_this_way_although_the_card_would_work_again(house: House) -> None:
    house.channel.fault("create", "rejected")
    house.journal.lose.add("final/send")
    with pytest.raises(asyncio.CancelledError):
        await house.delivered(house.opening())
    house.journal = house.journal.next_attempt()
    assert isinstance(await house.delivered(house.opening(2)), Delivered)
    assert house.answers() == 1


async def test_a_message_whose_answer_was_lost_is_not_followed_by_the_card(house: House) -> None:
    house.channel.fault("create", "rejected")
    house.channel.fault("send", "applied_unknown")
    first = await house.delivered(house.opening())
    assert isinstance(first, Owed)
    assert not first.permanent
    house.journal = house.journal.next_attempt()
    assert isinstance(await house.delivered(house.opening(2, known=first.state)), Delivered)
    assert house.answers() == 1


async def test_what_was_sent_is_given_its_receipt_again(house: House) -> None:
    house.channel.fault("create", "rejected")
    first = await house.delivered(house.opening())
    house.journal = house.journal.next_attempt()
    assert await house.delivered(house.opening(2)) == first
    assert house.answers() == 1


async def test_a_card_that_died_after_its_answer_was_seen_is_not_replaced(house: House) -> None:
    assert isinstance(await house.delivered(house.opening()), Delivered)
    known = {"pages": [[next(iter(house.channel.platform.world.cards)), "msg"]], "mode": "dead"}
    house.journal = house.journal.next_attempt()
    result = await house.delivered(house.opening(2, known=known, seen=True))
    assert isinstance(result, Owed)
    assert result.permanent
    assert house.answers() == 1
