from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.contract.slack_workspace import Workspace, button, open_workspace, until


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with open_workspace() as workspace:
        yield workspace


async def refusal(work: Any) -> str:
    with pytest.raises(SlackApiError) as refused:
        await work
    return refused.value.response["error"]


def section(text: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **more}


async def test_text_without_blocks_removes_them_and_blocks_without_text_keep_it(workspace: Workspace) -> None:
    web = workspace.web
    ts = (await web.chat_postMessage(channel="C0TEAM", text="plain", blocks=[section("rich")]))["ts"]
    message_id = f"C0TEAM/{ts}"
    assert workspace.simulator.shown(message_id) == "rich"
    await web.api_call("chat.update", json={"channel": "C0TEAM", "ts": ts, "blocks": [section("richer")]})
    shown = workspace.simulator.message(message_id)
    assert (shown["text"], shown["shown"], shown["edited"]) == ("plain", "richer", False)
    await web.chat_update(channel="C0TEAM", ts=ts, text="poor")
    shown = workspace.simulator.message(message_id)
    assert (shown["blocks"], shown["shown"], shown["edited"]) == ([], "poor", True)
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]}
    ts = (await web.chat_postMessage(channel="C0TEAM", text="x", blocks=[rich]))["ts"]
    assert await refusal(web.chat_update(channel="C0TEAM", ts=ts, text="x", blocks=[section()])) == "block_mismatch"


async def test_lengths_are_counted_in_bytes_or_characters(workspace: Workspace) -> None:
    web, options = workspace.web, workspace.simulator.options
    options.post_burst = 100
    ts = (await web.chat_postMessage(channel="C0TEAM", text="字" * 1333))["ts"]
    assert await refusal(web.chat_update(channel="C0TEAM", ts=ts, text="字" * 1334)) == "msg_too_long"
    assert await refusal(web.chat_postMessage(channel="C0TEAM", text="x" * 4001)) == "msg_too_long"
    options.change({"text_measure": "characters", "post_text_limit": 100_000})
    await web.chat_update(channel="C0TEAM", ts=ts, text="字" * 4000)
    assert len((await web.chat_postMessage(channel="C0TEAM", text="x" * 50_000))["message"]["text"]) == 40_000
    await web.chat_postMessage(channel="C0TEAM", markdown_text="x" * 12_000)
    assert await refusal(web.chat_postMessage(channel="C0TEAM", markdown_text="x" * 12_001)) == "msg_too_long"
    both = {"markdown_text": "x", "text": "x"}
    assert await refusal(web.chat_postMessage(channel="C0TEAM", **both)) == "markdown_text_conflict"
    assert await refusal(web.api_call("chat.postMessage", json={"channel": "C0TEAM"})) == "no_text"


@pytest.mark.parametrize(
    ("blocks", "found"),
    [
        ([section("x" * 3001)], "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
        ([section(fields=[{"type": "mrkdwn", "text": "x"}] * 11)], "no more than 10 items allowed"),
        ([section(block_id="b"), section(block_id="b")], "block_id must be unique"),
        ([{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}], "must be less than 151"),
        ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "must be a plain_text object"),
        ([button("a", text="x" * 76)], "must be less than 76"),
        ([button("a", value="x" * 2001)], "must be less than 2001"),
        ([{"type": "actions", "elements": button("a")["elements"] * 2}], "action_id must be unique"),
        ([{"type": "actions", "elements": []}], "must have at least 1 item"),
        ([{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}], "no more than 10 items"),
        ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 21]}], "no more than 20 items"),
        ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}] * 2, "only one table"),
        ([{"type": "plan", "title": "p", "tasks": [{"task_id": "1"}]}], "missing required field: title"),
        ([{"type": "song"}], "unsupported type: song"),
        ([{"type": "alert", "text": {"type": "plain_text", "text": "x"}}], "not supported in messages"),
    ],
)
async def test_wrong_blocks_are_refused_with_the_place(workspace: Workspace, blocks: list[Any], found: str) -> None:
    with pytest.raises(SlackApiError) as refused:
        await workspace.web.chat_postMessage(channel="C0TEAM", text="x", blocks=blocks)
    assert refused.value.response["error"] == "invalid_blocks"
    assert found in refused.value.response["response_metadata"]["messages"][0]


async def test_blocks_may_not_be_too_many_or_too_long_together(workspace: Workspace) -> None:
    post = workspace.web.chat_postMessage
    workspace.simulator.options.post_burst = 100
    assert await refusal(post(channel="C0TEAM", text="x", blocks=[section()] * 51)) == "msg_blocks_too_many"
    assert await refusal(post(channel="C0TEAM", text="x", blocks=[section("x" * 2900)] * 5)) == "msg_blocks_too_long"
    markdown = [{"type": "markdown", "text": "x" * 6001}] * 2
    workspace.simulator.options.block_json_limit = 99_999
    assert await refusal(post(channel="C0TEAM", text="x", blocks=markdown)) == "msg_too_long"


async def test_messages_of_others_ephemeral_and_missing_ones_cannot_be_changed(workspace: Workspace) -> None:
    web = workspace.web
    theirs = workspace.simulator.send("C0TEAM", "U0LIN", "x").ts
    assert await refusal(web.chat_update(channel="C0TEAM", ts=theirs, text="y")) == "cant_update_message"
    assert await refusal(web.chat_delete(channel="C0TEAM", ts=theirs)) == "cant_delete_message"
    assert await refusal(web.chat_update(channel="C0TEAM", ts="1.1", text="y")) == "message_not_found"
    whispered = await web.chat_postEphemeral(channel="C0TEAM", user="U0CHEN", text="psst")
    message_id = f"C0TEAM/{whispered['message_ts']}"
    assert await refusal(web.chat_update(channel="C0TEAM", ts=whispered["message_ts"], text="y")) == "message_not_found"
    shown = workspace.simulator.shown
    assert (shown(message_id, "U0CHEN"), shown(message_id, "U0LIN")) == ("psst", "")
    ts = (await web.chat_postMessage(channel="C0TEAM", text="x"))["ts"]
    await web.chat_delete(channel="C0TEAM", ts=ts)
    assert await refusal(web.chat_delete(channel="C0TEAM", ts=ts)) == "message_not_found"
    workspace.simulator.options.edit_window_s = 60
    ts = (await web.chat_postMessage(channel="C0TEAM", text="x"))["ts"]
    workspace.simulator.advance(61)
    assert await refusal(web.chat_update(channel="C0TEAM", ts=ts, text="y")) == "edit_window_closed"


async def test_chats_the_bot_is_not_in(workspace: Workspace) -> None:
    world, web = workspace.simulator.world, workspace.web
    for chat_id in ("C0TEAM", "C0OPS"):
        world.chats[chat_id].bots.clear()
    assert await refusal(web.chat_postMessage(channel="C0TEAM", text="x")) == "not_in_channel"
    assert await refusal(web.chat_postMessage(channel="C0OPS", text="x")) == "channel_not_found"
    assert await refusal(web.conversations_history(channel="C0TEAM")) == "not_in_channel"
    old = (await web.chat_postMessage(channel="D0LIN", text="x"))["ts"]
    world.chats["D0LIN"].archived = True
    assert await refusal(web.chat_update(channel="D0LIN", ts=old, text="y")) == "is_archived"
    assert await refusal(web.chat_postMessage(channel="D0LIN", text="x")) == "is_archived"
    opened = (await web.conversations_open(users="U0CHEN"))["channel"]["id"]
    assert (await web.chat_postMessage(channel="U0CHEN", text="x"))["channel"] == opened


async def test_metadata_is_found_again_in_the_replies_of_a_thread(workspace: Workspace) -> None:
    web, metadata = workspace.web, {"event_type": "niuma", "event_payload": {"run": "r1"}}
    root = workspace.simulator.send("C0TEAM", "U0LIN", "@niuma hi").ts
    await web.chat_postMessage(channel="C0TEAM", thread_ts=root, text="answer", metadata=metadata)
    ts = await workspace.stream(root, markdown_text="stream")
    await web.chat_stopStream(channel="C0TEAM", ts=ts, metadata=metadata)
    bare = (await web.conversations_replies(channel="C0TEAM", ts=root))["messages"]
    assert [each["text"] for each in bare] == ["<@U0NIUMA> hi", "answer", "stream"]
    assert not any("metadata" in each for each in bare)
    assert bare[0]["reply_count"] == 2 and bare[1]["parent_user_id"] == "U0LIN"
    found = (await web.conversations_replies(channel="C0TEAM", ts=root, include_all_metadata=True))["messages"]
    assert [each.get("metadata") for each in found] == [None, metadata, metadata]
    assert [each["text"] for each in (await web.conversations_history(channel="C0TEAM"))["messages"]] == [
        "<@U0NIUMA> hi"
    ]
    bad = {"event_type": "x"}
    assert await refusal(web.chat_postMessage(channel="C0TEAM", text="x", metadata=bad)) == "invalid_metadata_format"


async def test_reactions_people_and_channels(workspace: Workspace) -> None:
    web = workspace.web
    ts = workspace.simulator.send("C0TEAM", "U0LIN", "x").ts
    await web.reactions_add(channel="C0TEAM", timestamp=ts, name="eyes")
    assert await refusal(web.reactions_add(channel="C0TEAM", timestamp=ts, name="eyes")) == "already_reacted"
    shown = workspace.simulator.message(f"C0TEAM/{ts}")
    assert shown["reactions"] == [{"name": "eyes", "users": ["U0NIUMA"], "count": 1}]
    await web.reactions_remove(channel="C0TEAM", timestamp=ts, name="eyes")
    assert await refusal(web.reactions_remove(channel="C0TEAM", timestamp=ts, name="eyes")) == "no_reaction"
    assert (await web.users_info(user="U0LIN"))["user"]["profile"]["display_name"] == "Lin Wei"
    assert await refusal(web.users_info(user="U0X")) == "user_not_found"
    assert (await web.conversations_info(channel="C0OPS"))["channel"]["is_private"] is True
    assert (await web.conversations_info(channel="D0LIN"))["channel"]["user"] == "U0LIN"
    members = (await web.conversations_members(channel="C0TEAM"))["members"]
    assert members == ["U0LIN", "U0CHEN", "U0NIUMA"]


async def test_files_go_up_in_three_steps_and_down_only_with_token_and_scope(workspace: Workspace) -> None:
    found = await workspace.web.files_upload_v2(
        channel="C0TEAM", content=b"a,b\n1,2\n", filename="table.csv", title="Table", initial_comment="here"
    )
    assert found["files"][0]["title"] == "Table"
    await until(lambda: bool(workspace.simulator.state()["messages"]))
    message = workspace.simulator.state()["messages"][-1]
    assert (message["subtype"], message["text"], message["files"][0]["size"]) == ("file_share", "here", 8)

    sent = workspace.simulator.upload("D0LIN", "U0LIN", "../a b?.txt", b"up")
    odd = workspace.simulator.message(sent.message_id)["files"][0]
    url = message["files"][0]["url_private"]
    headers = {"Authorization": f"Bearer {workspace.simulator.bot_token}"}
    assert await fetch(workspace, url, headers) == (200, "text/csv", b"a,b\n1,2\n")
    assert (await fetch(workspace, odd["url_private_download"], headers))[2] == b"up"
    status, kind, data = await fetch(workspace, url, {})
    assert (status, kind) == (200, "text/html") and b"Sign in" in data
    workspace.simulator.options.withheld_scopes = ["files:read"]
    assert (await fetch(workspace, url, headers))[1] == "text/html"
    workspace.simulator.options.files_redirect_to = "https://elsewhere.example/"
    async with workspace.session.get(url, headers=headers, allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "https://elsewhere.example/")


async def test_an_upload_of_another_length_is_refused(workspace: Workspace) -> None:
    begun = await workspace.web.files_getUploadURLExternal(filename="a.txt", length=3)
    async with workspace.session.post(begun["upload_url"], data=b"four") as response:
        assert response.status == 400
    complete = workspace.web.files_completeUploadExternal(files=[{"id": begun["file_id"]}], channel_id="C0TEAM")
    assert await refusal(complete) == "file_not_found"


async def fetch(workspace: Workspace, url: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
    async with workspace.session.get(url, headers=headers) as response:
        return response.status, response.content_type, await response.read()


@pytest.mark.parametrize(("method", "limit"), [("chat.update", 50), ("chat.appendStream", 100)])
async def test_a_tier_is_a_sliding_minute_for_all_conversations_together(
    workspace: Workspace, method: str, limit: int
) -> None:
    places: list[dict[str, Any]] = []
    for chat_id in ("C0TEAM", "C0OPS"):
        if method == "chat.update":
            ts = (await workspace.web.chat_postMessage(channel=chat_id, text="x"))["ts"]
        else:
            ts = await workspace.stream("1.1", chat_id)
        places.append({"channel": chat_id, "ts": ts, "text" if method == "chat.update" else "markdown_text": "y"})
    for number in range(limit):
        await workspace.web.api_call(method, json=places[number % 2])
        workspace.simulator.advance(0.1)
    with pytest.raises(SlackApiError) as refused:
        await workspace.web.api_call(method, json=places[0])
    response = refused.value.response
    assert (response.status_code, response["error"]) == (429, "ratelimited")
    wait_s = int(response.headers["Retry-After"])
    assert 60 - limit * 0.1 - 2 <= wait_s <= 60
    workspace.simulator.advance(wait_s)
    await workspace.web.api_call(method, json=places[0])


async def test_posts_are_limited_per_channel_and_histories_of_commercial_apps_per_minute(workspace: Workspace) -> None:
    post, options = workspace.web.chat_postMessage, workspace.simulator.options
    options.post_burst = 2
    for _ in range(2):
        await post(channel="C0TEAM", text="x")
    assert await refusal(post(channel="C0TEAM", text="x")) == "ratelimited"
    await post(channel="C0OPS", text="x")
    workspace.simulator.advance(2)
    await post(channel="C0TEAM", text="x")
    options.commercial = True
    await workspace.web.conversations_history(channel="C0TEAM", limit=100)
    assert await refusal(workspace.web.conversations_history(channel="C0TEAM")) == "ratelimited"


async def test_a_lost_answer_is_an_error_though_the_message_is_there_once(workspace: Workspace) -> None:
    workspace.simulator.faults.add({"match": {"path": "chat.postMessage$"}, "action": {"lost_answer": True}})
    with pytest.raises(aiohttp.ClientError):
        await workspace.web.chat_postMessage(channel="C0TEAM", text="once")
    assert [each["text"] for each in workspace.simulator.state()["messages"]] == ["once"]
    rule = {"match": {"path": "chat.postMessage$"}, "action": {"status": 503, "error": "service_unavailable"}}
    workspace.simulator.faults.add(rule)
    assert await refusal(workspace.web.chat_postMessage(channel="C0TEAM", text="x")) == "service_unavailable"


async def test_the_clients_own_retry_posts_twice_when_an_answer_is_lost(workspace: Workspace) -> None:
    workspace.simulator.faults.add({"match": {"path": "chat.postMessage$"}, "action": {"lost_answer": True}})
    retrying = AsyncWebClient(token=workspace.simulator.bot_token, base_url=workspace.simulator.api_url)
    await retrying.chat_postMessage(channel="C0TEAM", text="twice")
    assert [each["text"] for each in workspace.simulator.state()["messages"]] == ["twice", "twice"]


async def test_pages_of_history_and_bad_arguments(workspace: Workspace) -> None:
    for number in range(5):
        workspace.simulator.send("C0TEAM", "U0LIN", f"{number}")
    history = workspace.web.conversations_history
    first = await history(channel="C0TEAM", limit=3)
    second = await history(channel="C0TEAM", limit=3, cursor=first["response_metadata"]["next_cursor"])
    texts = [each["text"] for page in (first, second) for each in page["messages"]]
    assert texts == ["4", "3", "2", "1", "0"] and (first["has_more"], second["has_more"]) == (True, False)
    since = first["messages"][1]["ts"]
    assert [each["text"] for each in (await history(channel="C0TEAM", oldest=since))["messages"]] == ["4"]
    both = await history(channel="C0TEAM", oldest=since, latest=since, inclusive=True)
    assert [each["text"] for each in both["messages"]] == ["3"]
    assert await refusal(history(channel="C0TEAM", oldest="yesterday")) == "invalid_ts_oldest"
    assert await refusal(history(channel="C0TEAM", cursor="x")) == "invalid_cursor"
    assert await refusal(workspace.web.conversations_replies(channel="C0TEAM", ts="1.1")) == "thread_not_found"


async def test_forms_are_read_as_json_is(workspace: Workspace) -> None:
    form = {"channel": "C0TEAM", "text": "x", "blocks": '[{"type":"divider"}]', "token": workspace.simulator.bot_token}
    async with workspace.session.post(f"{workspace.simulator.api_url}chat.postMessage", data=form) as response:
        assert (await response.json())["message"]["blocks"][0]["type"] == "divider"
    async with workspace.session.post(f"{workspace.simulator.api_url}chat.postMessage") as response:
        assert (response.status, (await response.json())["error"]) == (200, "not_authed")
    async with workspace.session.post(f"{workspace.simulator.api_url}chat.sing") as response:
        assert (await response.json())["error"] == "unknown_method"


async def test_revoked_and_uninstalled_apps_are_told_so(workspace: Workspace) -> None:
    await workspace.connect()
    workspace.simulator.revoke_token()
    assert await refusal(workspace.web.auth_test()) == "token_revoked"
    workspace.simulator.uninstall()
    assert await refusal(workspace.web.auth_test()) == "account_inactive"
    await workspace.until_event("app_uninstalled")
