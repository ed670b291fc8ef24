from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from engine.runs.quarantine import LIMIT, Quarantine, Slot
from engine.runs.turn import Turn


async def enter(quarantine: Quarantine, stuck: int, log: list[int]) -> Slot:
    slot = await quarantine.enter(stuck)
    log.append(stuck)
    return slot


async def no_time(seconds: float) -> None:
    raise AssertionError(f"held for {seconds} s")


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_at_a_time_the_most_suspect_first() -> None:
    quarantine, log = Quarantine(no_time), []
    first = await enter(quarantine, 1, log)
    waiting = [asyncio.create_task(enter(quarantine, stuck, log)) for stuck in (1, 6, 2)]
    await settle()
    assert log == [1]
    first.leave()
    first.leave()
    await settle()
    assert log == [1, 6]
    (await waiting[1]).leave()
    await settle()
    (await waiting[2]).leave()
    await settle()
    assert log == [1, 6, 2, 1]


async def test_one_that_is_cut_while_it_waits_holds_nobody_up() -> None:
    quarantine, log = Quarantine(no_time), []
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
    quarantine, log = Quarantine(no_time), []
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


async def test_whoever_was_in_work_again_and_again_is_held_for_longer_and_longer() -> None:
    held: list[float] = []

    async def sleep(seconds: float) -> None:
        held.append(seconds)

    quarantine = Quarantine(sleep)
    for stuck in range(1, LIMIT):
        (await quarantine.enter(stuck)).leave()
    assert held == [1.0, 2.0, 4.0]


async def test_nobody_else_is_let_in_while_one_is_held_and_a_cut_ends_it() -> None:
    log: list[int] = []
    held = asyncio.Event()

    async def sleep(seconds: float) -> None:
        del seconds
        held.set()
        await asyncio.Event().wait()

    quarantine = Quarantine(sleep)
    first = asyncio.create_task(enter(quarantine, 5, log))
    await held.wait()
    after = asyncio.create_task(enter(quarantine, 2, log))
    await settle()
    assert log == []
    first.cancel()
    await after
    assert log == [2]


async def test_a_run_that_is_cut_at_the_moment_it_gets_the_slot_leaves_it() -> None:
    class OneRun:
        claim = SimpleNamespace(stuck=2)

        async def stopped(self) -> None:
            await asyncio.Event().wait()

    quarantine = Quarantine(no_time)
    turn = Turn(SimpleNamespace(quarantine=quarantine), *[None] * 3, resume=True)  # type: ignore[arg-type]
    cut = asyncio.create_task(turn._slot(OneRun()))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert quarantine._taken and not cut.done()
    cut.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cut
    await asyncio.wait_for(quarantine.enter(2), 1)
