from __future__ import annotations

import asyncio

from channels.feishu.turns import Turns


async def test_no_second_has_more_than_five_sends_to_a_chat(clock):
    turns, at = Turns(clock), list[float]()

    async def send(chat: str) -> None:
        await turns.wait(chat)
        if chat == "oc_1":
            at.append(clock.steady_s())

    tasks = [asyncio.create_task(send(chat)) for chat in ["oc_1"] * 12 + ["oc_2"] * 5]
    await clock.settle()
    assert len(at) == 5
    await clock.advance(3)
    await asyncio.gather(*tasks)
    assert len(at) == 12
    assert all(later - earlier > 1 for earlier, later in zip(at, at[5:], strict=False))
