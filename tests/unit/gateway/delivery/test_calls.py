"""Who waits long, or is asked and does not answer, is called once; nobody else ever is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

import pytest

from channels.testing.fake import FakeChannel
from channels.testing.journal import MemoryJournal
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Delivered, Json, Opening, Outcome
from gateway.clock import FakeClock
from gateway.delivery import Delivery
from gateway.presenter import Style

T = TypeVar("T")
RUN = RunId("r" * 26)
DONE = Outcome(status="done", answer='@all the <at user_id="all"></at> answer')
TEXT = RunEvent(run=RUN, type="text", content=DONE.answer, segment="model/1", status="success")


def ended(elapsed_ms: int, status: str = "done") -> RunEvent:
    return RunEvent(run=RUN, type="done", status="success", content={"status": status, "elapsed_ms": elapsed_ms})


def question(state: str = "pending", person: str = "ou_boss") -> RunEvent:
    content: Json = {"id": "a1", "tool": "send_note", "args": {}, "for": person, "state": state}
    return RunEvent(run=RUN, type="approval", content=content, segment="approval/a1")


class House:
    """A delivery over the fake channel that calls after a minute."""

    def __init__(self, path: Path, call_after_s: float = 60.0) -> None:
        self.clock = FakeClock()
        self.channel = FakeChannel(path / "platform", self.clock)
        self.delivery = Delivery({("fake", "main"): self.channel}, Style(call_after_s=call_after_s))
        self.journal = MemoryJournal()

    def opening(self, *events: RunEvent, attempt: int = 1) -> Opening:
        to = Address(str(self.channel.conversation()))
        given = RunInput(to=to, by=Principal(id="ou_lin"), parts=(TextPart(text="q"),), anchor="m1")
        return Opening(RUN, to, attempt, given, events)

    async def run(self, *events: RunEvent) -> None:
        await self.finish(self.delivery.open(self.opening(), self.journal))
        for event in events:
            self.delivery.show(event)
            await self.clock.advance(0.5)

    async def close(self) -> Delivered:
        result = await self.finish(self.delivery.close(RUN, DONE, within_s=10))
        assert isinstance(result, Delivered)
        return result

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        while not task.done():
            await self.clock.settle()
            await self.clock.advance(0.05)
        return await task

    def calls(self) -> list[str]:
        world = self.channel.platform.world
        world.refresh()
        return [message.text for message in world.messages.values() if message.card is None]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize(
    ("elapsed_ms", "status", "called"),
    [
        (61_000, "done", ["@ou_lin The answer is ready, on the card above."]),
        (61_000, "failed", ["@ou_lin It did not work; the card above says why."]),
        (61_000, "stopped", []),
        (5_000, "done", []),
    ],
)
async def test_who_waited_long_is_called_at_the_end(
    house: House, elapsed_ms: int, status: str, called: list[str]
) -> None:
    await house.run(TEXT, ended(elapsed_ms, status))
    await house.close()
    assert house.calls() == called


async def test_a_question_that_stays_open_calls_the_person_it_is_for_once(house: House) -> None:
    await house.run(question())
    await house.clock.advance(50)
    assert house.calls() == []
    await house.clock.advance(200)
    assert house.calls() == ["@ou_boss I am waiting for your answer on the card above."]
    house.delivery.abandon(RUN)
    house.journal = house.journal.next_attempt()
    await house.finish(house.delivery.open(house.opening(question(), attempt=2), house.journal))
    await house.clock.advance(200)
    assert len(house.calls()) == 1


async def test_a_question_that_is_answered_in_time_calls_nobody(house: House) -> None:
    await house.run(question())
    await house.clock.advance(30)
    house.delivery.show(question("approved"))
    await house.clock.advance(200)
    assert house.calls() == []


async def test_who_has_just_answered_a_question_is_not_called_for_the_end(house: House) -> None:
    answered, done = question("approved"), ended(600_000)
    await house.run(answered.model_copy(update={"at_ms": 595_000}), TEXT, done.model_copy(update={"at_ms": 600_000}))
    await house.close()
    assert house.calls() == []


async def test_a_call_whose_record_was_lost_is_not_made_twice(house: House) -> None:
    house.journal.lose.add("call/a1")
    await house.run(question())
    await house.clock.advance(100)
    house.delivery.abandon(RUN)
    house.journal = house.journal.next_attempt()
    await house.finish(house.delivery.open(house.opening(question(), attempt=2), house.journal))
    await house.clock.advance(200)
    assert len(house.calls()) <= 1


async def test_a_platform_that_refuses_the_call_costs_the_answer_nothing(house: House) -> None:
    await house.run(TEXT, ended(61_000))
    house.channel.fault("send", "rejected")
    assert (await house.close()).receipt["route"] == "card"
    assert house.calls() == []


async def test_nobody_is_called_where_that_is_switched_off(tmp_path: Path) -> None:
    house = House(tmp_path, call_after_s=0.0)
    await house.run(question(), question("approved"), TEXT, ended(600_000))
    await house.close()
    assert house.calls() == []
