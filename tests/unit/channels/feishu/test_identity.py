"""We ask for our own id until the platform tells it, whatever it says before."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from channels.errors import NotDispatched
from channels.feishu.client import Client
from channels.feishu.identity import learn
from channels.feishu.mentions import BotIdentity
from gateway.clock import FakeClock


class Unsure:
    """Fails once, then tells."""

    def __init__(self, error: Exception) -> None:
        self._errors = [error]

    async def bot_id(self) -> str:
        if self._errors:
            raise self._errors.pop()
        return "ou_bot"


@pytest.mark.parametrize("error", [NotDispatched(), KeyError("bot"), TypeError("bot is null")], ids=repr)
async def test_it_asks_again(error: Exception, clock: FakeClock) -> None:
    me = BotIdentity("feishu", "main")
    learning = asyncio.ensure_future(learn(me, cast("Client", cast("Any", Unsure(error))), clock))
    await clock.advance(1)
    await learning
    assert me.open_id == "ou_bot"
