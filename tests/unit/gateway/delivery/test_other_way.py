"""When the card cannot show the answer, it comes as a message: once, whoever takes the run over."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from channels.errors import Rejected
from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Delivered, Json, Opening, Outcome, Owed, Unchanged
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
        self.delivery = Delivery({("fake", "main"): self.channel}, Style())
        self.journal = MemoryJournal()
        self.answer = "the whole answer"

    def opening(self, attempt: int = 1, *, known: Json | None = None, seen: bool = False) -> Opening:
        to = Address(str(self.place))
        given = RunInput(to=to, by=Principal(id="p"), parts=(TextPart(text="q"),), anchor="m1")
        events = (
            RunEvent(run=RUN, type="text", content=self.answer, segment="model/1", status="success"),
            RunEvent(run=RUN, type="done", status="success", content={"status": "done", "elapsed_ms": 5}),
        )
        return Opening(run=RUN, to=to, attempt=attempt, input=given, history=events, known=known, seen=seen)

    async def delivered(self, opening: Opening) -> Delivered | Owed | Unchanged:
        work = asyncio.ensure_future(self.delivery.deliver(opening, DONE, self.journal))
        while not work.done():
            await self.clock.settle()
            await self.clock.advance(0.05)
        return await work

    def refuse_after(self, cards: int) -> None:
        """Let the platform make so many cards more and then none for a while."""
        create, made = self.channel.platform.create, 0

        async def limited(run: str, rest: str) -> str:
            nonlocal made
            made += 1
            if made > cards:
                raise Rejected("no more cards")
            return await create(run, rest)

        self.channel.platform.create = limited  # type: ignore[method-assign]

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
    house.journal.lose.add("final/send/0")
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
    assert result == Unchanged(reason="dead")
    assert house.answers() == 1


async def test_a_verdict_on_a_plain_message_changes_nothing_and_says_so(house: House) -> None:
    house.channel.fault("create", "rejected")
    assert isinstance(await house.delivered(house.opening()), Delivered)
    before = house.channel.visible(house.place)
    house.journal = house.journal.next_attempt()
    assert await house.delivered(house.opening(2, seen=True)) == Unchanged(reason="plain_message")
    assert house.channel.visible(house.place) == before


async def test_a_receipt_of_an_older_version_counts(house: House) -> None:
    receipt = {"message_ids": ["msg-1"], "route": "message"}
    house.journal.rows |= {"final/way": '{"way": "message"}', "final/send": json.dumps(receipt)}
    result = await house.delivered(house.opening(2))
    assert isinstance(result, Delivered)
    assert result.receipt == receipt
    assert house.channel.visible(house.place) == []


async def test_a_card_that_the_queue_opened_is_found_again(house: House) -> None:
    result = await house.delivered(house.opening())
    assert isinstance(result, Delivered)
    assert result.state is not None
    house.journal = house.journal.next_attempt()
    again = await house.delivered(house.opening(2, known=result.state, seen=True))
    assert isinstance(again, Delivered)
    assert again.receipt["message_ids"] == result.receipt["message_ids"]


async def test_a_card_that_is_given_up_is_left_at_rest(house: House) -> None:
    first = await house.delivered(house.opening())
    assert isinstance(first, Delivered)
    house.channel.fault("content", "rejected", times=3)
    house.journal = house.journal.next_attempt()
    result = await house.delivered(house.opening(2, known=first.state))
    assert isinstance(result, Delivered)
    assert "old_card" not in result.receipt
    card, message = house.channel.visible(house.place)
    assert "new message below" in card
    assert "the whole answer" not in card
    assert "the whole answer" in message
    (entity,) = house.channel.platform.world.cards.values()
    assert entity.actions == []


async def test_a_card_that_cannot_be_left_at_rest_is_told_in_the_receipt(house: House) -> None:
    first = await house.delivered(house.opening())
    assert isinstance(first, Delivered)
    house.channel.fault("content", "rejected", times=3)
    house.channel.fault("patch", "rejected", times=9)
    house.journal = house.journal.next_attempt()
    result = await house.delivered(house.opening(2, known=first.state))
    assert isinstance(result, Delivered)
    assert result.receipt["old_card"] == "active"


async def test_who_takes_over_leaves_the_old_card_at_rest_too(house: House) -> None:
    first = await house.delivered(house.opening())
    assert isinstance(first, Delivered)
    house.channel.fault("content", "rejected", times=3)
    house.journal = house.journal.next_attempt()
    house.journal.lose.add("final/send/0")
    with pytest.raises(asyncio.CancelledError):
        await house.delivered(house.opening(2, known=first.state))
    house.journal = house.journal.next_attempt()
    assert isinstance(await house.delivered(house.opening(3, known=first.state)), Delivered)
    card, _ = house.channel.visible(house.place)
    assert "new message below" in card


async def test_when_a_further_card_is_refused_the_reader_sees_one_answer(house: House) -> None:
    house.answer = "\n\n".join(f"sentence {number} of the whole answer" for number in range(2500))
    first = await house.delivered(house.opening())
    assert isinstance(first, Delivered)
    cards = len(house.channel.platform.world.cards)
    assert cards > 2
    house.place = house.channel.conversation("another chat")
    house.journal = MemoryJournal()
    house.refuse_after(2)
    assert isinstance(await house.delivered(house.opening()), Delivered)
    text = "\n".join(house.channel.visible(house.place))
    assert [text.count(f"sentence {number} of") for number in range(0, 2500, 50)] == [1] * 50


async def test_a_platform_that_cannot_be_reached_is_away(house: House) -> None:
    house.channel.platform.world.tell({"do": "outage", "on": True})
    result = await house.delivered(house.opening())
    assert isinstance(result, Owed)
    assert result.away
    assert not result.permanent
