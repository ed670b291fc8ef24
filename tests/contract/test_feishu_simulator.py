from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.contract.feishu_socket import RestClient, SocketClient, Tenant, button, card, open_tenant, until


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    async with open_tenant() as tenant:
        yield tenant


async def test_a_mention_becomes_an_event_and_the_answer_grows_on_a_card(tenant: Tenant) -> None:
    simulator, rest = tenant.simulator, tenant.rest
    sent = simulator.send("oc_team", "ou_lin", "@niuma what is new?")
    event = await tenant.socket.next()
    assert event["header"]["event_id"] == sent.event_id
    assert json.loads(event["event"]["message"]["content"]) == {"text": "@_user_1 what is new?"}
    assert event["event"]["message"]["mentions"][0]["id"]["open_id"] == "ou_niuma"

    card_id = await rest.create_card(card())
    content = json.dumps({"type": "card", "data": {"card_id": card_id}})
    body = {"msg_type": "interactive", "content": content}
    found = await rest.call("POST", f"im/v1/messages/{sent.message_id}/reply", body)
    for text in ("Two", "Two things"):
        assert (await rest.card("PUT", f"{card_id}/elements/answer/content", {"content": text}))["code"] == 0
    shown = simulator.message(found["data"]["message_id"])
    assert shown["text"] == "Working\nTwo things"
    assert shown["parent_id"] == sent.message_id
    assert shown["card_state"]["streaming"] is True
    states = simulator.card_history(card_id)
    assert [state["text"] for state in states] == ["Working", "Working\nTwo", "Working\nTwo things"]
    assert states[-1]["typing"]["answer"] == {"chars": 10, "typed_from": 3}
    assert states[0]["mono_s"] <= states[-1]["mono_s"]


async def test_in_a_group_only_mentions_are_heard_unless_the_app_may_hear_all(tenant: Tenant) -> None:
    assert tenant.simulator.send("oc_team", "ou_lin", "just talking").event_id == ""
    tenant.simulator.options.group_messages = "all"
    assert tenant.simulator.send("oc_team", "ou_lin", "just talking").event_id
    assert tenant.simulator.send("oc_dm_lin", "ou_lin", "hi").event_id


async def test_wrong_secrets_are_refused(tenant: Tenant) -> None:
    body = {"AppID": "cli_demo", "AppSecret": "no"}
    async with tenant.session.post(f"{tenant.simulator.url}/callback/ws/endpoint", json=body) as response:
        assert (response.status, (await response.json())["code"]) == (200, 10014)
    path = "auth/v3/tenant_access_token/internal"
    assert (await tenant.rest.call("POST", path, {"app_id": "cli_demo", "app_secret": "no"}))["code"] == 10014
    assert (await tenant.rest.call("POST", path, {"app_id": "cli_x", "app_secret": "no"}))["code"] == 10003


async def test_a_token_is_kept_until_half_an_hour_is_left_then_ages_and_can_be_revoked(tenant: Tenant) -> None:
    rest, first = tenant.rest, tenant.rest.token
    tenant.simulator.advance(7200 - 1801)
    await rest.login()
    assert rest.token == first
    tenant.simulator.advance(2)
    await rest.login()
    assert rest.token != first
    tenant.simulator.advance(1900)
    rest.token, second = first, rest.token
    assert (await rest.call("GET", "bot/v3/info"))["code"] == 99991663
    rest.token = second
    assert (await rest.call("GET", "bot/v3/info"))["bot"]["open_id"] == "ou_niuma"
    tenant.simulator.revoke_token()
    assert (await rest.call("GET", "bot/v3/info"))["code"] == 99991663
    rest.token = ""
    assert (await rest.call("GET", "bot/v3/info"))["code"] == 99991661


async def test_a_ping_is_answered_with_the_client_config(tenant: Tenant) -> None:
    tenant.simulator.options.ping_interval_s = 7
    await tenant.socket.ping()
    await until(lambda: bool(tenant.socket.frames))
    pong = tenant.socket.frames[0]
    assert (pong.method, pong.headers["type"], json.loads(pong.payload)["PingInterval"]) == (0, "pong", 7)


async def test_long_payloads_come_in_parts(tenant: Tenant) -> None:
    tenant.simulator.options.part_bytes = 100
    tenant.simulator.send("oc_dm_lin", "ou_lin", "x" * 500)
    event = await tenant.socket.next()
    assert json.loads(event["event"]["message"]["content"]) == {"text": "x" * 500}
    assert len(tenant.socket.frames) > 5
    assert {frame.headers["sum"] for frame in tenant.socket.frames} == {str(len(tenant.socket.frames))}


async def test_the_51st_connection_is_refused_in_the_handshake(tenant: Tenant) -> None:
    tenant.simulator.options.max_connections = 1
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await SocketClient(tenant.simulator, tenant.session).connect()
    assert refused.value.headers is not None
    assert refused.value.headers["Handshake-Status"] == "514"
    assert refused.value.headers["Handshake-Autherrcode"] == "1000040350"


async def test_each_event_goes_to_one_connection_at_random_and_to_every_app(tenant: Tenant) -> None:
    second = SocketClient(tenant.simulator, tenant.session)
    await second.connect()
    for number in range(12):
        tenant.simulator.send("oc_dm_lin", "ou_lin", str(number))
    await until(lambda: tenant.socket.events.qsize() + second.events.qsize() == 12)
    assert tenant.socket.events.qsize() > 0
    assert second.events.qsize() > 0
    await second.close()


async def test_two_bots_in_a_group_get_the_same_message_with_their_own_events(tenant: Tenant) -> None:
    tenant.simulator.add_app("cli_other", "s", "moo")
    tenant.simulator.app_id, tenant.simulator.app_secret = "cli_other", "s"
    other = SocketClient(tenant.simulator, tenant.session)
    await other.connect()
    tenant.simulator.send("oc_team", "ou_lin", "@niuma @moo hi")
    mine, theirs = await tenant.socket.next(), await other.next()
    assert mine["event"]["message"]["message_id"] == theirs["event"]["message"]["message_id"]
    assert mine["header"]["event_id"] != theirs["header"]["event_id"]
    assert (mine["header"]["app_id"], theirs["header"]["app_id"]) == ("cli_demo", "cli_other")
    await other.close()


async def test_a_press_waits_for_the_answer_and_locks_the_card_meanwhile(tenant: Tenant) -> None:
    tree = card(button({"act": "stop"}), button({"act": "old"}, disabled=True))
    card_id, message_id = await tenant.sent_card(tree)
    tenant.socket.auto = False
    press = asyncio.create_task(tenant.simulator.click(message_id, "ou_lin", {"act": "stop"}))
    event = await tenant.socket.next()
    assert event["event"]["action"]["value"] == {"act": "stop"}
    assert event["event"]["context"] == {"open_message_id": message_id, "open_chat_id": "oc_team"}
    assert len(event["header"]["create_time"]) == 16
    locked = await tenant.rest.card("PUT", f"{card_id}/elements/answer/content", {"content": "more"})
    assert locked["code"] == 200810
    tenant.socket.answer = {"toast": {"type": "info", "content": "ok"}}
    await tenant.socket.ack(tenant.socket.frames[-1])
    assert await press == {"code": 0, "toast": {"type": "info", "content": "ok"}}
    for value in ({"act": "old"}, {"act": "gone"}):
        assert (await tenant.simulator.click(message_id, "ou_lin", value))["code"] == 404


async def test_a_press_without_answer_or_with_an_error_shows_the_clients_code(tenant: Tenant) -> None:
    _, message_id = await tenant.sent_card(card(button({"act": "stop"})))
    tenant.socket.code = 500
    assert (await tenant.simulator.click(message_id, "ou_lin", {"act": "stop"}))["code"] == 200671
    tenant.socket.auto = False
    press = asyncio.create_task(tenant.simulator.click(message_id, "ou_lin", {"act": "stop"}))
    await tenant.socket.next()
    await tenant.socket.next()
    tenant.simulator.advance(3)
    assert (await press)["code"] == 200341


async def test_a_card_in_the_answer_is_shown_only_when_the_card_does_not_stream(tenant: Tenant) -> None:
    new = card(streaming=False)
    new["header"]["title"]["content"] = "Stopped"
    for streaming, title in ((True, "Working"), (False, "Stopped")):
        _, message_id = await tenant.sent_card(card(button({"act": "stop"}), streaming=streaming))
        tenant.socket.answer = {"card": {"type": "raw", "data": new}}
        assert (await tenant.simulator.click(message_id, "ou_lin", {"act": "stop"}))["code"] == 0
        assert tenant.simulator.message(message_id)["text"].startswith(title)


async def test_a_fresh_client_needs_no_socket_to_send(tenant: Tenant) -> None:
    rest = RestClient(tenant.simulator, tenant.session)
    await rest.login()
    assert (await rest.send("oc_team", "text", {"text": "hello"}))["code"] == 0
