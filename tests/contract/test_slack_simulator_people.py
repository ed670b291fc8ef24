from __future__ import annotations

import asyncio
import base64
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from tests.contract.slack_workspace import Socket, Workspace, button, open_workspace, until


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with open_workspace() as workspace:
        yield workspace


@pytest.fixture
async def socket(workspace: Workspace) -> AsyncIterator[Socket]:
    socket = Socket(workspace)
    await socket.connect()
    yield socket
    await socket.close()


async def event(socket: Socket) -> dict[str, Any]:
    return (await socket.next())["payload"]["event"]


async def test_replies_broadcasts_edits_and_deletes(workspace: Workspace, socket: Socket) -> None:
    simulator = workspace.simulator
    root = simulator.send("C0TEAM", "U0LIN", "root")
    await event(socket)
    simulator.send("C0TEAM", "U0CHEN", "reply", thread_ts=root.ts)
    reply = await event(socket)
    assert (reply["thread_ts"], reply["parent_user_id"]) == (root.ts, "U0LIN")
    simulator.send("C0TEAM", "U0CHEN", "to all", thread_ts=root.ts, broadcast=True)
    assert (await event(socket))["subtype"] == "thread_broadcast"
    simulator.edit(root.message_id, "root, @niuma")
    changed, mention = await event(socket), await event(socket)
    assert (changed["subtype"], changed["hidden"], changed["channel_type"]) == ("message_changed", True, "channel")
    assert changed["message"]["text"] == "root, <@U0NIUMA>"
    assert changed["previous_message"]["text"] == "root"
    assert (mention["type"], mention["ts"]) == ("app_mention", root.ts)
    simulator.delete(root.message_id)
    deleted = await event(socket)
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", root.ts)
    assert simulator.shown(root.message_id) == ""


async def test_the_bots_own_messages_edits_and_reactions_come_back(workspace: Workspace, socket: Socket) -> None:
    web = workspace.web
    ts = (await web.chat_postMessage(channel="C0TEAM", text="mine"))["ts"]
    own = await event(socket)
    assert (own["bot_id"], own["user"], own["app_id"]) == ("B0NIUMA", "U0NIUMA", "A0NIUMA")
    await web.chat_update(channel="C0TEAM", ts=ts, text="mine too")
    assert (await event(socket))["subtype"] == "message_changed"
    await web.reactions_add(channel="C0TEAM", timestamp=ts, name="eyes")
    added = await event(socket)
    assert (added["type"], added["user"], added["item"]["ts"]) == ("reaction_added", "U0NIUMA", ts)
    await web.chat_delete(channel="C0TEAM", ts=ts)
    assert (await event(socket))["subtype"] == "message_deleted"


@pytest.mark.parametrize(("wanted", "count"), [("none", 0), ("ends", 2), ("all", 3)])
async def test_a_streams_changes_come_back_as_the_options_say(
    workspace: Workspace, socket: Socket, wanted: Any, count: int
) -> None:
    workspace.simulator.options.stream_events = wanted
    ts = await workspace.stream("1.1")
    await workspace.web.chat_appendStream(channel="C0TEAM", ts=ts, markdown_text="x")
    await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts)
    await asyncio.sleep(0.05)
    assert socket.envelopes.qsize() == count


async def test_files_reactions_other_bots_members_and_the_home(workspace: Workspace, socket: Socket) -> None:
    simulator = workspace.simulator
    body = {"chat_id": "D0LIN", "as": "U0LIN", "name": "a.png", "base64": base64.b64encode(b"png").decode()}
    sent = await workspace.control("POST", "upload", {**body, "text": "what is this?"})
    shared = await event(socket)
    assert simulator.shown(sent["message_id"]) == "what is this?\n[file] a.png"
    assert (shared["subtype"], shared["text"], shared["files"][0]["mimetype"]) == (
        "file_share", "what is this?", "image/png",
    )  # fmt: skip
    await workspace.control("POST", "upload", {**body, "file_access": "check_file_info"})
    held = (await event(socket))["files"][0]
    assert held["file_access"] == "check_file_info" and "url_private" not in held
    assert (await workspace.web.files_info(file=held["id"]))["file"]["size"] == 3

    await workspace.control("POST", "react", {"message_id": sent["message_id"], "as": "U0LIN", "name": "+1"})
    assert (await event(socket))["reaction"] == "+1"
    again = {"message_id": sent["message_id"], "as": "U0LIN", "name": "+1"}
    assert "error" in await workspace.control("POST", "react", again)
    await workspace.control("POST", "react", {**again, "removed": True})
    assert (await event(socket))["type"] == "reaction_removed"

    simulator.send("C0TEAM", "", "beep", as_bot={"id": "B0CI", "name": "CI"})
    beep = await event(socket)
    assert (beep["subtype"], beep["bot_id"], beep["username"]) == ("bot_message", "B0CI", "CI")
    assert "user" not in beep
    await workspace.control("POST", "join", {"chat_id": "C0TEAM", "as": "U0NEW"})
    assert (await event(socket))["type"] == "member_joined_channel"
    await workspace.control("POST", "open_home", {"as": "U0LIN"})
    opened = await event(socket)
    assert (opened["type"], opened["tab"], opened["channel"]) == ("app_home_opened", "messages", "D0LIN")


async def test_a_shared_channels_author_names_another_team(workspace: Workspace, socket: Socket) -> None:
    workspace.simulator.add_person("U0FAR", "Far Away", team="T0OTHER")
    workspace.simulator.world.chats["C0TEAM"].members.append("U0FAR")
    workspace.simulator.send("C0TEAM", "U0FAR", "hi")
    payload = (await socket.next())["payload"]
    assert (payload["team_id"], payload["event"]["team"], payload["event"]["user_team"]) == (
        "T0DEMO", "T0OTHER", "T0OTHER",
    )  # fmt: skip


async def test_f03_typed_text_arrives_escaped_with_tokens(workspace: Workspace, socket: Socket) -> None:
    workspace.simulator.send("D0LIN", "U0LIN", "a < b && c, see https://docs.example.com/?x=1&y=2. @channel")
    typed = await event(socket)
    text = typed["text"]
    assert typed["blocks"][0]["elements"][0]["elements"] == [
        {"type": "text", "text": "a < b && c, see "},
        {"type": "link", "url": "https://docs.example.com/?x=1&y=2"},
        {"type": "text", "text": ". "},
        {"type": "broadcast", "range": "channel"},
    ]
    assert text == "a &lt; b &amp;&amp; c, see <https://docs.example.com/?x=1&amp;y=2>. <!channel>"
    raw = "<@U0NIUMA> in <#C042|ops> <https://a.example|docs>"
    sent = workspace.simulator.send("C0TEAM", "U0LIN", raw, raw=True)
    assert workspace.simulator.shown(sent.message_id) == "@niuma in #ops docs"


async def test_a_response_url_works_five_times_for_half_an_hour(workspace: Workspace, socket: Socket) -> None:
    socket.answer = {"text": "on it", "response_type": "in_channel"}
    assert (await workspace.simulator.command("C0TEAM", "U0LIN", "/agent", "go"))["acked"]
    assert workspace.simulator.state()["messages"][-1]["ephemeral_to"] is None
    url = (await socket.next())["payload"]["response_url"]
    while not socket.envelopes.empty():
        socket.envelopes.get_nowait()
    for _ in range(5):
        assert await respond(workspace, url, {"text": "late"}) == (200, None)
    assert await respond(workspace, url, {"text": "late"}) == (404, "used_url")
    assert workspace.simulator.state()["messages"][-1]["ephemeral_to"] == "U0LIN"
    socket.answer = None
    await workspace.simulator.command("C0TEAM", "U0LIN", "/agent")
    envelope = await socket.next()
    while envelope["type"] != "slash_commands":
        envelope = await socket.next()
    workspace.simulator.advance(1801)
    assert await respond(workspace, envelope["payload"]["response_url"], {"text": "x"}) == (404, "expired_url")


async def respond(workspace: Workspace, url: str, body: dict[str, Any]) -> tuple[int, str | None]:
    async with workspace.session.post(url, json=body) as response:
        return response.status, (await response.json()).get("error")


async def test_presses_that_cannot_be_and_presses_nobody_answers(workspace: Workspace, socket: Socket) -> None:
    simulator = workspace.simulator
    posted = await workspace.web.chat_postEphemeral(
        channel="C0TEAM", user="U0LIN", text="x", blocks=[button("ok", "1"), button("no", "2")]
    )
    message_id = f"C0TEAM/{posted['message_ts']}"
    assert [each["action_id"] for each in simulator.buttons(message_id)] == ["ok", "no"]
    assert "error" in await workspace.control("POST", "click", {"message_id": message_id, "action_id": "gone"})
    assert (await simulator.click(message_id, "U0LIN", value="2"))["acked"]
    payload = (await socket.next())["payload"]
    assert payload["container"]["is_ephemeral"] is True and "message" not in payload
    assert payload["actions"][0]["action_id"] == "no"
    stale = {"type": "button", "action_id": "gone", "value": "old"}
    assert (await simulator.click(message_id, "U0LIN", element=stale))["acked"]
    assert (await socket.next())["payload"]["actions"][0]["value"] == "old"
    socket.auto = False
    pressed = asyncio.create_task(simulator.click(message_id, "U0LIN", "ok"))
    await socket.next()
    simulator.advance(3)
    assert await pressed == {"acked": False, "error": "operation_timeout"}
    assert "error" in await workspace.control(
        "POST", "command", {"chat_id": "C0TEAM", "as": "U0LIN", "command": "/agent", "thread_ts": "1.1"}
    )


async def test_feedback_below_a_finished_stream_is_pressed_by_its_value(workspace: Workspace, socket: Socket) -> None:
    sides = {
        f"{side}_button": {"text": {"type": "plain_text", "text": side}, "value": side}
        for side in ("positive", "negative")
    }
    feedback = {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "fb", **sides}]}
    ts = await workspace.stream("1.1", markdown_text="x")
    await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts, blocks=[feedback])
    assert (await workspace.simulator.click(f"C0TEAM/{ts}", "U0CHEN", "fb", value="negative"))["acked"]
    payloads = [(await socket.next()) for _ in range(3)]
    pressed = next(each["payload"] for each in payloads if each["type"] == "interactive")
    assert (pressed["actions"][0]["value"], pressed["user"]["id"]) == ("negative", "U0CHEN")
    assert pressed["actions"][0]["block_id"] and pressed["message"]["ts"] == ts


async def test_a_modal_is_opened_once_with_a_fresh_trigger_and_sent_off(workspace: Workspace) -> None:
    triggers: list[str] = []
    modal = {"type": "modal", "callback_id": "ask", "title": {"type": "plain_text", "text": "Ask"}, "blocks": []}

    def register(app: AsyncApp) -> None:
        @app.command("/ask")
        async def ask(ack: Any, body: dict[str, Any]) -> None:
            await ack()
            triggers.append(body["trigger_id"])
            await workspace.web.views_open(trigger_id=body["trigger_id"], view=modal)

        @app.view("ask")
        async def submitted(ack: Any, body: dict[str, Any]) -> None:
            found = body["view"]["state"]["values"]["q"]["a"]["value"]
            await (ack() if found else ack(response_action="errors", errors={"q": "empty"}))

    await workspace.connect(register)
    await workspace.simulator.command("C0TEAM", "U0LIN", "/ask")
    await until(lambda: len(workspace.simulator.responses.views) == 1)
    view_id = next(iter(workspace.simulator.responses.views))
    answers = [{"q": {"a": {"value": value}}} for value in ("", "why?")]
    first = await workspace.control("POST", "submit", {"view_id": view_id, "values": answers[0]})
    assert first["response"] == {"response_action": "errors", "errors": {"q": "empty"}}
    assert (await workspace.control("POST", "submit", {"view_id": view_id, "values": answers[1]}))["acked"]
    assert not workspace.simulator.responses.views
    with pytest.raises(SlackApiError, match="exchanged_trigger_id"):
        await workspace.web.views_open(trigger_id=triggers[0], view=modal)


async def test_a_status_ends_with_a_reply_an_empty_one_or_after_two_minutes(workspace: Workspace) -> None:
    web, root = workspace.web, workspace.simulator.send("D0LIN", "U0LIN", "hi").ts

    async def set_status(status: str = "is thinking", **more: Any) -> None:
        await web.assistant_threads_setStatus(channel_id="D0LIN", thread_ts=root, status=status, **more)

    await set_status(loading_messages=["Reading"])
    assert [(each["status"], each["loading"]) for each in workspace.simulator.state()["statuses"]] == [
        ("is thinking", ["Reading"])
    ]
    await web.chat_postMessage(channel="D0LIN", thread_ts=root, text="done")
    assert workspace.simulator.state()["statuses"] == []
    await set_status()
    workspace.simulator.advance(121)
    assert workspace.simulator.state()["statuses"] == []
    await set_status()
    await set_status("")
    assert workspace.simulator.state()["statuses"] == []
    workspace.simulator.options.agent_app = False
    with pytest.raises(SlackApiError, match="not_agent_app"):
        await set_status()


async def test_the_feed_tells_the_page_what_changed(workspace: Workspace) -> None:
    async with workspace.session.get(f"{workspace.simulator.url}/_sim/events") as response:
        await response.content.readuntil(b"\n\n")
        workspace.simulator.send("C0TEAM", "U0LIN", "hi")
        line = (await response.content.readuntil(b"\n\n")).decode()
        assert line.startswith('data: {"kind": "message", "message": {"id": "C0TEAM/')
        await workspace.web.assistant_threads_setStatus(channel_id="C0TEAM", thread_ts="1.1", status="reads")
        assert '"statuses"' in (await response.content.readuntil(b"\n\n")).decode()


async def test_what_cannot_be_is_an_error_of_the_control_api(workspace: Workspace) -> None:
    for path, body in (
        ("send", {"chat_id": "C0X", "as": "U0LIN", "text": "x"}),
        ("send", {"chat_id": "C0TEAM", "as": "U0LIN", "text": "x", "thread_ts": "1.1"}),
        ("edit", {"message_id": "C0TEAM/1.1", "text": "x"}),
        ("drop", {"how": "loudly"}),
        ("disconnect", {"reason": "boredom"}),
        ("options", {"colour": "red"}),
        ("advance", {"seconds": -1}),
    ):
        assert "error" in await workspace.control("POST", path, body), path
    workspace.simulator.options.messages_tab = False
    assert "error" in await workspace.control("POST", "send", {"chat_id": "D0LIN", "as": "U0LIN", "text": "x"})
    for name in ("..%2Foptions.py", "missing.js"):
        async with workspace.session.get(f"{workspace.simulator.url}/_sim/static/{name}") as response:
            assert response.status == 404


async def test_as_a_process_it_says_where_it_listens_keeps_its_state_and_ends_on_sigterm(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    for texts in ([], ["hello", "streamed"]):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "channels.simulators.slack", "--app", "xoxb-a:xapp-a:moo", "--state", str(state),
            stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert process.stdout is not None
        word, url = (await asyncio.wait_for(process.stdout.readline(), 20)).decode().split()
        assert word == "listening"
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{url}/_sim/state") as response:
                found = await response.json()
            body = {"chat_id": "D0LIN", "as": "U0LIN", "text": "hello"}
            async with session.post(f"{url}/_sim/send", json=body) as response:
                ts = (await response.json())["ts"]
            stream = {"channel": "D0LIN", "thread_ts": ts, "markdown_text": "streamed", "token": "xoxb-a"}
            async with session.post(f"{url}/api/chat.startStream", data=stream) as response:
                assert (await response.json())["ok"]
        assert [bot["user_id"] for bot in found["bots"]] == ["U0MOO"]
        assert [message["shown"] for message in found["messages"]] == texts
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0
