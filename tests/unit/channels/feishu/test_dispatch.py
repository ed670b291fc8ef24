"""What is acked, and when: a mention that comes before our own id is known is not lost."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from channels.events import Inbound, InboundMessage
from channels.feishu.dispatch import Dispatcher
from channels.feishu.frames import parse_frame
from channels.feishu.loader import load_frame_class
from channels.feishu.mentions import BotIdentity
from channels.feishu.recalls import Recalls
from gateway.clock import FakeClock


def message(chat_type: str, *, mentions: bool) -> dict[str, Any]:
    mention = {"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "niuma", "tenant_key": "t"}
    return {
        "schema": "2.0",
        "header": {"event_id": "e1", "event_type": "im.message.receive_v1", "app_id": "a", "tenant_key": "t"},
        "event": {
            "sender": {"sender_id": {"open_id": "ou_lin"}, "sender_type": "user", "tenant_key": "t"},
            "message": {
                "message_id": "om_1",
                "create_time": "1700000000000",
                "chat_id": "oc_1",
                "chat_type": chat_type,
                "message_type": "text",
                "content": json.dumps({"text": "@_user_1 hi" if mentions else "hi"}),
                "mentions": [mention] if mentions else [],
            },
        },
    }


class House:
    def __init__(self, clock: FakeClock) -> None:
        self.identity = BotIdentity("feishu", "main")
        self.heard: list[Inbound] = []
        self.dispatcher = Dispatcher(self.identity, Recalls(), clock, self.hear)

    async def hear(self, inbound: Inbound) -> None:
        self.heard.append(inbound)

    def deliver(self, event: dict[str, Any]) -> asyncio.Task[int]:
        return asyncio.create_task(self._answer(event))

    async def _answer(self, event: dict[str, Any]) -> int:
        answer = await self.dispatcher.answer(parse_frame(data_frame(json.dumps(event).encode())))
        assert answer is not None
        return int(json.loads(parse_frame(answer).payload)["code"])


def data_frame(payload: bytes) -> bytes:
    frame: Any = load_frame_class()()
    frame.SeqID, frame.LogID, frame.service, frame.method = 1, 1, 1, 1
    for key, value in (("type", "event"), ("message_id", "m1"), ("sum", "1"), ("seq", "0")):
        header = frame.headers.add()
        header.key, header.value = key, value
    frame.payload = payload
    return bytes(frame.SerializeToString())


async def test_a_mention_waits_for_our_own_id_f02(clock: FakeClock) -> None:
    house = House(clock)
    delivery = house.deliver(message("group", mentions=True))
    await clock.advance(0.5)
    assert not delivery.done()
    house.identity.open_id = "ou_bot"
    await clock.advance(0.1)
    assert await delivery == 200
    (heard,) = house.heard
    assert isinstance(heard, InboundMessage)
    assert heard.mentions_me


async def test_a_mention_is_not_acked_while_our_own_id_stays_unknown_f02(clock: FakeClock) -> None:
    house = House(clock)
    delivery = house.deliver(message("group", mentions=True))
    await clock.advance(2.5)
    assert await delivery == 500
    assert house.heard == []


async def test_a_direct_message_needs_no_identity(clock: FakeClock) -> None:
    house = House(clock)
    assert await house.deliver(message("p2p", mentions=False)) == 200
    assert len(house.heard) == 1


async def test_half_a_character_is_replaced_so_that_the_message_can_be_stored() -> None:
    house = House(FakeClock())
    event = message("p2p", mentions=False)
    event["event"]["message"]["content"] = json.dumps({"text": "half \ud83d, whole \U0001f600"})
    assert await house.deliver(event) == 200
    (heard,) = house.heard
    assert isinstance(heard, InboundMessage) and heard.text == "half \ufffd, whole \U0001f600"


@pytest.mark.parametrize("content", ["[" * 5000 + "]" * 5000, '{"text":' * 5000])
async def test_what_is_nested_without_end_is_acked_for_a_repeat_would_not_mend_it(content: str) -> None:
    house = House(FakeClock())
    event = message("p2p", mentions=False)
    event["event"]["message"]["content"] = content
    assert await house.deliver(event) == 200
    assert house.heard == []


@pytest.mark.parametrize("body", [[], "words", {"message": []}, None])
async def test_a_message_without_its_form_is_acked_also_before_our_own_id_is_known(body: Any) -> None:
    house = House(FakeClock())
    event = message("group", mentions=True)
    event["event"] = body
    assert await house.deliver(event) == 200
    assert house.heard == []
