"""The keeper of long connections, on a clock that tests move."""

from __future__ import annotations

import asyncio

import pytest

from channels.connection import Keeper, KeeperTimes, within
from channels.errors import AuthFailed, ConnectionLost, NotConnected
from gateway.clock import FakeClock

TIMES = KeeperTimes(dial_timeout_s=20, ping_every_s=10, silence_s=20)


class FakeLink:
    """Ends when told; counts pings and is heard whenever one is answered."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.heard_s = clock.steady_s()
        self.pings = 0
        self.answers = True
        self.closed = False
        self.serves = 0
        self.end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.end_again: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def serve(self) -> None:
        self.serves += 1
        await (asyncio.shield(self.end) if self.serves == 1 else asyncio.shield(self.end_again))

    async def ping(self) -> None:
        self.pings += 1
        if self.answers:
            self.heard_s = self.clock.steady_s()

    async def close(self) -> None:
        self.closed = True


class Platform:
    """What a dial meets: a list of errors first, then links."""

    def __init__(self, clock: FakeClock, *errors: Exception) -> None:
        self.clock = clock
        self.errors = list(errors)
        self.dials: list[float] = []
        self.links: list[FakeLink] = []
        self.hangs = 0

    async def dial(self) -> FakeLink:
        self.dials.append(self.clock.steady_s())
        if self.hangs:
            self.hangs -= 1
            await asyncio.get_running_loop().create_future()
        if self.errors:
            raise self.errors.pop(0)
        self.links.append(FakeLink(self.clock))
        return self.links[-1]


def keeper_of(platform: Platform, times: KeeperTimes = TIMES) -> Keeper:
    return Keeper(platform.dial, platform.clock, name="test", times=times, spread=lambda: 0.5)


async def test_live_once_dialled_and_stopped_cleanly(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    assert keeper.state.code == "connecting"
    keeper.start()
    await clock.settle()
    assert keeper.state.code == "live"
    await keeper.stop()
    assert keeper.state.code == "stopped"
    assert platform.links[0].closed
    await clock.advance(100)
    assert len(platform.dials) == 1


async def test_after_a_drop_the_first_try_comes_within_a_second(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(60)
    platform.links[0].end.set_exception(ConnectionLost())
    await clock.settle()
    assert keeper.state.code == "lost"
    await clock.advance(1)
    assert keeper.state.code == "live"
    assert keeper.drops == 1
    await keeper.stop()


async def test_pauses_grow_and_stay_under_a_minute(clock):
    platform = Platform(clock, *[NotConnected("away")] * 12)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(600)
    gaps = [later - earlier for earlier, later in zip(platform.dials, platform.dials[1:], strict=False)]
    assert gaps[0] < 1
    assert gaps == sorted(gaps)
    assert 45 <= gaps[-1] < 60
    assert keeper.state.code == "live"
    await keeper.stop()


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_jitter_keeps_the_bounds(clock, spread):
    keeper = Keeper(Platform(clock).dial, clock, name="test", spread=lambda: spread)
    assert keeper.retry_after_s(0) < 1
    assert keeper.retry_after_s(50) <= 60


async def test_a_connection_that_never_settles_is_not_dialled_in_a_rush(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    for _ in range(200):
        await clock.advance(0.5)
        if not platform.links[-1].end.done():
            platform.links[-1].end.set_result(None)
    assert len(platform.dials) < 15
    await keeper.stop()


async def test_a_link_that_asks_for_a_fresh_connection_gets_it_at_once(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(30)
    platform.links[0].end.set_result(None)
    await clock.settle()
    await clock.settle()
    assert keeper.state.code == "live"
    assert len(platform.links) == 2
    await keeper.stop()


async def test_the_old_link_goes_on_until_the_fresh_one_is_live(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(30)
    platform.hangs = 1
    platform.links[0].end.set_result(None)
    await clock.advance(5)
    assert (platform.links[0].serves, platform.links[0].closed) == (2, False)
    await clock.advance(16)
    assert platform.links[0].closed, "not for ever"
    await clock.advance(10)
    assert keeper.state.code == "live"
    platform.links[1].end.set_result(None)
    await clock.settle()
    await clock.settle()
    assert (platform.links[1].closed, len(platform.links)) == (True, 3)
    await keeper.stop()
    assert platform.links[2].closed


async def test_stopping_closes_the_old_link_too(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(30)
    platform.hangs = 1
    platform.links[0].end.set_result(None)
    await clock.advance(1)
    assert not platform.links[0].closed
    await keeper.stop()
    assert platform.links[0].closed


async def test_a_silent_link_is_given_up_within_thirty_seconds(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(100)
    assert len(platform.links) == 1
    platform.links[0].answers = False
    await clock.advance(30)
    assert platform.links[0].closed
    assert len(platform.links) == 2
    await keeper.stop()


async def test_pings_come_at_their_pace(clock):
    platform = Platform(clock)
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(61)
    assert platform.links[0].pings == 7
    await keeper.stop()


async def test_a_hung_dial_is_given_up(clock):
    platform = Platform(clock)
    platform.hangs = 1
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(19)
    assert keeper.state.code == "connecting"
    await clock.advance(2)
    assert keeper.state.code == "live"
    await keeper.stop()


async def test_refused_credentials_show_and_are_tried_again(clock):
    platform = Platform(clock, AuthFailed("bad secret"), AuthFailed("bad secret"))
    keeper = keeper_of(platform)
    keeper.start()
    await clock.settle()
    assert (keeper.state.code, keeper.state.reason) == ("auth_failed", "bad secret")
    await clock.advance(10)
    assert keeper.state.code == "live"
    await keeper.stop()


async def test_a_bug_in_a_dial_does_not_end_the_keeper(clock, caplog):
    platform = Platform(clock, ZeroDivisionError("bug"))
    keeper = keeper_of(platform)
    keeper.start()
    await clock.advance(2)
    assert keeper.state.code == "live"
    assert "connection_failed" in caplog.text
    await keeper.stop()


async def test_within_gives_the_result_or_gives_up(clock):
    async def quick() -> int:
        return 7

    assert await within(clock, 5, quick()) == 7
    never = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(within(clock, 5, never))
    await clock.advance(6)
    with pytest.raises(NotConnected):
        await waiting
    assert never.cancelled()
