from __future__ import annotations

from engine.runs.excuse import Excuse
from engine.runs.ports import Excused
from gateway.clock import FakeClock


async def test_it_is_written_only_when_the_answer_changes(clock: FakeClock) -> None:
    written: list[Excused] = []

    async def write(excused: Excused) -> None:
        written.append(excused)

    excuse = Excuse(write, clock)
    async with excuse.working():
        pass
    assert written == []
    async with excuse.waiting():
        assert excuse.is_idle and written == [Excused.YES]
        async with excuse.waiting():
            pass
        async with excuse.working():
            assert written == [Excused.YES, Excused.NO]
        assert written == [Excused.YES, Excused.NO, Excused.YES]
    assert written == [Excused.YES, Excused.NO, Excused.YES, Excused.NO]


async def test_only_time_without_work_is_idle(clock: FakeClock) -> None:
    async def write(excused: Excused) -> None:
        del excused

    excuse = Excuse(write, clock)
    async with excuse.waiting():
        await clock.advance(10)
        assert excuse.idle_s() == 10
        async with excuse.working():
            await clock.advance(5)
        await clock.advance(1)
    await clock.advance(100)
    assert excuse.idle_s() == 11
