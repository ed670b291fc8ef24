"""Slack's page on the real simulator, with the vendor's own client as the bot: what both sides agreed on."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect
from slack_bolt.async_app import AsyncApp

from tests.browser import chromium
from tests.contract.slack_workspace import open_workspace, until
from tests.journeys.canned_slack import FEEDBACK, GALLERY
from tests.journeys.page_opening import CLIPPED, opened

pytestmark = pytest.mark.browser


class Pressed:
    """An app that notes what people do with it and answers a slash command to them alone."""

    def __init__(self) -> None:
        self.actions: list[dict[str, Any]] = []
        self.states: list[dict[str, Any]] = []

    def register(self, app: AsyncApp) -> None:
        async def act(ack: Any, body: dict[str, Any]) -> None:
            await ack()
            self.actions += body["actions"]
            self.states.append(body["state"]["values"])

        async def command(ack: Any, body: dict[str, Any]) -> None:
            await ack(f"`{body['command']} {body['text']}` is done")

        for action_id in ("feedback", "go", "pick"):
            app.action(action_id)(act)
        app.command("/niuma")(command)


async def test_a_stream_of_the_vendors_client_grows_is_judged_and_is_final() -> None:
    pressed = Pressed()
    async with open_workspace() as workspace, chromium() as browser:
        await workspace.connect(pressed.register)
        async with opened(browser, workspace.simulator.url) as page:
            await expect(page.locator(".bot-state")).to_have_text("niuma · Connected")
            await page.get_by_role("combobox").fill("@niuma hello")
            await page.keyboard.press("Enter")
            await workspace.until_event("app_mention")
            asked = workspace.simulator.state()["messages"][-1]
            assert asked["text"] == "<@U0NIUMA> hello", "a real mention"

            await workspace.web.assistant_threads_setStatus(
                channel_id="C0TEAM", thread_ts=asked["ts"], status="is thinking…"
            )
            await expect(page.locator(".thread-line")).to_contain_text("niuma is thinking…")
            ts = await workspace.stream(asked["ts"])
            task = {"type": "task_update", "id": "a", "title": "Read", "status": "in_progress"}
            more = {"type": "markdown_text", "text": "Counting **fi"}
            await workspace.web.chat_appendStream(channel="C0TEAM", ts=ts, chunks=[task, more])
            await expect(page.locator(".thread-line")).to_contain_text("Writing…")
            await page.locator(".thread-line").click()
            pane = page.get_by_role("complementary", name="Thread")
            await expect(pane.locator(".markdown-body strong")).to_have_text("fi")
            await expect(pane.get_by_role("img", name="In progress")).to_be_visible()

            last = [{**task, "status": "complete"}, {"type": "markdown_text", "text": "les**."}]
            await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts, chunks=last, blocks=[FEEDBACK])
            await expect(pane.locator(".markdown-body p")).to_have_text("Counting files.")
            await expect(page.locator(".caret, .live")).to_have_count(0)
            await pane.get_by_role("button", name="Good answer").click()
            await until(lambda: len(pressed.actions) == 1)
            assert pressed.actions[0]["value"] == "good"


async def test_blocks_are_filled_in_and_sent_with_their_values() -> None:
    pressed = Pressed()
    async with open_workspace() as workspace, chromium() as browser:
        await workspace.connect(pressed.register)
        blocks = [block for block in GALLERY if block["type"] != "image"]
        await workspace.web.chat_postMessage(channel="C0TEAM", text="all", blocks=blocks)
        async with opened(browser, workspace.simulator.url, reduced_motion="reduce") as page:
            await expect(page.locator(".unsupported")).to_have_count(0)
            assert await page.evaluate(CLIPPED, ".main") == []
            await page.get_by_label("What should change?").fill("the title")
            await page.get_by_role("button", name="Submit").click()
            await until(lambda: len(pressed.actions) == 1)
            assert pressed.actions[0]["action_id"] == "go"
            assert pressed.states[0]["why"]["words"]["value"] == "the title"
            await page.get_by_role("combobox", name="Choose").select_option("2")
            await until(lambda: len(pressed.actions) == 2)
            assert pressed.actions[1]["selected_option"]["value"] == "2"


async def test_a_slash_command_is_answered_to_its_writer_alone() -> None:
    async with open_workspace() as workspace, chromium() as browser:
        await workspace.connect(Pressed().register)
        async with opened(browser, workspace.simulator.url) as page:
            await page.get_by_role("combobox").fill("/niuma new session")
            await page.keyboard.press("Enter")
            await expect(page.locator(".only-you")).to_have_text("Only visible to you")
            await expect(page.locator(".message code")).to_have_text("/niuma new session")
            await page.get_by_role("radio", name="Chen Yu").check()
            await expect(page.locator(".message")).to_have_count(0)


async def test_stop_in_the_direct_chat_ends_the_stream() -> None:
    async with open_workspace() as workspace, chromium() as browser:
        await workspace.connect()
        async with opened(browser, workspace.simulator.url) as page:
            await page.locator(".chat-row", has_text="niuma").click()
            await page.get_by_role("combobox").fill("hello")
            await page.keyboard.press("Enter")
            await workspace.until_event("message")
            asked = workspace.simulator.state()["messages"][-1]
            await workspace.stream(asked["ts"], "D0LIN", markdown_text="Hello, I am")
            await expect(page.locator(".thread .markdown-body")).to_have_text("Hello, I am")
            await page.locator(".thread").get_by_role("button", name="Stop").click()
            await workspace.until_event("agent_session_stopped")
            await expect(page.locator(".caret, .live")).to_have_count(0)
            await expect(page.locator(".thread .status-line")).to_have_text("niuma is working…")
            ended = {"channel_id": "D0LIN", "thread_ts": asked["ts"], "status": "active"}
            await workspace.web.api_call("agents.sessions.setStatus", json=ended)
            await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
            await expect(page.locator(".status-line")).to_have_count(0)


async def test_only_the_recipient_of_a_channels_stream_sees_it_grow() -> None:
    async with open_workspace() as workspace, chromium() as browser:
        asked = workspace.simulator.send("C0TEAM", "U0LIN", "@niuma hello")
        ts = await workspace.stream(asked.ts, markdown_text="First")
        await workspace.web.chat_appendStream(channel="C0TEAM", ts=ts, markdown_text=" and more")
        async with opened(browser, workspace.simulator.url) as page:
            await page.locator(".thread-line").click()
            await expect(page.locator(".thread .markdown-body")).to_have_text("First and more")
            await page.get_by_role("radio", name="Chen Yu").check()
            await expect(page.locator(".thread .markdown-body")).to_have_text("First")
            await workspace.web.chat_stopStream(channel="C0TEAM", ts=ts)
            await expect(page.locator(".thread .markdown-body")).to_have_text("First and more")


async def test_a_file_goes_into_the_channel_and_pictures_are_shown() -> None:
    async with (
        open_workspace() as workspace,
        chromium() as browser,
        opened(browser, workspace.simulator.url) as page,
    ):
        drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
        picture = {"name": "a.svg", "mimeType": "image/svg+xml", "buffer": drawing}
        await page.locator("input[type=file]").set_input_files([picture])  # type: ignore[list-item]
        await expect(page.get_by_role("img", name="a.svg")).to_be_visible()
        assert (
            await page.locator("img.kit-picture").evaluate("(one) => one.decode().then(() => one.naturalWidth)") == 40
        )
        note = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"hello"}
        await page.locator("input[type=file]").set_input_files([note])  # type: ignore[list-item]
        await expect(page.locator(".file-name")).to_have_text("note.txt")
        assert [each["name"] for each in workspace.simulator.state()["messages"][-1]["files"]] == ["note.txt"]
