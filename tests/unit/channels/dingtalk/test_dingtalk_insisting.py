"""A refusal for pace is waited out when it is short; one for minutes leaves the answer owed."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

import pytest

from channels.dingtalk.limits import TO_GROUP, capabilities_of
from channels.dingtalk.post_office import PostOffice
from channels.dingtalk.settings import DingtalkSettings
from channels.errors import RateLimited
from channels.pacing import Pacer
from gateway.clock import FakeClock


def office(clock: FakeClock) -> PostOffice:
    settings = DingtalkSettings.model_validate({"id": "main", "client_id": "dingx", "client_secret": "x"})
    pacer = Pacer(capabilities_of(settings), clock)
    return PostOffice(None, pacer, None)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("retry_after_s", "tries"), [(1.0, 4), (300.0, 1)])
async def test_only_a_short_refusal_is_waited_out(clock: FakeClock, retry_after_s: float, tries: int) -> None:
    asked: list[float] = []

    async def refused() -> str:
        asked.append(clock.steady_s())
        raise RateLimited("no", retry_after_s=retry_after_s, scope="chat", code="blocked")

    work = asyncio.ensure_future(office(clock).insist(TO_GROUP, "cid1", nullcontext, refused))
    await clock.advance(60)
    assert work.done() and isinstance(work.exception(), RateLimited)
    assert len(asked) == tries
