from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from channels.simulators.feishu import FeishuSimulator
from tests.contract.feishu_socket import RestClient, SocketClient

CARD: dict[str, Any] = {
    "schema": "2.0",
    "config": {"streaming_mode": True, "update_multi": True},
    "header": {"title": {"tag": "plain_text", "content": "Working"}},
    "body": {"elements": [{"tag": "markdown", "element_id": "answer", "content": ""}]},
}


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
async def simulator() -> AsyncIterator[FeishuSimulator]:
    simulator = FeishuSimulator()
    await simulator.start()
    yield simulator
    await simulator.stop()


@pytest.fixture
async def socket(simulator: FeishuSimulator, session: aiohttp.ClientSession) -> AsyncIterator[SocketClient]:
    client = SocketClient(simulator, session)
    await client.connect()
    yield client
    await client.close()


@pytest.fixture
async def rest(simulator: FeishuSimulator, session: aiohttp.ClientSession) -> RestClient:
    client = RestClient(simulator, session)
    await client.login()
    return client


async def test_a_mention_becomes_an_event_and_the_answer_grows_on_a_card(
    simulator: FeishuSimulator, socket: SocketClient, rest: RestClient
) -> None:
    sent = simulator.send("oc_team", "ou_lin", "@niuma what is new?")
    event = await socket.next()
    assert event["header"]["event_id"] == sent.event_id
    assert json.loads(event["event"]["message"]["content"]) == {"text": "@_user_1 what is new?"}
    assert event["event"]["message"]["mentions"][0]["id"]["open_id"] == "ou_niuma"

    card_id = await rest.create_card(CARD)
    content = json.dumps({"type": "card", "data": {"card_id": card_id}})
    found = await rest.call(
        "POST", f"im/v1/messages/{sent.message_id}/reply", {"msg_type": "interactive", "content": content}
    )
    for text in ("Two", "Two things"):
        assert (await rest.card("PUT", f"{card_id}/elements/answer/content", {"content": text}))["code"] == 0
    shown = simulator.message(found["data"]["message_id"])
    assert shown["text"] == "Working\nTwo things"
    assert shown["parent_id"] == sent.message_id
    assert shown["card_state"]["streaming"] is True
    assert [state["text"] for state in simulator.card_history(card_id)] == [
        "Working", "Working\nTwo", "Working\nTwo things",
    ]  # fmt: skip
