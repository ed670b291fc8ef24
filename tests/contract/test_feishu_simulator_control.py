from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.contract.feishu_socket import Tenant, button, card, open_tenant


@pytest.fixture
async def tenant() -> AsyncIterator[Tenant]:
    async with open_tenant() as tenant:
        yield tenant


async def test_the_state_names_people_bots_chats_and_messages(tenant: Tenant) -> None:
    body = {"chat_id": "oc_team", "as": "ou_lin", "text": "@niuma hi"}
    sent = await tenant.control("POST", "send", body)
    state = await tenant.control("GET", "state")
    assert {person["name"] for person in state["people"]} == {"Lin Wei", "Chen Yu"}
    assert state["bots"] == [{"app_id": "cli_demo", "open_id": "ou_niuma", "name": "niuma", "connections": 1}]
    assert [(chat["chat_id"], chat["type"]) for chat in state["chats"]] == [
        ("oc_team", "group"), ("oc_topics", "topic"), ("oc_dm_lin", "p2p"),
    ]  # fmt: skip
    message = state["messages"][0]
    assert set(message) == {
        "message_id", "chat_id", "thread_id", "root_id", "parent_id", "create_time_ms", "sender", "msg_type", "text",
        "content", "card", "card_state", "reactions", "recalled", "edited",
    }  # fmt: skip
    assert (message["message_id"], message["text"]) == (sent["message_id"], "@niuma hi")
    assert message["sender"] == {"type": "user", "id": "ou_lin", "name": "Lin Wei"}


async def test_what_was_sent_can_be_looked_at_and_no_page_of_theirs_runs(tenant: Tenant) -> None:
    files = tenant.simulator.files
    picture, page = files.keep("img_v3", "image", b"\x89PNG...."), files.keep("file_v3", "计划.html", b"<script>")
    async with aiohttp.ClientSession(tenant.simulator.url) as session:
        async with session.get(f"/_sim/files/{picture}") as shown:
            assert (shown.content_type, await shown.read()) == ("image/png", b"\x89PNG....")
        async with session.get(f"/_sim/files/{page}") as kept:
            assert kept.content_type == "application/octet-stream"
            assert kept.content_disposition is not None and kept.content_disposition.filename == "计划.html"
        async with session.get("/_sim/files/nothing") as missing:
            assert missing.status == 404


async def test_changes_are_streamed(tenant: Tenant) -> None:
    changes: list[dict[str, Any]] = []

    async def listen() -> None:
        async with tenant.session.get(f"{tenant.simulator.url}/_sim/events") as response:
            async for line in response.content:
                changes.extend([json.loads(line[6:])] if line.startswith(b"data: ") else [])

    listener = asyncio.create_task(listen())
    await asyncio.sleep(0.1)
    card_id, message_id = await tenant.sent_card(card(button({"act": "stop"})))
    await tenant.rest.card("PUT", f"{card_id}/elements/answer/content", {"content": "more"})
    tenant.socket.answer = {"toast": {"type": "success", "content": "Stopping"}}
    press = {"message_id": message_id, "as": "ou_lin", "value": {"act": "stop"}}
    assert (await tenant.control("POST", "click", press))["code"] == 0
    await tenant.simulator.drop()
    await asyncio.sleep(0.1)
    listener.cancel()
    kinds = [change["kind"] for change in changes]
    assert kinds[0] == "message"
    assert kinds[-2:] == ["toast", "connection"]
    assert changes[-2] == {"kind": "toast", "open_id": "ou_lin", "tone": "success", "text": "Stopping"}
    texts = [change["message"]["text"] for change in changes if change["kind"] == "message"]
    assert texts[-1] == "Working\nmore\n[Stop]"


async def test_clock_options_and_tokens_are_moved_from_outside(tenant: Tenant) -> None:
    before = (await tenant.control("GET", "state"))["now_ms"]
    moved = await tenant.control("POST", "clock", {"advance_s": 100})
    assert moved["now_ms"] - before >= 100_000
    options = await tenant.control("POST", "options", {"chat_per_second": 1})
    assert (options["chat_per_second"], tenant.simulator.options.chat_per_second) == (1, 1)
    assert "error" in await tenant.control("POST", "options", {"nonsense": 1})
    await tenant.control("POST", "revoke_token", {})
    assert (await tenant.rest.call("GET", "bot/v3/info"))["code"] == 99991663


async def test_what_cannot_be_is_an_error_of_the_control_api(tenant: Tenant) -> None:
    for path, body in (
        ("send", {"chat_id": "oc_x", "as": "ou_lin", "text": "x"}),
        ("send", {"chat_id": "oc_team", "as": "ou_lin", "text": "x", "reply_to": "om_x"}),
        ("click", {"message_id": "om_x"}),
        ("drop", {"how": "loudly"}),
        ("faults", {"rules": [{"match": {"colour": "red"}, "action": {"drop": True}}]}),
        ("clock", {"advance_s": -1}),
    ):
        assert "error" in await tenant.control("POST", path, body), path


@pytest.mark.parametrize(("action", "applied"), [({"drop": True}, False), ({"lost_answer": True}, True)])
async def test_a_call_can_be_cut_before_or_after_its_effect(
    tenant: Tenant, action: dict[str, Any], applied: bool
) -> None:
    card_id, message_id = await tenant.sent_card(card())
    rule = {"match": {"method": "PUT", "path": "/content$"}, "skip": 1, "times": 2, "action": action}
    await tenant.control("POST", "faults", {"rules": [rule]})
    path = f"{card_id}/elements/answer/content"
    assert (await tenant.rest.card("PUT", path, {"content": "one"}))["code"] == 0
    with pytest.raises(aiohttp.ClientError):  # two times, as aiohttp repeats a PUT once by itself
        await tenant.rest.card("PUT", path, {"content": "one two"})
    shown = "one two" if applied else "one"
    assert tenant.simulator.message(message_id)["text"] == f"Working\n{shown}"
    assert (await tenant.rest.card("PUT", path, {"content": "one two three"}))["code"] == 0


async def test_a_call_can_be_answered_with_any_error_or_late(tenant: Tenant) -> None:
    headers = {"x-ogw-ratelimit-reset": "3"}
    action = {"status": 429, "code": 99991400, "headers": headers}
    tenant.simulator.faults.add({"match": {"path": "bot/v3"}, "action": action, "times": 2})
    for code in (99991400, 99991400, 0):
        assert (await tenant.rest.call("GET", "bot/v3/info"))["code"] == code
    tenant.simulator.faults.add({"match": {"path": "bot/v3"}, "action": {"delay_s": 0.1}, "times": -1})
    started = time.monotonic()
    await tenant.rest.call("GET", "bot/v3/info")
    assert time.monotonic() - started >= 0.1
    await tenant.control("DELETE", "faults")
    assert tenant.simulator.faults.find(method="GET", path="/open-apis/bot/v3/info") == {}


async def test_the_timeline_shows_requests_frames_and_codes_in_order(tenant: Tenant) -> None:
    first = (await tenant.control("GET", "timeline"))[-1]["n"] + 1
    await tenant.control("POST", "send", {"chat_id": "oc_dm_lin", "as": "ou_lin", "text": "hi"})
    await tenant.socket.next()
    await tenant.rest.call("GET", "bot/v3/info")
    await tenant.rest.card("PUT", "1/elements/a/content", {"content": "x"})
    entries = await tenant.control("GET", f"timeline?since={first}")
    assert [(entry["kind"], entry["code"]) for entry in entries] == [
        ("out", None), ("in", None), ("rest", 0), ("rest", 200740),
    ]  # fmt: skip
    assert entries[-1]["body"] == {"sequence": 1, "content": "x"}
    assert {entry["app_id"] for entry in entries} == {"cli_demo"}
    assert [entry["mono_s"] for entry in entries] == sorted(entry["mono_s"] for entry in entries)


async def test_the_history_of_a_card_is_served(tenant: Tenant) -> None:
    card_id, _ = await tenant.sent_card(card())
    history = await tenant.control("GET", f"cards/{card_id}/history")
    assert [state["kind"] for state in history] == ["create"]
    async with tenant.session.get(f"{tenant.simulator.url}/_sim/cards/1/history") as response:
        assert response.status == 404


async def test_chats_are_founded_and_the_bot_is_told(tenant: Tenant) -> None:
    body = {"name": "New", "members": ["ou_ana"], "announce": True}
    made = await tenant.control("POST", "chats", body)
    added = await tenant.socket.next()
    assert added["header"]["event_type"] == "im.chat.member.bot.added_v1"
    assert added["event"]["chat_id"] == made["chat_id"]
    sent = {"chat_id": made["chat_id"], "as": "ou_ana", "text": "@niuma hi"}
    assert (await tenant.control("POST", "send", sent))["event_id"]
    assert "error" in await tenant.control("POST", "send", {**sent, "as": "ou_lin"})
    assert "error" in await tenant.control("POST", "chats", {"type": "p2p", "members": ["ou_lin", "ou_chen"]})


async def test_only_the_pages_own_files_are_served(tenant: Tenant) -> None:
    for name in ("..%2Foptions.py", ".hidden", "missing.js"):
        async with tenant.session.get(f"{tenant.simulator.url}/_sim/static/{name}") as response:
            assert response.status == 404


async def test_as_a_process_it_says_where_it_listens_keeps_its_state_and_ends_on_sigterm(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    for texts in ([], ["hello"]):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "channels.simulators.feishu", "--app", "cli_a:s:moo", "--state", str(state),
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert process.stdout is not None
        word, url = (await asyncio.wait_for(process.stdout.readline(), 20)).decode().split()
        assert word == "listening"
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/_sim/state") as response:
                found = await response.json()
            body = {"chat_id": "oc_team", "as": "ou_lin", "text": "hello"}
            async with session.post(f"{url}/_sim/send", json=body) as response:
                assert response.status == 200
        assert [bot["app_id"] for bot in found["bots"]] == ["cli_a"]
        assert [message["text"] for message in found["messages"]] == texts
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0
