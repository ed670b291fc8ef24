"""Work that nobody waits for."""

from __future__ import annotations

import asyncio
import logging

import pytest

from gateway.background import Background


async def test_what_it_raises_is_told_at_once_and_fails_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def breaks() -> None:
        raise ValueError("no such chat")

    with caplog.at_level(logging.ERROR):
        Background().soon(breaks())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    (record,) = caplog.records
    assert record.message == "background_failed"
    assert record.exc_info is not None and str(record.exc_info[1]) == "no such chat"


async def test_courtesies_are_dropped_when_too_many_wait_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    released, done = asyncio.Event(), list[int]()

    async def waits(number: int) -> None:
        await released.wait()
        done.append(number)

    background, owed = Background(most=3), Background(most=None)
    assert [background.soon(waits(n)) for n in range(6)] == [True] * 3 + [False] * 3
    assert all(owed.soon(waits(10 + n)) for n in range(3)) and len(background) == 3
    assert [record.message for record in caplog.records] == ["background_full"]
    released.set()
    await asyncio.sleep(0.01)
    assert sorted(done) == [0, 1, 2, 10, 11, 12] and background.soon(waits(7))


async def test_a_shutdown_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    started = asyncio.Event()

    async def waits() -> None:
        started.set()
        await asyncio.Event().wait()

    before = asyncio.all_tasks()
    background = Background()
    background.soon(waits())
    await started.wait()
    (task,) = asyncio.all_tasks() - before
    task.cancel()
    await asyncio.wait([task])
    await asyncio.sleep(0)
    assert not caplog.records
