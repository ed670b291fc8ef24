from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.contract.feishu_socket import SocketClient, Tenant, open_tenant, until


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    async with open_tenant() as tenant:
        yield tenant


def attempts(tenant: Tenant) -> int:
    entries = tenant.simulator.timeline.since()
    return sum(entry.kind == "out" and entry.path.startswith("im.message.receive_v1#") for entry in entries)


async def test_an_unacknowledged_event_comes_again_after_15_s_5_min_1_h_and_6_h_and_then_never(tenant: Tenant) -> None:
    tenant.socket.auto = False
    sent = tenant.simulator.send("oc_dm_lin", "ou_lin", "hello")
    for count, wait_s in enumerate((0, 15, 300, 3600, 21600), start=1):
        if wait_s:
            tenant.simulator.advance(wait_s - 1)
            await asyncio.sleep(0.02)
            assert attempts(tenant) == count - 1
            tenant.simulator.advance(1)
        assert (await tenant.socket.next())["header"]["event_id"] == sent.event_id
        assert attempts(tenant) == count
    tenant.simulator.advance(100_000)
    await until(lambda: not tenant.simulator.deliveries.pending)
    assert attempts(tenant) == 5


async def test_an_event_acknowledged_with_500_comes_again_and_with_200_does_not(tenant: Tenant) -> None:
    tenant.socket.code = 500
    tenant.simulator.send("oc_dm_lin", "ou_lin", "hello")
    await tenant.socket.next()
    tenant.socket.code = 200
    await until(lambda: any(entry.kind == "in" for entry in tenant.simulator.timeline.since()))
    tenant.simulator.advance(15)
    await tenant.socket.next()
    await until(lambda: not tenant.simulator.deliveries.pending)
    tenant.simulator.advance(400)
    await asyncio.sleep(0.02)
    assert attempts(tenant) == 2


async def test_an_event_sent_while_nobody_is_connected_waits_for_its_time_or_for_the_connection(tenant: Tenant) -> None:
    await tenant.socket.close()
    await until(lambda: tenant.simulator.sockets.count("cli_demo") == 0)
    tenant.simulator.send("oc_dm_lin", "ou_lin", "one")
    again = SocketClient(tenant.simulator, tenant.session)
    await again.connect()
    await asyncio.sleep(0.02)
    assert again.events.empty()
    tenant.simulator.advance(15)
    await again.next()

    await again.close()
    await until(lambda: tenant.simulator.sockets.count("cli_demo") == 0)
    tenant.simulator.options.replay_on_connect = True
    tenant.simulator.send("oc_dm_lin", "ou_lin", "two")
    await again.connect()
    assert "two" in (await again.next())["event"]["message"]["content"]
    await again.close()


async def test_faults_of_delivery_duplicate_lose_and_delay(tenant: Tenant) -> None:
    tenant.simulator.faults.add({"match": {"event": "receive_v1"}, "action": {"duplicate": True}})
    sent = tenant.simulator.send("oc_dm_lin", "ou_lin", "twice")
    found = [await tenant.socket.next(), await tenant.socket.next()]
    assert {each["event"]["message"]["message_id"] for each in found} == {sent.message_id}
    assert len({each["header"]["event_id"] for each in found}) == 2

    tenant.simulator.faults.add({"match": {"event": "receive_v1"}, "action": {"lost_ack": True}})
    tenant.simulator.send("oc_dm_lin", "ou_lin", "lost ack")
    first = await tenant.socket.next()
    tenant.simulator.advance(15)
    assert (await tenant.socket.next())["header"]["event_id"] == first["header"]["event_id"]

    tenant.simulator.faults.add({"match": {"event": "receive_v1"}, "action": {"drop": True}})
    tenant.simulator.send("oc_dm_lin", "ou_lin", "dropped")
    await until(lambda: tenant.simulator.timeline.since()[-1].method == "undelivered")
    tenant.simulator.advance(15)
    assert "dropped" in (await tenant.socket.next())["event"]["message"]["content"]


async def test_a_message_can_be_delivered_again_under_the_same_or_another_event_id(tenant: Tenant) -> None:
    sent = tenant.simulator.send("oc_dm_lin", "ou_lin", "hello")
    await tenant.socket.next()
    assert tenant.simulator.redeliver(sent.message_id, new_event_id=False) == sent.event_id
    assert tenant.simulator.redeliver(sent.message_id) != sent.event_id
    for _ in range(2):
        assert (await tenant.socket.next())["event"]["message"]["message_id"] == sent.message_id


@pytest.mark.parametrize("how", ["close", "abort"])
async def test_connections_can_be_ended(tenant: Tenant, how: str) -> None:
    assert await tenant.control("POST", "drop", {"how": how}) == {"connections": 1}
    await until(lambda: tenant.simulator.sockets.count("cli_demo") == 0)
    await until(lambda: tenant.socket.ended)


async def test_a_frozen_connection_stays_open_and_answers_nothing(tenant: Tenant) -> None:
    await tenant.simulator.drop(how="freeze")
    await tenant.socket.ping()
    tenant.simulator.send("oc_dm_lin", "ou_lin", "hello")
    await asyncio.sleep(0.05)
    assert tenant.socket.frames == []
    assert not tenant.socket.socket.closed
    again = SocketClient(tenant.simulator, tenant.session)
    await again.connect()
    assert tenant.simulator.sockets.count("cli_demo") == 2


async def test_discovery_and_handshake_can_be_refused_delayed_and_hung(tenant: Tenant) -> None:
    url = f"{tenant.simulator.url}/callback/ws/endpoint"
    body = {"AppID": "cli_demo", "AppSecret": "secret_demo"}
    match = {"path": "/callback/ws/endpoint"}
    tenant.simulator.faults.add({"match": match, "action": {"status": 200, "code": 1000040343}})
    async with tenant.session.post(url, json=body) as response:
        assert (await response.json())["code"] == 1000040343
    tenant.simulator.faults.add({"match": match, "action": {"hang": True}})
    with pytest.raises(TimeoutError):
        await tenant.session.post(url, json=body, timeout=aiohttp.ClientTimeout(total=0.1))
    tenant.simulator.faults.add({"match": {"path": "^/ws$"}, "action": {"status": 403}})
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await SocketClient(tenant.simulator, tenant.session).connect()
    assert refused.value.headers is not None
    assert refused.value.headers["Handshake-Status"] == "403"


async def test_topics_replies_recalls_and_reactions_reach_the_bot(tenant: Tenant) -> None:
    root = tenant.simulator.send("oc_topics", "ou_lin", "@niuma new topic")
    thread_id = (await tenant.socket.next())["event"]["message"]["thread_id"]
    tenant.simulator.send("oc_topics", "ou_chen", "@niuma and?", thread_id=thread_id)
    message = (await tenant.socket.next())["event"]["message"]
    assert (message["thread_id"], message["root_id"], message["parent_id"]) == (
        thread_id, root.message_id, root.message_id,
    )  # fmt: skip
    tenant.simulator.recall(root.message_id)
    recalled = await tenant.socket.next()
    assert recalled["header"]["event_type"] == "im.message.recalled_v1"
    assert tenant.simulator.message(root.message_id)["recalled"] is True
    body = {"reaction_type": {"emoji_type": "OnIt"}}
    reply = f"im/v1/messages/{message['message_id']}/reactions"
    made = await tenant.rest.call("POST", reply, body)
    assert (await tenant.socket.next())["event"]["operator_type"] == "app"
    await tenant.rest.call("DELETE", f"{reply}/{made['data']['reaction_id']}")
    assert (await tenant.socket.next())["header"]["event_type"] == "im.message.reaction.deleted_v1"
    assert tenant.simulator.message(message["message_id"])["reactions"] == []


async def test_any_event_can_be_pushed(tenant: Tenant) -> None:
    event = {"operator": {"operator_id": {"open_id": "ou_lin"}}, "event_key": "help", "timestamp": 1}
    await tenant.control("POST", "event", {"event_type": "application.bot.menu_v6", "event": event})
    assert (await tenant.socket.next())["event"] == event


async def test_malformed_frames_are_recorded_and_disturb_nothing(tenant: Tenant) -> None:
    await tenant.socket.socket.send_bytes(b"\xff\xff")
    tenant.simulator.send("oc_dm_lin", "ou_lin", "hello")
    event = await tenant.socket.next()
    assert json.loads(event["event"]["message"]["content"])["text"] == "hello"
    assert any(entry.method == "bad_frame" for entry in tenant.simulator.timeline.since())
