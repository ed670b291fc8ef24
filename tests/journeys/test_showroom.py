"""Several platforms on one page, on a wide screen and on a phone."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from channels.simulators.feishu.simulator import FeishuSimulator
from channels.simulators.showroom import Showroom
from tests.browser import chromium

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


async def frames_shown(page: Page) -> list[bool]:
    panes = await page.locator(".pane").all()
    return [await pane.is_visible() for pane in panes]


async def test_chats_stand_side_by_side_or_behind_tabs() -> None:
    simulators = [FeishuSimulator(), FeishuSimulator()]
    for each in simulators:
        await each.start()
    showroom = Showroom({"One": simulators[0].url, "Two": simulators[1].url})
    await showroom.start()
    try:
        async with chromium() as browser:
            page = await browser.new_page(viewport={"width": 1600, "height": 900}, locale="en-US")
            complaints: list[str] = []
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            await page.goto(showroom.url)
            for title in ("One", "Two"):
                await expect(page.frame_locator(f'iframe[title="{title}"]').locator("#app")).not_to_be_empty()
            assert await frames_shown(page) == [True, True]
            await expect(page.get_by_role("tablist")).to_be_hidden()
            await page.set_viewport_size({"width": 390, "height": 800})
            assert await frames_shown(page) == [True, False]
            await page.get_by_role("tab", name="One").press("ArrowRight")
            assert await frames_shown(page) == [False, True]
            await expect(page.get_by_role("tab", name="Two")).to_be_focused()
            assert complaints == []
    finally:
        await showroom.stop()
        for each in simulators:
            await each.stop()
