"""A sign goes again, however soon it has to."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from channels.errors import Rejected
from channels.feishu.client import Client
from channels.feishu.limits import capabilities_of
from channels.feishu.signs import Signs
from channels.pacing import Pacer
from gateway.clock import FakeClock


class SlowPlatform:
    """Takes a second to set a sign."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.on: set[str] = set()
        self.refuses = False
        self.looks = 0

    async def add_reaction(self, message_id: str, emoji: str) -> str:
        await self._clock.sleep(1)
        if self.refuses:
            raise Rejected
        self.on.add(f"{message_id}-{emoji}")
        return f"{message_id}-{emoji}"

    async def own_reactions(self, message_id: str, emoji: str) -> list[str]:
        self.looks += 1
        if self.refuses:
            raise Rejected
        return [each for each in self.on if each == f"{message_id}-{emoji}"]

    async def remove_reaction(self, message_id: str, reaction_id: str) -> None:
        self.on.remove(reaction_id)


def signs_on(platform: SlowPlatform, clock: FakeClock) -> Signs:
    return Signs(cast("Client", cast("Any", platform)), Pacer(capabilities_of("exempt"), clock))


async def test_a_sign_that_is_only_being_set_is_taken_off_when_it_stands(clock: FakeClock) -> None:
    platform = SlowPlatform(clock)
    signs = signs_on(platform, clock)
    setting = asyncio.ensure_future(signs.put_on("om_1", "queued"))
    await clock.settle()
    taking = asyncio.ensure_future(signs.take_off("om_1", "queued"))
    await clock.advance(2)
    await asyncio.gather(setting, taking)
    assert platform.on == set()


async def test_a_refused_sign_is_nothing_to_take_off(clock: FakeClock) -> None:
    platform = SlowPlatform(clock)
    platform.refuses = True
    signs = signs_on(platform, clock)
    setting = asyncio.ensure_future(signs.put_on("om_1", "queued"))
    await clock.settle()
    taking = asyncio.ensure_future(signs.take_off("om_1", "queued"))
    await clock.advance(2)
    await asyncio.gather(setting, taking)
    assert platform.on == set()


async def cleared(message: str, platform: SlowPlatform, clock: FakeClock) -> None:
    """Let a process that knows of no signs clear one; it waits for its turns."""
    clearing = asyncio.ensure_future(signs_on(platform, clock).clear(message, "queued"))
    await clock.advance(5)
    await clearing


async def test_a_sign_of_an_earlier_process_is_looked_for_and_taken_off(clock: FakeClock) -> None:
    platform = SlowPlatform(clock)
    platform.on = {"om_1-OnIt", "om_1-Typing", "om_2-OnIt"}
    await cleared("om_1", platform, clock)
    assert platform.on == {"om_1-Typing", "om_2-OnIt"}
    await cleared("om_1", platform, clock)
    platform.refuses = True
    await cleared("om_2", platform, clock)
    assert platform.on == {"om_1-Typing", "om_2-OnIt"}, "a refusal is no error"


async def test_a_sign_of_this_process_is_taken_off_without_a_look(clock: FakeClock) -> None:
    platform = SlowPlatform(clock)
    signs = signs_on(platform, clock)
    setting = asyncio.ensure_future(signs.put_on("om_1", "queued"))
    await clock.advance(2)
    await setting
    clearing = asyncio.ensure_future(signs.clear("om_1", "queued"))
    await clock.advance(5)
    await clearing
    assert platform.on == set() and platform.looks == 0
