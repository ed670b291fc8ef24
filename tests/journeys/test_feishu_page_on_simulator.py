"""The page on the real simulator: what both sides agreed on, without a gateway in between."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from playwright.async_api import expect

from channels.simulators.feishu.simulator import FeishuSimulator
from tests.browser import chromium
from tests.journeys.canned_cards import answer_card

pytestmark = pytest.mark.browser
Json = dict[str, Any]


class Bot:
    """An app that only uses REST."""

    def __init__(self, simulator: FeishuSimulator, session: aiohttp.ClientSession) -> None:
        self.simulator = simulator
        self.session = session
        self.headers: dict[str, str] = {}

    async def log_in(self) -> None:
        secret = {"app_id": self.simulator.app_id, "app_secret": self.simulator.app_secret}
        answer = await self.call("POST", "/auth/v3/tenant_access_token/internal", secret)
        self.headers = {"Authorization": f"Bearer {answer['tenant_access_token']}"}

    async def call(self, method: str, path: str, body: Json) -> Json:
        url = f"{self.simulator.url}/open-apis{path}"
        async with self.session.request(method, url, json=body, headers=self.headers) as response:
            answer = await response.json()
        assert answer["code"] == 0, answer
        return answer


@pytest.fixture
async def simulator() -> AsyncIterator[FeishuSimulator]:
    found = FeishuSimulator()
    await found.start()
    yield found
    await found.stop()


@pytest.fixture
async def bot(simulator: FeishuSimulator) -> AsyncIterator[Bot]:
    async with aiohttp.ClientSession() as session:
        found = Bot(simulator, session)
        await found.log_in()
        yield found


async def test_a_card_of_the_simulator_grows_on_the_page(simulator: FeishuSimulator, bot: Bot) -> None:
    complaints: list[str] = []
    async with chromium() as browser:
        page = await browser.new_page(locale="en-US")
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(simulator.url)
        await expect(page.locator(".bot-state")).to_have_text("niuma · Not connected")
        await page.get_by_role("combobox").fill("@niuma hello")
        await page.keyboard.press("Enter")
        await expect(page.locator(".bubble .at")).to_have_text("@niuma")
        question = simulator.state()["messages"][-1]
        assert "@_user_1" in question["content"], "a real mention"

        data = json.dumps(answer_card("Hello", streaming=True))
        made = await bot.call("POST", "/cardkit/v1/cards", {"type": "card_json", "data": data})
        card = f"/cardkit/v1/cards/{made['data']['card_id']}"
        reactions = f"/im/v1/messages/{question['message_id']}/reactions"
        await bot.call("POST", reactions, {"reaction_type": {"emoji_type": "OnIt"}})
        content = json.dumps({"type": "card", "data": {"card_id": made["data"]["card_id"]}})
        reply = {"msg_type": "interactive", "content": content}
        await bot.call("POST", f"/im/v1/messages/{question['message_id']}/reply", reply)
        answer = page.locator('[data-element="answer"]')
        await expect(answer).to_have_text("Hello")
        await expect(page.locator(".reaction-live")).to_be_visible()
        await expect(page.locator(".message-card .quote")).to_have_text("Replying to Lin Wei: @niuma hello")

        grown = {"content": "Hello, **Lin Wei**", "sequence": 1}
        await bot.call("PUT", f"{card}/elements/answer/content", grown)
        await expect(answer.locator("strong")).to_have_text("Lin Wei")
        await expect(answer.locator(".caret")).to_have_count(1)
        ended = {"settings": json.dumps({"config": {"streaming_mode": False}}), "sequence": 2}
        await bot.call("PATCH", f"{card}/settings", ended)
        await expect(page.locator(".caret")).to_have_count(0)
    assert complaints == []


async def test_a_person_sends_a_picture_and_a_file_in_a_direct_chat(simulator: FeishuSimulator, tmp_path: Path) -> None:
    complaints: list[str] = []
    (tmp_path / "chart.png").write_bytes(b"\x89PNG\r\n\x1a\npicture")
    (tmp_path / "计划.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    async with chromium() as browser:
        page = await browser.new_page(locale="en-US")
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(simulator.url)
        await page.wait_for_selector(".composer")
        await expect(page.locator(".attach-input")).to_have_count(0)
        await page.locator(".chat-row").filter(has_text="niuma").last.click()
        for name in ("chart.png", "计划.csv"):
            await page.locator(".attach-input").set_input_files(tmp_path / name)
        await expect(page.locator(".bubble-text")).to_have_text(["[image]", "[file] 计划.csv"])
        await expect(page.locator("img.bubble-picture")).to_have_attribute("src", re.compile(r"^/_sim/files/img_v3"))
        async with page.expect_download() as kept:
            await page.locator(".bubble-text a").click()
        assert (await kept.value).suggested_filename == "计划.csv"
    picture, file = (json.loads(each["content"]) for each in simulator.state()["messages"][-2:])
    assert simulator.world.files[picture["image_key"]][1].endswith(b"picture")
    assert simulator.world.files[file["file_key"]] == ("计划.csv", b"a,b\n1,2\n")
    assert complaints == []
