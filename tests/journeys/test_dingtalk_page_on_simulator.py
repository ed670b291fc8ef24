"""DingTalk's page on the real simulator, without a gateway in between: what both sides agreed on."""

from __future__ import annotations

import asyncio
import json

import pytest
from playwright.async_api import expect

from tests.browser import chromium
from tests.contract.dingtalk_wire import Org, open_org
from tests.journeys.canned_dingtalk import CARD_MARKDOWN, says
from tests.journeys.page_opening import CLIPPED, opened

pytestmark = pytest.mark.browser

BY_KEY = {"updateCardDataByKey": True, "updatePrivateDataByKey": True}


async def emote(org: Org, message_id: str, how: str) -> None:
    face = {"emotionId": "2659900", "emotionName": "🤔思考中", "text": "🤔思考中", "backgroundId": "im_bg_1"}
    body = {"robotCode": org.simulator.app_id, "openMsgId": message_id, "openConversationId": "cidteam=="}
    body |= {"emotionType": 2, "emotionName": "🤔思考中", "textEmotion": face}
    status, answer = await org.call("POST", f"/v1.0/robot/emotion/{how}", body)
    assert status == 200, answer


async def test_a_card_grows_is_pressed_and_ends() -> None:
    async with open_org() as org, chromium() as browser, opened(browser, org.simulator.url) as page:
        await page.get_by_role("combobox").fill("@niuma hello")
        await page.keyboard.press("Enter")
        push = await org.stream.next()
        asked = json.loads(push["data"])
        assert asked["text"]["content"].strip() == "hello"
        await emote(org, asked["msgId"], "reply")
        await expect(page.locator(".emotion-live")).to_have_text("思考中niuma")
        await emote(org, asked["msgId"], "recall")
        await expect(page.locator(".emotion")).to_have_count(0)

        await org.create("run1", {"content": "", "title": "niuma", "show_stop": "true", "label_stop": "Stop"})
        await expect(page.locator(".ai-state")).to_have_text("Processing…")
        await org.frame("run1", "Counting **fi")
        await expect(page.locator(".ai-part-content strong")).to_have_text("fi")
        await expect(page.locator(".caret")).to_have_count(1)

        await page.get_by_role("button", name="Stop").click()
        press = await org.stream.next()
        content = json.loads(json.loads(press["data"])["content"])
        assert content["cardPrivateData"]["params"] == {"action": "stop"}
        gone = {"cardData": {"cardParamMap": {"show_stop": "false"}}, "cardUpdateOptions": BY_KEY}
        await org.stream.ack(press, {"response": gone})
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)

        await org.frame("run1", CARD_MARKDOWN, isFinalize=True)
        await expect(page.locator(".ai-card tbody tr")).to_have_count(2)
        await expect(page.locator(".caret, .ai-state, [aria-busy]")).to_have_count(0)
        assert await page.evaluate(CLIPPED, ".main") == []


async def test_a_press_nobody_answers_is_told() -> None:
    async with open_org(click_within_s=0.1) as org, chromium() as browser:
        await org.create("run1", {"content": "x", "show_good": "true", "label_good": "Satisfied"})
        async with opened(browser, org.simulator.url) as page:
            await page.get_by_role("button", name="Satisfied").click()
            await expect(page.locator(".toast")).to_contain_text("did not answer in time")
            assert not org.stream.pushes.empty(), "the robot was asked"
            await expect(page.get_by_role("button", name="Satisfied")).not_to_have_attribute("aria-busy", "true")


async def test_links_of_an_action_card_and_files_reach_the_robot() -> None:
    async with open_org() as org, chromium() as browser, opened(browser, org.simulator.url) as page:
        await page.locator(".chat-row", has_text="niuma").last.click()
        await page.get_by_role("combobox").fill("may you?")
        await page.keyboard.press("Enter")
        asked = json.loads((await org.stream.next())["data"])
        buttons = [{"title": "Approve", "actionURL": says("/approve 1")}, {"title": "Deny", "actionURL": says("/deny")}]
        card = {"title": "May I?", "text": "### May I?", "btns": buttons, "btnOrientation": "1"}
        await org.reply(asked["sessionWebhook"], {"msgtype": "actionCard", "actionCard": card})
        await page.get_by_role("button", name="Approve").click()
        told = json.loads((await org.stream.next())["data"])
        assert told["text"]["content"].strip() == "/approve 1"
        file = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"hello"}
        await page.locator("input[type=file]").set_input_files([file])  # type: ignore[list-item]
        sent = json.loads((await org.stream.next())["data"])
        assert (sent["msgtype"], sent["content"]["fileName"]) == ("file", "a.pdf")
        await expect(page.locator(".file-name")).to_have_text("a.pdf")


async def test_a_lost_message_and_an_offline_robot_are_told() -> None:
    async with open_org(connect=False) as org, chromium() as browser, opened(browser, org.simulator.url) as page:
        await expect(page.locator(".offline-robot")).to_contain_text("niuma is offline")
        await page.get_by_role("combobox").fill("@niuma hello")
        await page.keyboard.press("Enter")
        await expect(page.locator(".toast-warning")).to_contain_text("不在线")
        await org.stream.connect()
        await expect(page.locator(".offline-robot")).to_have_count(0)
        await org.stream.close()
        await asyncio.sleep(0)
        await expect(page.locator(".offline-robot")).to_have_count(1)
