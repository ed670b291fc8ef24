from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from tests.contract.slack_workspace import Workspace, button, open_workspace

TO = {"recipient_team_id": "T0DEMO", "recipient_user_id": "U0LIN"}


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with open_workspace() as workspace:
        yield workspace


async def refusal(work: Any) -> str:
    with pytest.raises(SlackApiError) as refused:
        await work
    return refused.value.response["error"]


async def append(workspace: Workspace, ts: str, text: str = "x", **more: Any) -> None:
    content = more or {"markdown_text": text}
    await workspace.web.chat_appendStream(channel="C0TEAM", ts=ts, **content)


async def test_in_channels_both_recipient_ids_are_demanded_and_in_direct_chats_a_thread(workspace: Workspace) -> None:
    root = workspace.simulator.send("C0TEAM", "U0LIN", "hi").ts
    start = workspace.web.chat_startStream
    assert await refusal(start(channel="C0TEAM", thread_ts=root)) == "missing_recipient_team_id"
    only_team = {"recipient_team_id": "T0DEMO"}
    assert await refusal(start(channel="C0TEAM", thread_ts=root, **only_team)) == "missing_recipient_user_id"
    for strange in ({**TO, "recipient_user_id": "U0NOBODY"}, {**TO, "recipient_team_id": "T0OTHER"}):
        assert await refusal(start(channel="C0TEAM", thread_ts=root, **strange)) == "user_not_found"
    workspace.simulator.add_person("U0FAR", "Far Away", team="T0OTHER")
    assert await refusal(start(channel="C0TEAM", thread_ts=root, **{**TO, "recipient_user_id": "U0FAR"})) == (
        "user_not_found"
    )
    assert (await start(channel="D0LIN", thread_ts=workspace.simulator.send("D0LIN", "U0LIN", "hi").ts))["ok"]
    assert await refusal(workspace.web.api_call("chat.startStream", json={"channel": "D0LIN"})) == "invalid_arguments"
    workspace.simulator.options.recipients_in_dm = True
    assert await refusal(start(channel="D0LIN", thread_ts="1.1")) == "missing_recipient_team_id"
    workspace.simulator.options.streams_refused_in = ["channel"]
    assert await refusal(start(channel="C0TEAM", thread_ts=root, **TO)) == "channel_type_not_supported"


async def test_chunks_build_text_tasks_plan_and_blocks_in_order(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1", chunks=[{"type": "plan_update", "title": "Report"}])
    task = {"type": "task_update", "id": "t1", "title": "Read", "status": "in_progress", "details": "one"}
    await append(workspace, ts, chunks=[{"type": "markdown_text", "text": "Hello"}, task])
    done = {"type": "task_update", "id": "t1", "status": "complete", "output": "two", "details": " more"}
    await append(workspace, ts, chunks=[done, {"type": "markdown_text", "text": " world"}])
    chunks = workspace.simulator.message(f"C0TEAM/{ts}")["chunks"]
    assert (chunks["markdown"], chunks["plan_title"]) == ("Hello world", "Report")
    assert [part["type"] for part in chunks["parts"]] == ["markdown_text", "task", "markdown_text"]
    assert chunks["tasks"] == [
        {"id": "t1", "title": "Read", "status": "complete", "details": "one more", "output": "two"}
    ]  # fmt: skip
    found = await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts, blocks=[button("good")])
    assert [block["type"] for block in found["message"]["blocks"]] == ["markdown", "task_card", "markdown", "actions"]
    assert workspace.simulator.shown(f"C0TEAM/{ts}") == (
        "Report\nHello\n[complete] Read\none more\ntwo\n world\n[Stop]"
    )


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "task_update", "id": "new"},
        {"type": "task_update", "id": "t", "title": "T", "status": "done"},
        {"type": "task_update", "id": "t", "title": "T", "sources": [{"type": "url", "url": "https://a.example"}]},
        {"type": "plan_update"},
        {"type": "markdown_text", "text": ""},
        {"type": "song"},
    ],
)
async def test_wrong_chunks_are_refused_and_change_nothing(workspace: Workspace, chunk: dict[str, Any]) -> None:
    ts = await workspace.stream("1.1", markdown_text="a")
    chunks = [{"type": "markdown_text", "text": "b"}, chunk]
    assert await refusal(append(workspace, ts, chunks=chunks)) == "invalid_chunks"
    assert workspace.simulator.message(f"C0TEAM/{ts}")["text"] == "a"


async def test_text_and_chunks_together_or_nothing_are_refused(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1")
    both = {"markdown_text": "a", "chunks": [{"type": "markdown_text", "text": "b"}]}
    assert await refusal(append(workspace, ts, **both)) == "invalid_arguments"
    assert await refusal(append(workspace, ts, markdown_text="")) == "no_text"
    assert await refusal(append(workspace, ts, markdown_text="x" * 12_001)) == "msg_too_long"


async def test_the_weight_of_a_stream_is_bytes_and_tasks_count_twice(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1", markdown_text="字" * 3000)
    await append(workspace, ts, "x" * 1600)
    assert await refusal(append(workspace, ts, "x")) == "msg_too_long"
    assert workspace.simulator.message(f"C0TEAM/{ts}")["chunks"]["weight_bytes"] == 10_600
    ts = await workspace.stream("1.1")
    await append(workspace, ts, chunks=[{"type": "task_update", "id": "t", "title": "T", "output": "x" * 5200}])
    assert await refusal(append(workspace, ts, "x" * 300)) == "msg_too_long"
    stop = workspace.web.chat_stopStream(channel="C0TEAM", ts=ts, markdown_text="x" * 300)
    assert await refusal(stop) == "msg_too_long"
    assert (await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts, markdown_text="short"))["ok"]


@pytest.mark.parametrize(("life", "dies"), [("total", True), ("idle", False)])
async def test_a_stream_dies_after_five_minutes_in_all_or_idle(workspace: Workspace, life: str, dies: bool) -> None:
    workspace.simulator.options.change({"stream_life": life})
    ts = await workspace.stream("1.1", markdown_text="a")
    workspace.simulator.advance(299)
    await append(workspace, ts, "b")
    workspace.simulator.advance(2)
    if not dies:
        await append(workspace, ts, "c")
        workspace.simulator.advance(300)
    stop = workspace.web.chat_stopStream
    assert await refusal(append(workspace, ts)) == "message_not_in_streaming_state"
    assert await refusal(stop(channel="C0TEAM", ts=ts)) == "message_not_in_streaming_state"
    shown = workspace.simulator.message(f"C0TEAM/{ts}")
    assert (shown["streaming"], shown["stream_end"]) == (True, "expired")
    await workspace.web.chat_update(channel="C0TEAM", ts=ts, markdown_text="repaired")
    shown = workspace.simulator.message(f"C0TEAM/{ts}")
    assert (shown["streaming"], shown["shown"], shown["edited"]) == (False, "repaired", False)


async def test_while_streaming_an_update_conflicts_and_after_the_stop_it_works(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1", markdown_text="a")
    update = workspace.web.chat_update
    assert await refusal(update(channel="C0TEAM", ts=ts, text="b")) == "streaming_state_conflict"
    await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts)
    await update(channel="C0TEAM", ts=ts, text="b")
    assert workspace.simulator.shown(f"C0TEAM/{ts}") == "b"


async def test_the_platforms_stop_ends_the_stream_and_tells_the_app(workspace: Workspace) -> None:
    await workspace.connect()
    root = workspace.simulator.send("C0TEAM", "U0LIN", "@niuma go").ts
    ts = await workspace.stream(root, markdown_text="a")
    await workspace.web.chat_postMessage(channel="C0TEAM", thread_ts=root, text="a session's line stays")
    assert workspace.simulator.state()["statuses"][0]["status"] == "processing"
    body = {"chat_id": "C0TEAM", "thread_ts": root, "as": "U0LIN"}
    assert (await workspace.control("POST", "stop", body))["streaming_message_ts"] == [ts]
    assert await refusal(append(workspace, ts)) == "stopped_by_user"
    await workspace.until_event("agent_session_stopped")
    event = next(each["event"] for each in workspace.events if each["event"]["type"] == "agent_session_stopped")
    assert (event["user"], event["thread_ts"], event["streaming_message_ts"]) == ("U0LIN", root, [ts])
    await workspace.web.agents_sessions_setStatus(channel_id="C0TEAM", thread_ts=root, status="active")
    assert workspace.simulator.state()["statuses"] == []
    assert "error" in await workspace.control("POST", "stop", body)


async def test_in_a_channel_only_the_recipient_sees_a_stream_grow(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1", markdown_text="First")
    await append(workspace, ts, " second")
    message_id = f"C0TEAM/{ts}"
    shown = workspace.simulator.shown
    assert (shown(message_id, "U0LIN"), shown(message_id, "U0CHEN")) == ("First second", "First")
    state = await workspace.control("GET", "state?as=U0CHEN")
    assert state["messages"][-1]["shown"] == "First"
    workspace.simulator.options.stream_shown_to = "all"
    assert shown(message_id, "U0CHEN") == "First second"
    workspace.simulator.options.stream_shown_to = "recipient"
    await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts)
    assert shown(message_id, "U0CHEN") == "First second"


async def test_the_sdks_own_stream_helper_works(workspace: Workspace) -> None:
    root = workspace.simulator.send("D0LIN", "U0LIN", "hi").ts
    stream = await workspace.web.chat_stream(channel="D0LIN", thread_ts=root, buffer_size=4)
    for text in ("Hello", " there", "."):
        await stream.append(markdown_text=text)
    await stream.stop()
    assert workspace.simulator.state()["messages"][-1]["shown"] == "Hello there."


async def test_another_app_cannot_write_to_a_stream(workspace: Workspace) -> None:
    other = workspace.simulator.add_app("xoxb-other", "xapp-other", "other")
    ts = await workspace.stream("1.1")
    work = workspace.client(other.bot_token).chat_appendStream(channel="C0TEAM", ts=ts, markdown_text="x")
    assert await refusal(work) == "message_not_owned_by_app"
    assert await refusal(append(workspace, "1.2")) == "message_not_found"


async def test_f24_whom_a_text_rings_is_told_for_every_state(workspace: Workspace) -> None:
    ts = await workspace.stream("1.1", markdown_text="`<!here>` <!channel> see <https://a.example|build>")
    assert workspace.simulator.rung(f"C0TEAM/{ts}") == ["channel"]
    assert workspace.simulator.shown(f"C0TEAM/{ts}") == "`<!here>` @channel see build"
    quiet = await workspace.web.chat_postMessage(channel="C0TEAM", text="&lt;!channel&gt; @channel")
    assert workspace.simulator.rung(f"C0TEAM/{quiet['ts']}") == []
    await workspace.web.chat_update(channel="C0TEAM", ts=quiet["ts"], text="<@U0CHEN>")
    await workspace.web.chat_update(channel="C0TEAM", ts=quiet["ts"], text="x")
    assert workspace.simulator.rung(f"C0TEAM/{quiet['ts']}") == ["U0CHEN"]
    history = await workspace.control("GET", f"history?message=C0TEAM/{quiet['ts']}")
    assert [state["text"] for state in history] == ["<!channel> @channel", "@Chen Yu", "x"]
