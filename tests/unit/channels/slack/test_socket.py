"""What one socket makes of its frames."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import aiohttp
import pytest

from channels.errors import ConnectionLost
from channels.readable import Json
from channels.slack.socket import Ack, Socket
from gateway.clock import FakeClock


class _Wire:
    """Gives frames of text, then the end."""

    close_code = 1000

    def __init__(self, *frames: str) -> None:
        self._frames = list(frames)

    async def receive(self) -> aiohttp.WSMessage:
        # What was read before is answered meanwhile.
        await asyncio.sleep(0)
        if not self._frames:
            return aiohttp.WSMessage(aiohttp.WSMsgType.CLOSED, None, None)
        return aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, self._frames.pop(0), None)

    @property
    def closed(self) -> bool:
        return not self._frames

    async def close(self) -> None:
        self._frames.clear()


async def _payloads(*frames: str) -> list[Json]:
    seen: list[Json] = []

    async def answer(envelope_id: str, payload: Json, takes_payload: bool) -> Ack:
        seen.append(payload)
        return Ack(False)

    socket = Socket(cast("Any", _Wire(*frames)), FakeClock(), answer)
    with pytest.raises(ConnectionLost):
        await socket.read()
    await socket.close()
    return seen


async def test_half_a_character_can_be_stored_when_it_reaches_the_handler() -> None:
    (payload,) = await _payloads(r'{"envelope_id": "e1", "payload": {"text": "half \ud83d"}}')
    assert payload["text"].encode() == "half \ufffd".encode()


@pytest.mark.parametrize("broken", ["{", "[]", "[" * 100_000], ids=["half", "no object", "too deep"])
async def test_a_frame_that_cannot_be_read_costs_no_connection(broken: str) -> None:
    assert await _payloads(broken, '{"envelope_id": "e1", "payload": {"text": "next"}}') == [{"text": "next"}]
