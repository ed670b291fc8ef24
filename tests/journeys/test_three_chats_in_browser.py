"""The same question in three chats side by side, as `niuma demo` shows them: the same card, everywhere.

`NIUMA_TEST_WRITE_PICTURE=1` renews the picture in the README.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.async_api import FrameLocator, expect

from tests.browser import chromium
from tests.journeys.test_demo_in_browser import WAIT_MS, demo

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
PICTURE = Path(__file__).parent / "three_chats.png"
PLATFORMS = ("Feishu", "Slack", "DingTalk")
CLIPPED = """(root) => [...root.querySelectorAll("*")].filter((one) => {
  if (one.classList.contains("sign-character")) return false;
  const style = getComputedStyle(one);
  const hides = ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis";
  return hides && one.clientWidth && one.scrollWidth > one.clientWidth + 1 && one.innerText;
}).map((one) => one.className + ": " + one.innerText.slice(0, 60))"""


async def ask(chat: FrameLocator, words: str) -> None:
    """Write in the chat that is open."""
    box = chat.get_by_role("combobox").last
    await box.fill(words)
    await box.press("Enter")


async def test_one_question_in_three_chats(tmp_path: Path) -> None:
    async with demo(tmp_path) as at, chromium() as browser:
        page = await browser.new_page(viewport={"width": 1890, "height": 1180}, locale="en-US")
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        await page.goto(at.all)
        chats = {name: page.frame_locator(f'iframe[title="{name}"]') for name in PLATFORMS}
        for chat in chats.values():
            await expect(chat.locator("#app")).not_to_be_empty()
            await ask(chat, "@niuma scan the project and read src/orders.py")
        await chats["Slack"].get_by_text("1 reply").click(timeout=WAIT_MS)
        for chat in chats.values():
            await expect(chat.get_by_role("button", name="Satisfied").first).to_be_visible(timeout=WAIT_MS)
            await expect(chat.get_by_text("project_scan").first).to_be_attached()
            await expect(chat.locator("table").first).to_be_visible()
            assert await chat.locator("#app").evaluate(CLIPPED) == []
        if os.environ.get("NIUMA_TEST_WRITE_PICTURE"):
            await page.screenshot(path=PICTURE, animations="disabled")
        for chat in chats.values():
            await chat.get_by_role("button", name="Satisfied").first.click()
            await expect(chat.get_by_role("button", name="Satisfied")).to_have_count(0, timeout=WAIT_MS)
        assert complaints == []
