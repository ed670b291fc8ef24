from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from channels.capabilities import MethodLimit
from channels.pacing import Pacer
from gateway.clock import FakeClock
from tests.unit.channels.pacing_world import capabilities


def pacer(clock: FakeClock, methods: Mapping[str, MethodLimit]) -> Pacer:
    return Pacer(capabilities("counted", methods=methods, streaming_methods=frozenset[str]()), clock)


async def test_no_second_has_more_than_five_sends_to_a_chat(clock: FakeClock) -> None:
    five = MethodLimit(per_chat_s=5)
    paced, at = pacer(clock, {"send": five, "reply": five}), list[float]()

    async def send(method: str, chat: str) -> None:
        await paced.turn(method, chat)
        if chat == "oc_1":
            at.append(clock.steady_s())

    wishes = [("send", "oc_1"), ("reply", "oc_1")] * 6 + [("send", "oc_2")] * 5
    tasks = [asyncio.create_task(send(*wish)) for wish in wishes]
    await clock.settle()
    assert len(at) == 5
    await clock.advance(3)
    await asyncio.gather(*tasks)
    assert len(at) == 12
    assert all(later - earlier > 1 for earlier, later in zip(at, at[5:], strict=False))


async def test_a_limit_below_one_a_second_spaces(clock: FakeClock) -> None:
    paced = pacer(clock, {"send": MethodLimit(per_chat_s=0.5)})
    await paced.turn("send", "oc_1")
    second = asyncio.ensure_future(paced.turn("send", "oc_1"))
    await clock.advance(1.9)
    assert not second.done()
    await clock.advance(0.5)
    await second


@pytest.mark.parametrize("method", ["send", "unheard_of"])
async def test_what_is_not_limited_has_its_turn_at_once(clock: FakeClock, method: str) -> None:
    paced = pacer(clock, {"send": MethodLimit(per_s=1)})
    for _ in range(20):
        await paced.turn(method, "oc_1")
