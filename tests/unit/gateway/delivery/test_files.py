"""Files a run made: sent once beside it, named on its card, owed until the platform took them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from channels.testing.fake import FAKE_CAPABILITIES, FakeChannel
from channels.testing.journal import MemoryJournal
from engine.events import RunEvent
from engine.messages import Address, Principal, RunId, RunInput, TextPart
from engine.ports import Delivered, Json, Opening, Outcome, Owed, Unchanged
from gateway.clock import FakeClock
from gateway.delivery import Delivery
from gateway.presenter import Style

T = TypeVar("T")
RUN = RunId("r" * 26)
DONE = Outcome(status="done", answer="the whole answer")
BLOB = "b" * 64


class Blobs:
    """Contents by name."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {BLOB: b"month,amount\n"}

    async def read(self, name: str) -> bytes:
        return self.kept[name]


def file_event(number: int = 0, *, name: str = "report.csv") -> RunEvent:
    content: Json = {"key": f"tool-0-{number}-0", "blob": BLOB, "name": name, "mime": "text/csv", "size_bytes": 13}
    return RunEvent(run=RUN, type="file", content=content, status="success", segment=f"tool/0/{number}/file/0")


TEXT = RunEvent(run=RUN, type="text", content="the whole answer", segment="model/1", status="success")
ENDED = RunEvent(run=RUN, type="done", status="success", content={"status": "done", "elapsed_ms": 5})


class House:
    """A delivery over the fake channel."""

    def __init__(self, path: Path, *, can_send_files: bool = True) -> None:
        self.clock, self.blobs = FakeClock(), Blobs()
        can = replace(FAKE_CAPABILITIES, can_send_files=can_send_files)
        self.channel = FakeChannel(path / "platform", self.clock, capabilities=can)
        self.delivery = Delivery({("fake", "main"): self.channel}, Style())
        self.journal = MemoryJournal()

    def opening(self, *events: RunEvent, attempt: int = 1, known: Json | None = None, seen: bool = False) -> Opening:
        to = Address(str(self.channel.conversation()))
        given = RunInput(to=to, by=Principal(id="p"), parts=(TextPart(text="q"),), anchor="m1")
        return Opening(RUN, to, attempt, given, events, known, seen, self.blobs)

    async def ran(self, *events: RunEvent) -> Delivered | Owed:
        """Let a run tell these events and end."""
        await self.finish(self.delivery.open(self.opening(), self.journal))
        for event in (*events, TEXT, ENDED):
            self.delivery.show(event)
            await self.clock.advance(0.5)
        return await self.finish(self.delivery.close(RUN, DONE, within_s=10))

    async def delivered(self, opening: Opening) -> Delivered | Owed | Unchanged:
        self.journal = self.journal.next_attempt()
        return await self.finish(self.delivery.deliver(opening, DONE, self.journal))

    async def finish(self, work: Awaitable[T]) -> T:
        task = asyncio.ensure_future(work)
        while not task.done():
            await self.clock.settle()
            await self.clock.advance(0.05)
        return await task

    def files(self) -> list[str]:
        world = self.channel.platform.world
        world.refresh()
        return [str(message.file["name"]) for message in world.messages.values() if message.file is not None]

    def card(self) -> str:
        return self.channel.visible(self.channel.conversation())[0]


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


async def test_a_file_is_sent_as_an_answer_to_the_question_and_named_on_the_card(house: House) -> None:
    assert isinstance(await house.ran(file_event()), Delivered)
    assert house.files() == ["report.csv"]
    assert "Sent: report.csv" in house.card() and "the whole answer" in house.card()
    (sent,) = [each for each in house.channel.platform.world.messages.values() if each.file]
    assert sent.reply_to == "m1"


async def test_two_files_of_one_name_are_two(house: House) -> None:
    assert isinstance(await house.ran(file_event(0), file_event(1)), Delivered)
    assert house.files() == ["report.csv", "report.csv"]


async def test_a_file_that_stumbles_is_owed_and_comes_with_the_next_try_while_the_answer_stays_one(
    house: House,
) -> None:
    house.channel.fault("file", "not_dispatched", times=2)
    result = await house.ran(file_event())
    assert isinstance(result, Owed) and result.reason == "file_not_dispatched" and not result.permanent
    assert "the whole answer" in house.card() and "could not be sent yet" in house.card()
    again = await house.delivered(house.opening(file_event(), TEXT, ENDED, attempt=2, known=result.state))
    assert isinstance(again, Delivered)
    assert house.files() == ["report.csv"] and "Sent: report.csv" in house.card()
    assert sum("the whole answer" in text for text in house.channel.visible(house.channel.conversation())) == 1


@pytest.mark.parametrize("lost", ["begin", "send", "settled"])
async def test_a_file_is_there_once_whatever_record_was_lost(house: House, lost: str) -> None:
    key = f"file/{RUN}-tool-0-0-0"
    house.journal.lose.add({"begin": f"{key}/begin", "send": key, "settled": "sent/tool-0-0-0"}[lost])
    first = await house.ran(file_event())
    assert isinstance(first, Owed)
    await house.clock.advance(7200)
    again = await house.delivered(house.opening(file_event(), TEXT, ENDED, attempt=2, known=first.state))
    assert isinstance(again, Delivered) and house.files() == ["report.csv"]


async def test_the_next_owner_of_a_run_sends_what_the_last_one_left(house: House) -> None:
    await house.finish(house.delivery.open(house.opening(), house.journal))
    house.delivery.abandon(RUN)
    house.journal = house.journal.next_attempt()
    await house.finish(house.delivery.open(house.opening(file_event(), attempt=2), house.journal))
    house.delivery.show(ENDED)
    assert isinstance(await house.finish(house.delivery.close(RUN, DONE, within_s=10)), Delivered)
    assert house.files() == ["report.csv"]


async def test_a_file_too_large_for_the_platform_is_told_and_not_tried_again(house: House) -> None:
    house.blobs.kept[BLOB] = bytes(2_000_000)
    assert isinstance(await house.ran(file_event()), Delivered)
    assert house.files() == [] and "too large for this chat" in house.card()
    calls = len(house.channel.platform.world.calls)
    again = await house.delivered(house.opening(file_event(), TEXT, ENDED, attempt=2, seen=True))
    assert isinstance(again, Unchanged) and len(house.channel.platform.world.calls) == calls


async def test_a_channel_that_takes_no_files_says_so(tmp_path: Path) -> None:
    house = House(tmp_path, can_send_files=False)
    assert isinstance(await house.ran(file_event()), Delivered)
    assert house.files() == [] and "this chat takes no such file" in house.card()


async def test_a_file_that_is_not_kept_any_more_is_told(house: House) -> None:
    house.blobs.kept.clear()
    assert isinstance(await house.ran(file_event()), Delivered)
    assert "not kept any more" in house.card()


async def test_an_answer_that_was_seen_does_not_come_again_for_a_file_that_is_owed(house: House) -> None:
    house.channel.fault("file", "not_dispatched", times=2)
    first = await house.ran(file_event())
    assert isinstance(first, Owed)
    world = house.channel.platform.world
    world.tell({"do": "recall", "message": next(iter(world.messages))})
    again = await house.delivered(house.opening(file_event(), TEXT, ENDED, attempt=2, known=first.state))
    assert isinstance(again, Delivered)
    assert house.files() == ["report.csv"]
    assert [each.text for each in world.messages.values() if each.card is None] == ["[file] report.csv"]


async def test_an_answer_as_a_message_names_its_file_and_is_sent_once(house: House) -> None:
    house.channel.fault("create", "rejected")
    house.channel.fault("file", "not_dispatched", times=2)
    first = await house.ran(file_event())
    assert isinstance(first, Owed)
    again = await house.delivered(house.opening(file_event(), TEXT, ENDED, attempt=2, known=first.state))
    assert isinstance(again, Delivered) and house.files() == ["report.csv"]
    texts = [text for text in house.channel.visible(house.channel.conversation()) if "the whole answer" in text]
    assert len(texts) == 1 and "File: report.csv" in texts[0]
