from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from tests.contract.slack_workspace import Workspace, button, open_workspace, until


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with open_workspace() as workspace:
        yield workspace


async def test_a_mention_is_answered_with_a_stream_that_starts_grows_and_stops(workspace: Workspace) -> None:
    simulator = workspace.simulator
    mentions: list[dict[str, Any]] = []

    def register(app: AsyncApp) -> None:
        @app.event("app_mention")
        async def answer(event: dict[str, Any]) -> None:
            mentions.append(event)
            ts = await workspace.stream(event["ts"], markdown_text="Two")
            await workspace.web.chat_appendStream(channel=event["channel"], ts=ts, markdown_text=" **things**")
            await workspace.web.chat_stopStream(channel=event["channel"], ts=ts, blocks=[button("again")])

    await workspace.connect(register)
    sent = simulator.send("C0TEAM", "U0LIN", "@niuma what is new & <old>?")
    await until(lambda: any(each["stream_end"] == "stopped" for each in simulator.state()["messages"]))
    assert mentions[0]["text"] == "<@U0NIUMA> what is new &amp; &lt;old&gt;?"
    assert simulator.message(sent.message_id)["shown"] == "@niuma what is new & <old>?"
    shown = simulator.state()["messages"][-1]
    assert (shown["thread_ts"], shown["streaming"], shown["text"]) == (sent.ts, False, "Two **things**")
    assert shown["shown"] == "Two **things**\n[Stop]"


async def test_a_press_and_a_command_reach_the_app_and_their_answers_are_shown(workspace: Workspace) -> None:
    simulator = workspace.simulator
    bodies: list[dict[str, Any]] = []

    def register(app: AsyncApp) -> None:
        @app.action("stop")
        async def press(ack: Any, body: dict[str, Any], respond: Any) -> None:
            await ack()
            bodies.append(body)
            await respond(text="stopped", replace_original=True)

        @app.command("/agent")
        async def command(ack: Any, body: dict[str, Any]) -> None:
            bodies.append(body)
            await ack(text="on it")

    await workspace.connect(register)
    posted = await workspace.web.chat_postMessage(channel="C0TEAM", text="Working", blocks=[button("stop", "run-1")])
    message_id = f"C0TEAM/{posted['ts']}"
    assert await simulator.click(message_id, "U0LIN", "stop") == {"acked": True, "error": ""}
    await until(lambda: simulator.message(message_id)["text"] == "stopped")
    assert simulator.message(message_id)["blocks"] == []
    assert bodies[0]["actions"][0]["value"] == "run-1"
    assert bodies[0]["container"] == {
        "type": "message", "message_ts": posted["ts"], "channel_id": "C0TEAM", "is_ephemeral": False,
    }  # fmt: skip

    assert (await simulator.command("C0TEAM", "U0LIN", "/agent", "help"))["acked"]
    assert (bodies[1]["text"], bodies[1]["channel_name"]) == ("help", "product-team")
    last = simulator.state()["messages"][-1]
    assert (last["text"], last["ephemeral_to"]) == ("on it", "U0LIN")


async def test_tokens_and_scopes_are_checked(workspace: Workspace) -> None:
    found = await workspace.web.auth_test()
    assert (found["user_id"], found["team_id"], found["bot_id"]) == ("U0NIUMA", "T0DEMO", "B0NIUMA")
    assert "chat:write" in found.headers["x-oauth-scopes"].split(",")
    for client, error in (
        (workspace.client("xoxb-wrong"), "invalid_auth"),
        (workspace.client(workspace.simulator.app_token), "not_allowed_token_type"),
    ):
        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel="C0TEAM", text="x")
        assert refused.value.response["error"] == error
    workspace.simulator.options.withheld_scopes = ["groups:history"]
    await workspace.web.conversations_history(channel="C0TEAM")
    with pytest.raises(SlackApiError) as refused:
        await workspace.web.conversations_history(channel="C0OPS")
    assert (refused.value.response["error"], refused.value.response["needed"]) == ("missing_scope", "groups:history")
