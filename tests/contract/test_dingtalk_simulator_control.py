from __future__ import annotations

import asyncio
import base64
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from channels.simulators.dingtalk.simulator import DingTalkSimulator
from channels.simulators.dingtalk.statefile import StateFileError
from tests.contract.dingtalk_wire import LIN, LIN_DIRECT, TEAM, Org, open_org, until


@pytest.fixture
async def org() -> AsyncIterator[Org]:
    async with open_org() as org:
        yield org


async def control(org: Org, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    async with org.session.request(method, f"{org.simulator.url}/_sim/{path}", json=body or {}) as response:
        return await response.json()


async def test_the_state_names_people_bots_chats_and_messages(org: Org) -> None:
    sent = await control(org, "POST", "send", {"chat_id": TEAM, "as": LIN, "text": "@niuma hi"})
    state = await control(org, "GET", "state")
    assert {person["name"] for person in state["people"]} == {"Lin Wei", "Chen Yu"}
    assert state["bots"] == [{"app_id": "dingdemo", "name": "niuma", "connections": 1}]
    assert [(chat["id"], chat["type"]) for chat in state["chats"]] == [(TEAM, "group"), (LIN_DIRECT, "single")]
    (message,) = state["messages"]
    assert set(message) == {
        "id", "chat_id", "sender", "msg_type", "text", "card", "emotions", "recalled", "files", "at_users",
        "recipients", "quotes", "create_time_ms",
    }  # fmt: skip
    assert (message["id"], message["text"]) == (sent["message_id"], "@niuma hi")
    assert message["sender"] == {"type": "user", "id": LIN, "name": "Lin Wei"}


async def test_a_card_is_shown_with_all_that_a_page_needs(org: Org) -> None:
    await org.create("card-1", privateData={LIN: {"cardParamMap": {"show_stop": "true"}}})
    card = (await control(org, "GET", "state"))["messages"][0]["card"]
    assert set(card) == {
        "out_track_id", "template_id", "variables", "params", "private", "flow_status", "streaming_key", "buttons",
        "personal_buttons", "blank", "updated_at_ms",
    }  # fmt: skip
    assert card["variables"][0] == {"name": "title", "kind": "text", "visible_key": "", "private": False}
    assert not any(button["visible"] for button in card["buttons"])
    assert [each["id"] for each in card["personal_buttons"][LIN] if each["visible"]] == ["btn_stop"]


async def test_changes_are_streamed(org: Org) -> None:
    changes: list[dict[str, Any]] = []

    async def listen() -> None:
        async with org.session.get(f"{org.simulator.url}/_sim/events") as response:
            async for line in response.content:
                changes.extend([json.loads(line[6:])] if line.startswith(b"data: ") else [])

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.1)
    await org.create("card-1")
    await org.frame("card-1", "more")
    await until(lambda: any(each["kind"] == "message" and each["message"]["text"] == "more" for each in changes))
    await control(org, "POST", "drop", {"how": "abort"})
    await until(lambda: {"kind": "connection", "app_id": "dingdemo", "connections": 0} in changes)
    await control(org, "POST", "send", {"chat_id": LIN_DIRECT, "as": LIN, "text": "hello?"})
    await until(lambda: changes[-1]["kind"] == "toast")
    assert changes[-1]["open_id"] == LIN
    listener.cancel()


async def test_files_links_and_presses_work_from_outside(org: Org) -> None:
    body = {"name": "cat.png", "kind": "image", "base64": base64.b64encode(b"cat").decode()}
    file_id = (await control(org, "POST", "upload", body))["id"]
    async with org.session.get(f"{org.simulator.url}/_sim/files", params={"id": file_id}) as response:
        assert (response.content_type, await response.read()) == ("image/png", b"cat")
    picture = {"chat_id": LIN_DIRECT, "as": LIN, "msg_type": "picture", "file": file_id}
    assert (await control(org, "POST", "send", picture))["robots"] == 1
    url = "dtmd://dingtalkclient/sendMessage?content=yes"
    assert (await control(org, "POST", "link", {"chat_id": LIN_DIRECT, "as": LIN, "url": url}))["robots"] == 1
    await org.create("card-1")
    press = {"out_track_id": "card-1", "as": LIN, "button_id": "btn_stop"}
    assert (await control(org, "POST", "click", press))["reason"] == "no_button"
    assert [each["how"] for each in await control(org, "GET", "cards/card-1/history")] == ["create"]


async def test_clock_options_faults_and_tokens_are_moved_from_outside(org: Org) -> None:
    before = (await control(org, "GET", "state"))["now_ms"]
    assert (await control(org, "POST", "advance", {"seconds": 100}))["now_ms"] - before >= 100_000
    assert (await control(org, "POST", "options", {"api_per_second": 40}))["api_per_second"] == 40
    rule = {"match": {"path": "createAndDeliver"}, "action": {"status": 403, "code": "Forbidden.X"}}
    await control(org, "POST", "faults", {"rules": [rule]})
    assert (await org.create("card-1"))[1]["code"] == "Forbidden.X"
    await control(org, "POST", "faults", {"rules": [rule]})
    await control(org, "DELETE", "faults")
    assert (await org.create("card-1"))[0] == 200
    assert (await control(org, "GET", "usage"))["calls"] == 1
    await control(org, "POST", "revoke_token")
    assert (await org.create("card-2"))[1]["code"] == "InvalidAuthentication"
    entries = await control(org, "GET", "timeline")
    assert entries[-1]["code"] == "InvalidAuthentication"


async def test_what_cannot_be_is_an_error_of_the_control_api(org: Org) -> None:
    for path, body in (
        ("send", {"chat_id": "cidx", "as": LIN, "text": "x"}),
        ("send", {"chat_id": TEAM, "as": LIN, "msg_type": "file", "file": "@nobody"}),
        ("click", {"message_id": "msgx"}),
        ("recall", {"message_id": "msgx"}),
        ("link", {"chat_id": TEAM, "as": LIN, "url": "https://example.com"}),
        ("drop", {"how": "loudly"}),
        ("faults", {"rules": [{"match": {"colour": "red"}, "action": {"drop": True}}]}),
        ("advance", {"seconds": -1}),
        ("options", {"nonsense": 1}),
        ("templates", {"id": "x", "colour": "red"}),
        ("chats", {"type": "single", "members": [LIN, "x"]}),
    ):
        assert "error" in await control(org, "POST", path, body), path


async def test_chats_are_founded_and_events_pushed(org: Org) -> None:
    chat_id = (await control(org, "POST", "chats", {"name": "New", "members": ["0369ana"]}))["chat_id"]
    sent = {"chat_id": chat_id, "as": "0369ana", "text": "@niuma hi"}
    assert (await control(org, "POST", "send", sent))["robots"] == 1
    await org.stream.next()
    await control(org, "POST", "event", {"event_type": "chat_disband", "event": {"chatId": chat_id}})
    assert (await org.stream.next())["headers"]["eventType"] == "chat_disband"


async def test_only_the_pages_own_files_are_served(org: Org) -> None:
    for name in ("..%2Foptions.py", ".hidden", "missing.js"):
        async with org.session.get(f"{org.simulator.url}/_sim/static/{name}") as response:
            assert response.status == 404


async def test_the_state_comes_back_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    async with open_org(connect=False, state_file=file) as org:
        org.simulator.upload("a.pdf", b"%PDF")
        await org.create("card-1", {"show_stop": "true"})
        await org.frame("card-1", "half", guid="g")
        shown = org.simulator.card("card-1")
    again = DingTalkSimulator(state_file=file)
    await again.start()
    assert again.card("card-1") == shown
    assert [each.data for each in again.world.files.values()] == [b"%PDF"]
    await again.stop()
    file.write_text('{"v": 99}')
    with pytest.raises(StateFileError):
        await DingTalkSimulator(state_file=file).start()


async def test_as_a_process_it_says_where_it_listens_keeps_its_state_and_ends_on_sigterm(tmp_path: Path) -> None:
    state, template = tmp_path / "state.json", tmp_path / "card.json"
    template.write_text(json.dumps({"id": "mine.schema", "variables": ["content"], "streaming_key": "content"}))
    for texts in ([], ["hello"]):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "channels.simulators.dingtalk", "--app", "dinga:s:moo", "--state", str(state),
            "--template", str(template), "--option", "api_per_second=40",
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert process.stdout is not None
        word, url = (await asyncio.wait_for(process.stdout.readline(), 20)).decode().split()
        assert word == "listening"
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/_sim/state") as response:
                found = await response.json()
            async with session.post(f"{url}/_sim/options", json={}) as response:
                assert (await response.json())["api_per_second"] == 40
            body = {"chat_id": TEAM, "as": LIN, "text": "hello"}
            async with session.post(f"{url}/_sim/send", json=body) as response:
                assert response.status == 200
        assert [bot["app_id"] for bot in found["bots"]] == ["dinga"]
        assert [message["text"] for message in found["messages"]] == texts
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0
