from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.contract.feishu_socket import Tenant, button, card, open_tenant


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    async with open_tenant() as tenant:
        yield tenant


async def send_text(tenant: Tenant, text: str = "hello", **more: Any) -> dict[str, Any]:
    tenant.simulator.advance(1)
    return await tenant.rest.send("oc_team", "text", {"text": text}, **more)


async def test_a_message_is_sent_read_edited_and_recalled(tenant: Tenant) -> None:
    sent = (await send_text(tenant))["data"]
    path = f"im/v1/messages/{sent['message_id']}"
    edit = {"msg_type": "text", "content": json.dumps({"text": "better"})}
    assert (await tenant.rest.call("PUT", path, edit))["code"] == 0
    shown = tenant.simulator.message(sent["message_id"])
    assert (shown["text"], shown["edited"], shown["sender"]["name"]) == ("better", True, "niuma")
    assert (await tenant.rest.call("GET", path))["data"]["items"][0]["updated"] is True
    assert (await tenant.rest.call("DELETE", path))["code"] == 0
    assert tenant.simulator.message(sent["message_id"])["recalled"] is True
    assert (await tenant.rest.call("PUT", path, edit))["code"] == 230011
    reply = {"msg_type": "text", "content": json.dumps({"text": "late"})}
    assert (await tenant.rest.call("POST", f"{path}/reply", reply))["code"] == 230011


async def test_a_text_can_be_edited_twenty_times(tenant: Tenant) -> None:
    path = f"im/v1/messages/{(await send_text(tenant))['data']['message_id']}"
    codes: list[int] = []
    for number in range(21):
        tenant.simulator.advance(1)
        edit = {"msg_type": "text", "content": json.dumps({"text": str(number)})}
        codes.append((await tenant.rest.call("PUT", path, edit))["code"])
    assert codes == [0] * 20 + [230072]


async def test_receivers(tenant: Tenant) -> None:
    tenant.simulator.world.chats["oc_team"].bots.remove("cli_demo")
    assert (await send_text(tenant))["code"] == 230002
    assert (await tenant.rest.send("oc_nowhere", "text", {"text": "x"}))["code"] == 230034
    body = {"receive_id": "ou_chen", "msg_type": "text", "content": '{"text":"hi"}'}
    direct = await tenant.rest.call("POST", "im/v1/messages?receive_id_type=open_id", body)
    assert tenant.simulator.world.chats[direct["data"]["chat_id"]].members == ["ou_chen"]
    nobody = {**body, "receive_id": "ou_nobody"}
    assert (await tenant.rest.call("POST", "im/v1/messages?receive_id_type=open_id", nobody))["code"] == 230013
    assert (await tenant.rest.call("POST", "im/v1/messages?receive_id_type=x", body))["code"] == 99992402


@pytest.mark.parametrize(
    ("msg_type", "content", "code"),
    [
        ("text", "no json", 230001),
        ("poem", "{}", 230054),
        ("text", json.dumps({"text": "x" * 150 * 1024}), 230025),
        ("post", json.dumps({"zh_cn": "x" * 30 * 1024}), 230025),
        ("interactive", json.dumps({"card_id": "1"}), 230099),
        ("interactive", json.dumps({"type": "card", "data": {"card_id": "1"}}), 230099),
        ("interactive", json.dumps({"type": "template", "data": {"template_id": "x"}}), 230099),
        ("interactive", json.dumps({"schema": "2.0", "nonsense": 1}), 230099),
    ],
)
async def test_wrong_contents_are_refused(tenant: Tenant, msg_type: str, content: str, code: int) -> None:
    body = {"receive_id": "oc_team", "msg_type": msg_type, "content": content}
    found = await tenant.rest.call("POST", "im/v1/messages?receive_id_type=chat_id", body)
    assert (tenant.rest.status, found["code"]) == (400, code)


async def test_a_repeated_uuid_makes_one_message_in_both_modes(tenant: Tenant) -> None:
    first = await send_text(tenant, uuid="u1")
    assert (await send_text(tenant, uuid="u1"))["data"]["message_id"] == first["data"]["message_id"]
    tenant.simulator.options.repeat_uuid = "new_code"
    assert (await send_text(tenant, uuid="u1"))["code"] == 230049
    assert len(tenant.simulator.state()["messages"]) == 1
    tenant.simulator.advance(3600)
    assert (await send_text(tenant, uuid="u1"))["code"] == 0
    assert len(tenant.simulator.state()["messages"]) == 2


async def test_an_entity_is_sent_once_unless_the_mode_allows_it(tenant: Tenant) -> None:
    card_id, message_id = await tenant.sent_card(card())
    content = {"type": "card", "data": {"card_id": card_id}}
    refused = await tenant.rest.send("oc_team", "interactive", content)
    assert (refused["code"], "200800" in refused["msg"]) == (230099, True)
    tenant.simulator.options.entity_sent_twice = "allow"
    assert (await tenant.rest.send("oc_team", "interactive", content))["code"] == 0
    converted = await tenant.rest.call("POST", "cardkit/v1/cards/id_convert", {"message_id": message_id})
    assert converted["data"]["card_id"] == card_id


async def test_a_plain_card_is_patched_at_most_five_times_a_second_and_for_14_days(tenant: Tenant) -> None:
    sent = await tenant.rest.send("oc_team", "interactive", card(streaming=False))
    path = f"im/v1/messages/{sent['data']['message_id']}"
    tree = card({"tag": "markdown", "content": "more"}, streaming=False)
    codes = [(await tenant.rest.call("PATCH", path, {"content": json.dumps(tree)}))["code"] for _ in range(6)]
    assert codes == [0, 0, 0, 0, 0, 230020]
    assert tenant.simulator.message(sent["data"]["message_id"])["text"] == "Working\nmore"
    tenant.simulator.advance(14 * 86400 + 1)
    await tenant.rest.login()
    assert (await tenant.rest.call("PATCH", path, {"content": json.dumps(tree)}))["code"] == 230031


async def test_an_old_card_is_patched_only_when_it_is_shared(tenant: Tenant) -> None:
    text = {"tag": "div", "text": {"tag": "plain_text", "content": "old"}}
    for shared, code in ((False, 230099), (True, 0)):
        tree = {"config": {"update_multi": shared}, "elements": [text]}
        sent = await tenant.rest.send("oc_team", "interactive", tree)
        path = f"im/v1/messages/{sent['data']['message_id']}"
        assert (await tenant.rest.call("PATCH", path, {"content": json.dumps(tree)}))["code"] == code


async def test_a_card_being_pressed_cannot_be_patched(tenant: Tenant) -> None:
    tree = card(button({"act": "stop"}), streaming=False)
    sent = await tenant.rest.send("oc_team", "interactive", tree)
    tenant.socket.auto = False
    press = asyncio.create_task(tenant.simulator.click(sent["data"]["message_id"], "ou_lin", {"act": "stop"}))
    await tenant.socket.next()
    path = f"im/v1/messages/{sent['data']['message_id']}"
    locked = await tenant.rest.call("PATCH", path, {"content": json.dumps(tree)})
    assert (locked["code"], "card action is lock" in locked["msg"]) == (230099, True)
    await tenant.socket.ack(tenant.socket.frames[-1])
    assert (await press)["code"] == 0


async def test_a_group_takes_five_messages_a_second_from_all_bots_together(tenant: Tenant) -> None:
    codes = [(await tenant.rest.send("oc_team", "text", {"text": str(n)}))["code"] for n in range(6)]
    assert codes == [0, 0, 0, 0, 0, 230020]
    assert (await send_text(tenant))["code"] == 0


async def test_threads_are_listed_and_started_by_reply_in_thread(tenant: Tenant) -> None:
    asked = tenant.simulator.send("oc_team", "ou_lin", "@niuma start")
    body = {"msg_type": "text", "content": '{"text":"in topic"}', "reply_in_thread": True}
    answer = (await tenant.rest.call("POST", f"im/v1/messages/{asked.message_id}/reply", body))["data"]
    assert answer["thread_id"].startswith("omt_")
    assert tenant.simulator.message(asked.message_id)["thread_id"] == answer["thread_id"]
    path = f"im/v1/messages?container_id_type=thread&container_id={answer['thread_id']}"
    listed = (await tenant.rest.call("GET", path))["data"]["items"]
    assert [each["message_id"] for each in listed] == [asked.message_id, answer["message_id"]]
    assert listed[0]["mentions"][0]["id"] == "ou_niuma"


async def test_files_go_up_and_come_down_with_their_message_only(tenant: Tenant) -> None:
    key = (await tenant.control("POST", "upload", {"name": "a.txt", "base64": "aGVsbG8="}))["key"]
    content = {"file_key": key, "file_name": "a.txt"}
    sent = tenant.simulator.send("oc_dm_lin", "ou_lin", "", msg_type="file", content=content)
    url = f"{tenant.simulator.url}/open-apis/im/v1/messages/{sent.message_id}/resources"
    headers = {"Authorization": f"Bearer {tenant.rest.token}"}
    async with tenant.session.get(f"{url}/{key}?type=file", headers=headers) as response:
        assert await response.read() == b"hello"
    async with tenant.session.get(f"{url}/other?type=file", headers=headers) as response:
        assert (await response.json())["code"] == 234003

    form = aiohttp.FormData({"image_type": "message"})
    form.add_field("image", b"png", filename="x.png")
    upload = f"{tenant.simulator.url}/open-apis/im/v1/images"
    async with tenant.session.post(upload, data=form, headers=headers) as response:
        image_key = (await response.json())["data"]["image_key"]
    await tenant.sent_card(card({"tag": "img", "img_key": image_key, "alt": {"tag": "plain_text", "content": ""}}))


async def test_the_directory_names_chats_people_and_the_bot(tenant: Tenant) -> None:
    assert (await tenant.rest.call("GET", "im/v1/chats/oc_topics"))["data"]["chat_mode"] == "topic"
    assert (await tenant.rest.call("GET", "im/v1/chats/oc_x"))["code"] == 232006
    person = await tenant.rest.call("GET", "contact/v3/users/ou_lin?user_id_type=open_id")
    assert person["data"]["user"]["name"] == "Lin Wei"
    assert (await tenant.rest.call("GET", "bot/v3/info"))["bot"]["app_name"] == "niuma"
