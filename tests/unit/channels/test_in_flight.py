"""Frames are answered beside each other, but not without a bound."""

from __future__ import annotations

import asyncio

import pytest

from channels.in_flight import InFlight


async def test_what_is_beyond_the_bound_is_not_begun_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    released, answered = asyncio.Event(), list[int]()

    async def answer(number: int) -> None:
        await released.wait()
        answered.append(number)

    frames = InFlight("fake", most=3)
    assert [frames.begin(answer(n)) for n in range(10)] == [True] * 3 + [False] * 7
    assert [record.message for record in caplog.records] == ["frames_dropped"]
    released.set()
    await asyncio.sleep(0.01)
    assert answered == [0, 1, 2] and not frames
    assert frames.begin(answer(10)), "there is room again"
    await frames.end(1)
    assert answered[-1] == 10


async def test_at_the_edge_a_flood_is_said_once_and_the_next_one_again(caplog: pytest.LogCaptureFixture) -> None:
    ends = [asyncio.Event() for _ in range(20)]

    async def answer(number: int) -> None:
        await ends[number].wait()

    frames = InFlight("fake", most=4)
    for number in range(10):
        frames.begin(answer(number))
        if number >= 4:
            ends[number - 4].set()
            await asyncio.sleep(0.01)
            assert frames.begin(answer(number)) and not frames.begin(answer(number))
    assert [record.message for record in caplog.records] == ["frames_dropped"]
    for end in ends:
        end.set()
    await asyncio.sleep(0.01)
    assert [frames.begin(asyncio.Event().wait()) for _ in range(5)] == [True] * 4 + [False]  # type: ignore[arg-type]
    assert len(caplog.records) == 2
    await frames.end(0)


async def test_an_end_waits_a_moment_and_then_cuts() -> None:
    cut = asyncio.Event()

    async def answer() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cut.set()

    frames = InFlight("fake")
    frames.begin(answer())
    await asyncio.sleep(0)
    await frames.end(0.01)
    assert cut.is_set()
