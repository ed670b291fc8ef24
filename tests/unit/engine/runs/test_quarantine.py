from __future__ import annotations

import asyncio

import pytest

from engine.runs.quarantine import Quarantine, Slot


async def enter(quarantine: Quarantine, stuck: int, log: list[int]) -> Slot:
    slot = await quarantine.enter(stuck)
    log.append(stuck)
    return slot


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_at_a_time_the_most_suspect_first() -> None:
    quarantine, log = Quarantine(), []
    first = await enter(quarantine, 1, log)
    waiting = [asyncio.create_task(enter(quarantine, stuck, log)) for stuck in (1, 5, 3)]
    await settle()
    assert log == [1]
    first.leave()
    first.leave()
    await settle()
    assert log == [1, 5]
    (await waiting[1]).leave()
    await settle()
    (await waiting[2]).leave()
    await settle()
    assert log == [1, 5, 3, 1]


async def test_one_that_is_cut_while_it_waits_holds_nobody_up() -> None:
    quarantine, log = Quarantine(), []
    first = await enter(quarantine, 1, log)
    cut = asyncio.create_task(enter(quarantine, 2, log))
    after = asyncio.create_task(enter(quarantine, 1, log))
    await settle()
    cut.cancel()
    await settle()
    first.leave()
    await after
    assert log == [1, 1]


async def test_one_that_is_cut_at_the_moment_of_its_turn_passes_it_on() -> None:
    quarantine, log = Quarantine(), []
    first = await enter(quarantine, 1, log)
    cut = asyncio.create_task(enter(quarantine, 2, log))
    after = asyncio.create_task(enter(quarantine, 1, log))
    await settle()
    first.leave()
    cut.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cut
    await after
    assert log == [1, 1]
