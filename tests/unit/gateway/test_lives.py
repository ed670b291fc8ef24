"""A lost replica gives way to the next one, later each time, until the end is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.app import lives as module
from gateway.app.lives import Lives
from gateway.clock import FakeClock
from gateway.errors import StartupFailed


class FakeLife:
    def __init__(self, *, fails: bool) -> None:
        self.fails = fails
        self.happened: list[str] = []
        self.is_lost = asyncio.Event()

    def take_folder(self) -> None:
        self.happened.append("folder")

    async def start(self) -> None:
        if self.fails:
            raise StartupFailed("away", component="database", hint="")
        self.happened.append("start")

    async def stop(self) -> None:
        self.happened.append("stop")

    async def lost(self) -> None:
        await self.is_lost.wait()

    def hurry(self) -> None:
        self.happened.append("hurry")


class Cradle:
    """Builds lives; those in `failing` (their number) do not start."""

    def __init__(self, clock: FakeClock, failing: set[int]) -> None:
        self.clock = clock
        self.born: list[FakeLife] = []
        self._failing = failing
        self.lives = Lives(self._build, clock)

    def _build(self) -> FakeLife:
        self.born.append(FakeLife(fails=len(self.born) in self._failing))
        return self.born[-1]

    async def waits_s(self, at_most_s: float) -> float:
        """Move the clock until the next life is built; gives how long that took."""
        before, waited_s = len(self.born), 0.0
        while len(self.born) == before and waited_s < at_most_s:
            await self.clock.advance(0.1)
            waited_s += 0.1
        assert len(self.born) > before
        return waited_s


@asynccontextmanager
async def cradle(clock: FakeClock, failing: set[int] | None = None) -> AsyncIterator[Cradle]:
    made = Cradle(clock, failing or set())
    await made.lives.now.start()
    living = asyncio.create_task(made.lives.last())
    await clock.advance(0)
    yield made
    made.lives.end()
    await asyncio.wait_for(living, 2)


def between(first_s: float, least: float, most: float) -> bool:
    return least * (1 - module._SPREAD) - 0.2 <= first_s <= most * (1 + module._SPREAD) + 0.2


async def test_a_lost_one_is_stopped_before_the_next_begins(clock: FakeClock) -> None:
    async with cradle(clock) as made:
        made.born[0].is_lost.set()
        assert between(await made.waits_s(5), 1, 1)
        await clock.advance(0)
        assert made.born[0].happened == ["start", "stop"]
        assert made.lives.now is made.born[1]
        assert made.born[1].happened == ["folder", "start"]


async def test_those_that_do_not_start_and_those_soon_lost_are_followed_later_and_later(clock: FakeClock) -> None:
    async with cradle(clock, {1, 2}) as made:
        made.born[0].is_lost.set()
        waited = [await made.waits_s(100) for _ in range(3)]
        await clock.advance(0)
        assert made.lives.now is made.born[3], "one that did not start is never the present one"
        made.born[3].is_lost.set()
        waited.append(await made.waits_s(100))
        assert all(between(each, 2**n, 2**n) for n, each in enumerate(waited)), waited


async def test_a_long_life_begins_the_count_again(clock: FakeClock) -> None:
    async with cradle(clock) as made:
        for _ in range(4):
            made.born[-1].is_lost.set()
            await made.waits_s(100)
            await clock.advance(0)
        await clock.advance(module.WELL_AFTER_S + 1)
        made.born[-1].is_lost.set()
        assert between(await made.waits_s(100), 1, 1)


async def test_the_end_may_be_asked_for_while_nothing_lives(clock: FakeClock) -> None:
    async with cradle(clock) as made:
        made.born[0].is_lost.set()
        await clock.advance(0.1)
    assert len(made.born) == 1
    made.lives.end()
    assert made.born[0].happened == ["start", "stop", "hurry"]
